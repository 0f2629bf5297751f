// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders the instructions of loops with matrix instructions so that the other units work while the
// matrix unit does. LLVM orders them by register pressure, and groups instructions of one kind:
//
//   v_mfma_…                              v_mfma_…
//   v_mfma_…                              v_mul_f32  × 7
//   …                               →     v_mfma_…
//   v_mul_f32  × 7                        v_exp_f32, …
//   v_exp_f32, …                          ds_read_b128
//
// The order is a list schedule: of the instructions whose operands are available, the one with the
// longest path to the end of the block is issued, matrix instructions first where their unit is
// free. The model has one wave: an instruction occupies its unit for some slots of 4 cycles
// (gfx942.def, and LLVM's tables for the passes of matrix instructions). All four SIMDs of a
// compute unit share LDS, and execute the same loop.
//
// The order replaces LLVM's if it takes fewer slots in the model, and registers that LLVM's order
// leaves at its occupancy suffice.
#include "issue_model.h"
#include "load_order.h"
#include "machine_pass.h"
#include "passes_shim.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/CodeGen/LiveIntervals.h>
#include <llvm/CodeGen/MachineDominators.h>
#include <llvm/CodeGen/MachineLoopInfo.h>
#include <llvm/CodeGen/MachineScheduler.h>
#include <llvm/CodeGen/RegisterClassInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace
{
using kiln::Cost;

enum { KILN_LDS_SPACE = 3 };

// Registers that hold values of lanes, in a region, while its instructions are issued.
class Pressure
{
  public:
    // The registers of a region, numbered, and the instructions that use and define them.
    struct Region {
        struct Use {
            unsigned reg, count;
            bool is_defined; // by the same instruction, too
        };
        std::vector<unsigned> weights, uses; // of each register
        std::vector<bool> alive, live_after;
        std::vector<SmallVector<Use, 4>> used;         // by each instruction
        std::vector<SmallVector<unsigned, 2>> defined; // …
        unsigned now = 0;

        Region(ArrayRef<SUnit> units, const MachineRegisterInfo &values, const LiveIntervals &live,
               SlotIndex begin, SlotIndex end)
        {
            DenseMap<Register, unsigned> numbers;
            for (unsigned v = 0; v < values.getNumVirtRegs(); v++) {
                const Register reg = Register::index2VirtReg(v);
                const unsigned own = live.hasInterval(reg) ? weight(values, reg) : 0;
                if (!own)
                    continue;
                const LiveInterval &interval = live.getInterval(reg);
                numbers[reg] = static_cast<unsigned>(weights.size());
                weights.push_back(own);
                alive.push_back(interval.liveAt(begin));
                live_after.push_back(interval.liveAt(end));
                now += alive.back() ? own : 0;
            }
            uses.resize(weights.size());
            for (const SUnit &unit : units)
                add(*unit.getInstr(), numbers);
        }

      private:
        static unsigned weight(const MachineRegisterInfo &values, Register reg)
        {
            const TargetRegisterClass *type = values.getRegClass(reg);
            const TargetRegisterInfo &registers = *values.getTargetRegisterInfo();
            const StringRef name = registers.getRegClassName(type);
            const bool is_vector = name.starts_with("V") || name.starts_with("A");
            return is_vector ? registers.getRegSizeInBits(*type) / 32 : 0;
        }

        void add(const MachineInstr &i, const DenseMap<Register, unsigned> &numbers)
        {
            used.emplace_back();
            defined.emplace_back();
            for (const MachineOperand &operand : i.all_defs())
                if (auto at = numbers.find(operand.getReg()); at != numbers.end())
                    if (!is_contained(defined.back(), at->second))
                        defined.back().push_back(at->second);
            for (const MachineOperand &operand : i.all_uses()) {
                auto at = operand.isUndef() ? numbers.end() : numbers.find(operand.getReg());
                if (at == numbers.end())
                    continue;
                uses[at->second]++;
                auto known =
                    find_if(used.back(), [at](const Use &use) { return use.reg == at->second; });
                if (known != used.back().end())
                    known->count++;
                else
                    used.back().push_back(
                        {at->second, 1, is_contained(defined.back(), at->second)});
            }
        }
    };

    Pressure(const Region &region)
        : now(region.now), max(region.now), region(region), uses(region.uses), alive(region.alive)
    {
    }

    // The number of live registers after the instruction minus that before it.
    int change(unsigned node) const
    {
        int change = 0;
        for (const Region::Use &use : region.used[node])
            if (ends(use))
                change -= static_cast<int>(region.weights[use.reg]);
        for (unsigned reg : region.defined[node])
            if (!alive[reg])
                change += static_cast<int>(region.weights[reg]);
        return change;
    }

    void issue(unsigned node)
    {
        unsigned ended = 0;
        for (const Region::Use &use : region.used[node]) {
            if (ends(use)) {
                alive[use.reg] = false;
                ended += region.weights[use.reg];
            }
            uses[use.reg] -= use.count;
        }
        for (unsigned reg : region.defined[node])
            if (!alive[reg]) {
                alive[reg] = true;
                now += region.weights[reg];
            }
        max = std::max(max, now);
        now -= ended;
    }

    unsigned now, max;

  private:
    const Region &region;
    std::vector<unsigned> uses; // by instructions that have not been issued
    std::vector<bool> alive;

    bool ends(const Region::Use &use) const
    {
        return alive[use.reg] && !region.live_after[use.reg] && uses[use.reg] == use.count &&
               !use.is_defined;
    }
};

// The state of the units while instructions are issued in some order.
class Clock
{
  public:
    Clock(const std::vector<Cost> &costs) : costs(costs), ready(costs.size() + 1) {}

    // The first slot in which the instruction can be issued.
    unsigned earliest(unsigned node) const
    {
        const Cost &cost = costs[node];
        const unsigned room = free[cost.unit] > cost.queue ? free[cost.unit] - cost.queue : 0;
        return std::max({now, ready[node], room});
    }

    unsigned available(unsigned node) const { return ready[node]; }
    bool is_free(kiln::Unit unit) const { return free[unit] <= now; }

    void issue(const SUnit &unit)
    {
        const Cost &cost = costs[unit.NodeNum];
        const unsigned at = earliest(unit.NodeNum);
        now = at + cost.issue;
        free[cost.unit] = std::max(free[cost.unit], at) + cost.busy;
        end = std::max(end, at + cost.latency);
        for (const SDep &edge : unit.Succs) {
            const SUnit *next = edge.getSUnit();
            if (!next->isBoundaryNode())
                ready[next->NodeNum] = std::max(ready[next->NodeNum], at + distance(cost, edge));
        }
    }

    static unsigned distance(const Cost &from, const SDep &edge)
    {
        return edge.getKind() == SDep::Data ? from.latency : 0;
    }

    unsigned now = 0, end = 0;

  private:
    const std::vector<Cost> &costs;
    std::vector<unsigned> ready;
    unsigned free[kiln::UNITS] = {};
};

class Interleaver : public MachineSchedStrategy
{
  public:
    Interleaver(const MachineFunction &function, const LiveIntervals &live)
        : function(function), values(function.getRegInfo()), live(live), loads(function, live)
    {
        table.init(&function.getSubtarget());
    }

    bool shouldTrackLaneMasks() const override { return true; }

    void initialize(ScheduleDAGMI *graph) override
    {
        const MachineBasicBlock::iterator first =
            skipDebugInstructionsForward(graph->begin(), graph->end()); // they have no index
        begin = live.getInstructionIndex(*first).getBaseIndex();
        const MachineBasicBlock &block = *first->getParent();
        end = graph->end() == block.end() ? live.getMBBEndIdx(&block).getPrevSlot()
                                          : live.getInstructionIndex(*graph->end()).getBaseIndex();
        const kiln::Model model(function, table);
        costs.clear();
        for (const SUnit &unit : graph->SUnits) {
            costs.push_back(model.cost(*unit.getInstr()));
            if (costs.back().unit == kiln::MEMORY && is_awaited(unit))
                costs.back().queue = MEMORY_QUEUE;
        }
        set_heights(graph->SUnits);
        set_distances(graph->SUnits);

        const Pressure::Region region(graph->SUnits, values, live, begin, end);
        is_own = false;
        order.clear();
        for (SUnit &unit : graph->SUnits)
            order.push_back(&unit);
        const Outcome given = follow(region, order);
        const unsigned limit = std::max(given.registers, at_same_occupancy(given.registers));
        for (unsigned room = limit; room + ATTEMPTS * STEP > limit && room > STEP; room -= STEP) {
            const std::vector<SUnit *> found = list(graph->SUnits, region, room);
            const Outcome own = follow(region, found);
            is_own = own.slots < given.slots && own.registers <= limit;
            if (is_own)
                order = found;
            if (is_own || own.slots >= given.slots) // less room makes it no faster
                break;
        }
        next = 0;
    }

    SUnit *pickNode(bool &is_top) override
    {
        is_top = true;
        return next < order.size() ? order[next++] : nullptr;
    }

    void schedNode(SUnit *, bool) override {}
    void releaseTopNode(SUnit *) override {}
    void releaseBottomNode(SUnit *) override {}

    bool is_own = false; // whether the latest order is not LLVM's

  private:
    enum {
        REGISTERS = 512,                                        // of a SIMD's lane
        GRANULE = 8,                                            // they are allocated in such groups
        LANES_OF_SIMDS = KILN_GFX942_SIMDS * KILN_GFX942_LANES, // of a wave on each
        MANY_UNITS = 2048,                                      // instructions of a large block
        ATTEMPTS = 4,
        STEP = 16, // by which the next attempt has fewer registers: the count is an estimate
    };

    // Slots of accesses that may wait in front of the caches: a wave's share of 16 wide loads
    // (docs/gfx942.md, 3.4).
    enum { MEMORY_QUEUE = 4 * 16 };

    struct Outcome {
        unsigned slots, registers;
    };

    // Whether the region uses the result, so that the access should begin early. Others are needed
    // in the next iteration, and may be spread over this one.
    static bool is_awaited(const SUnit &unit)
    {
        return any_of(unit.Succs, [](const SDep &edge) {
            return edge.getKind() == SDep::Data && !edge.getSUnit()->isBoundaryNode();
        });
    }

    const MachineFunction &function;
    const MachineRegisterInfo &values;
    const LiveIntervals &live;
    TargetSchedModel table;
    SlotIndex begin, end;
    std::vector<Cost> costs;
    std::vector<unsigned> heights, distances;
    const kiln::LoadOrder loads;
    std::vector<SUnit *> order;
    size_t next = 0;

    // The waves of a SIMD for which a compute unit's LDS suffices.
    static unsigned waves_by_lds(const Function &function)
    {
        const Module &module = *function.getParent();
        uint64_t bytes = 0, lanes = KILN_GFX942_LANES;
        for (const GlobalVariable &variable : module.globals())
            if (variable.getAddressSpace() == KILN_LDS_SPACE)
                bytes += module.getDataLayout().getTypeAllocSize(variable.getValueType());
        function.getFnAttribute("amdgpu-flat-work-group-size")
            .getValueAsString()
            .split(',')
            .second.getAsInteger(10, lanes);
        const uint64_t groups = bytes ? KILN_GFX942_LDS_BYTES / bytes : KILN_GFX942_WAVES_PER_SIMD;
        return static_cast<unsigned>(groups * divideCeil(lanes, LANES_OF_SIMDS));
    }

    unsigned at_same_occupancy(unsigned registers) const
    {
        const unsigned waves = REGISTERS / std::max<unsigned>(alignTo(registers, GRANULE), GRANULE);
        return REGISTERS / std::max(std::min(waves, waves_by_lds(function.getFunction())), 1u) /
               GRANULE * GRANULE;
    }

    // The least slots from the issue of an instruction to the end of the block: the longest path
    // that begins with it, where everything that depends on an instruction must be issued, and
    // occupies its unit, after it.
    void set_heights(ArrayRef<SUnit> units)
    {
        const bool counts_work = units.size() <= MANY_UNITS;
        std::vector<BitVector> after(counts_work ? units.size() : 0);
        heights.assign(units.size(), 0);
        for (const SUnit &unit : reverse(units)) { // successors come later
            const Cost &cost = costs[unit.NodeNum];
            unsigned height = cost.latency;
            if (counts_work)
                after[unit.NodeNum].resize(static_cast<unsigned>(units.size()));
            for (const SDep &edge : unit.Succs) {
                const SUnit *next = edge.getSUnit();
                if (next->isBoundaryNode())
                    continue;
                height = std::max(height, Clock::distance(cost, edge) + heights[next->NodeNum]);
                if (counts_work && !edge.isWeak()) {
                    after[unit.NodeNum] |= after[next->NodeNum];
                    after[unit.NodeNum].set(next->NodeNum);
                }
            }
            if (counts_work)
                height = std::max(height, cost.issue + work(after[unit.NodeNum]));
            heights[unit.NodeNum] = height;
        }
    }

    bool is_for_later(const SUnit &unit) const
    {
        return costs[unit.NodeNum].unit == kiln::MEMORY && unit.getInstr()->mayLoad() &&
               !is_awaited(unit);
    }

    // Loads for later are equally urgent, but for when their results are needed.
    void set_distances(ArrayRef<SUnit> units)
    {
        unsigned highest = 0;
        distances.assign(units.size(), 0);
        for (const SUnit &unit : units)
            if (is_for_later(unit)) {
                distances[unit.NodeNum] = loads.distance_to_use(*unit.getInstr(), end);
                highest = std::max(highest, heights[unit.NodeNum]);
            }
        for (const SUnit &unit : units)
            if (is_for_later(unit))
                heights[unit.NodeNum] = highest;
    }

    // The slots that the instructions take at least, one after the other on each unit. Accesses of
    // memory without a result may go on after the block.
    unsigned work(const BitVector &instructions) const
    {
        unsigned issue = 0, busy[kiln::UNITS] = {};
        for (unsigned i : instructions.set_bits()) {
            issue += costs[i].issue;
            busy[costs[i].unit] += costs[i].busy;
        }
        return std::max({issue, busy[kiln::MATRIX], busy[kiln::LDS]});
    }

    Outcome follow(const Pressure::Region &region, ArrayRef<SUnit *> given) const
    {
        Clock clock(costs);
        Pressure pressure(region);
        for (const SUnit *unit : given) {
            clock.issue(*unit);
            pressure.issue(unit->NodeNum);
        }
        return {clock.end, pressure.max};
    }

    // Whether `a` is to be issued before `b`.
    bool is_better(const SUnit &a, const SUnit &b, const Clock &clock, const Pressure &pressure,
                   unsigned room) const
    {
        const int change_a = pressure.change(a.NodeNum), change_b = pressure.change(b.NodeNum);
        const bool fits_a = change_a <= 0 || pressure.now + static_cast<unsigned>(change_a) <= room,
                   fits_b = change_b <= 0 || pressure.now + static_cast<unsigned>(change_b) <= room;
        if (fits_a != fits_b)
            return fits_a;
        if (!fits_a && change_a != change_b)
            return change_a < change_b;
        const unsigned at_a = clock.earliest(a.NodeNum), at_b = clock.earliest(b.NodeNum);
        if (at_a != at_b)
            return at_a < at_b;
        const bool matrix_a = costs[a.NodeNum].unit == kiln::MATRIX,
                   matrix_b = costs[b.NodeNum].unit == kiln::MATRIX;
        if (matrix_a != matrix_b)
            return matrix_a;
        if (heights[a.NodeNum] != heights[b.NodeNum])
            return heights[a.NodeNum] > heights[b.NodeNum];
        if (distances[a.NodeNum] != distances[b.NodeNum])
            return distances[a.NodeNum] < distances[b.NodeNum];
        return a.NodeNum < b.NodeNum;
    }

    static bool fits(const SUnit &unit, const Pressure &pressure, unsigned room)
    {
        const int change = pressure.change(unit.NodeNum);
        return change <= 0 || pressure.now + static_cast<unsigned>(change) <= room;
    }

    // The candidate that loads another part of the lines that the last instruction has loaded;
    // their number if there is none.
    size_t beside(const SUnit &last, ArrayRef<SUnit *> candidates, const Pressure &pressure,
                  unsigned room) const
    {
        size_t c = is_for_later(last) ? 0 : candidates.size();
        while (c < candidates.size() &&
               !(is_for_later(*candidates[c]) && fits(*candidates[c], pressure, room) &&
                 loads.share_lines(*last.getInstr(), *candidates[c]->getInstr())))
            c++;
        return c;
    }

    size_t best_of(ArrayRef<SUnit *> candidates, const Clock &clock, const Pressure &pressure,
                   unsigned room) const
    {
        size_t best = 0;
        for (size_t c = 1; c < candidates.size(); c++)
            if (is_better(*candidates[c], *candidates[best], clock, pressure, room))
                best = c;
        return best;
    }

    std::vector<SUnit *> list(std::vector<SUnit> &units, const Pressure::Region &region,
                              unsigned room) const
    {
        Clock clock(costs);
        Pressure pressure(region);
        std::vector<unsigned> waiting(units.size());
        std::vector<SUnit *> candidates, result;
        for (SUnit &unit : units) {
            for (const SDep &edge : unit.Preds)
                waiting[unit.NodeNum] += !edge.isWeak() && !edge.getSUnit()->isBoundaryNode();
            if (waiting[unit.NodeNum] == 0)
                candidates.push_back(&unit);
        }
        while (!candidates.empty()) {
            size_t best = result.empty() ? candidates.size()
                                         : beside(*result.back(), candidates, pressure, room);
            if (best == candidates.size())
                best = best_of(candidates, clock, pressure, room);
            SUnit *unit = candidates[best];
            candidates.erase(candidates.begin() + static_cast<ptrdiff_t>(best));
            clock.issue(*unit);
            pressure.issue(unit->NodeNum);
            result.push_back(unit);
            for (const SDep &edge : unit->Succs) {
                SUnit *user = edge.getSUnit();
                if (!edge.isWeak() && !user->isBoundaryNode() && --waiting[user->NodeNum] == 0)
                    candidates.push_back(user);
            }
        }
        return result;
    }
};

class Interleave : public kiln::MachinePass<Interleave>
{
  public:
    static constexpr char NAME[] = "Interleave matrix instructions with others";

    void getAnalysisUsage(AnalysisUsage &usage) const override
    {
        usage.setPreservesAll();
        usage.addRequired<AAResultsWrapperPass>();
        usage.addRequired<LiveIntervalsWrapperPass>();
        usage.addRequired<MachineDominatorTreeWrapperPass>();
        usage.addRequired<MachineLoopInfoWrapperPass>();
        usage.addRequired<SlotIndexesWrapperPass>();
        MachineFunctionPass::getAnalysisUsage(usage);
    }

    bool run(MachineFunction &function)
    {
        MachineSchedContext context;
        context.MF = &function;
        context.MLI = &getAnalysis<MachineLoopInfoWrapperPass>().getLI();
        context.MDT = &getAnalysis<MachineDominatorTreeWrapperPass>().getDomTree();
        context.TM = &function.getTarget();
        context.AA = &getAnalysis<AAResultsWrapperPass>().getAAResults();
        context.LIS = &getAnalysis<LiveIntervalsWrapperPass>().getLIS();
        context.RegClassInfo->runOnMachineFunction(function);
        auto owned = std::make_unique<Interleaver>(function, *context.LIS);
        interleaver = owned.get();
        ScheduleDAGMILive scheduler(&context, std::move(owned));
        for (MachineBasicBlock &block : function)
            if (const MachineLoop *loop = context.MLI->getLoopFor(&block);
                loop && loop->isInnermost())
                order(scheduler, block);
        scheduler.finalizeSchedule();
        return true;
    }

  private:
    enum { MIN_MATRIX = 2 };

    const Interleaver *interleaver = nullptr; // of the current run

    // Orders each part of the block between instructions that nothing may pass.
    void order(ScheduleDAGMILive &scheduler, MachineBasicBlock &block) const
    {
        scheduler.startBlock(&block);
        MachineBasicBlock::iterator end = block.end();
        while (end != block.begin()) {
            MachineBasicBlock::iterator begin = end;
            unsigned count = 0, matrices = 0;
            while (begin != block.begin() && !is_boundary(*std::prev(begin), block)) {
                --begin;
                count += !begin->isDebugOrPseudoInstr();
                matrices += is_matrix(*begin);
            }
            const bool is_at_start = begin == block.begin();
            MachineBasicBlock::iterator boundary = is_at_start ? begin : std::prev(begin);
            if (matrices >= MIN_MATRIX) {
                scheduler.enterRegion(&block, begin, end, count);
                scheduler.schedule();
                if (interleaver->is_own)
                    hold(*scheduler.getLIS(), block, scheduler.begin(), end);
                scheduler.exitRegion();
            }
            if (is_at_start)
                break;
            end = boundary;
        }
        scheduler.finishBlock();
    }

    // LLVM's scheduler after register allocation must leave other instructions between the same
    // matrix and memory instructions.
    void hold(LiveIntervals &live, MachineBasicBlock &block, MachineBasicBlock::iterator begin,
              MachineBasicBlock::iterator end) const
    {
        for (MachineInstr &i : make_range(begin, end))
            if (is_matrix(i) || i.mayLoadOrStore())
                live.InsertMachineInstrInMaps(
                    *BuildMI(block, i, DebugLoc(), instructions->get(opcode("SCHED_BARRIER")))
                         .addImm(0));
    }

    bool is_boundary(const MachineInstr &i, const MachineBasicBlock &block) const
    {
        return i.isCall() || instructions->isSchedulingBoundary(i, &block, *block.getParent());
    }
};

} // namespace

Pass *kiln_shim_create_interleave()
{
    return new Interleave();
}
