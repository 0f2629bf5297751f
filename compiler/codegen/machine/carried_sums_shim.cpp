// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps accumulators that loops carry in accumulation registers (a), and all others in
// architectural ones (v). LLVM puts either all of a function into a, or all into v:
//
//   loop:  v_mfma v[0:15], …, 0                  loop:  v_mfma v[0:15], …, 0
//          v_exp_f32 …                                  v_exp_f32 …
//          v_mfma v[16:31], …, v[16:31]    →            v_mfma a[0:15], …, a[0:15]
//
// A carried sum is only read by matrix instructions until the loop ends, so it needs no v; the
// result of a product that others read in the loop does, or it is copied in every iteration. Runs
// directly after instruction selection, on functions that have the attribute.
//
// Note that values are joined to sums by phis, copies, and matrix instructions that add to them. A
// sum stays in v as a whole if any of its values is read by another instruction in a loop that
// carries it.
#include "machine_pass.h"
#include "passes_shim.h"

#include "codegen/llvm_shim.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/CodeGen/MachineLoopInfo.h>

using namespace llvm;

namespace
{
class CarriedSums : public kiln::MachinePass<CarriedSums>
{
  public:
    static constexpr char NAME[] = "Keep sums that loops carry in accumulation registers";

    void getAnalysisUsage(AnalysisUsage &usage) const override
    {
        usage.addRequired<MachineLoopInfoWrapperPass>();
        usage.setPreservesCFG();
        MachineFunctionPass::getAnalysisUsage(usage);
    }

    bool run(MachineFunction &function)
    {
        if (!function.getFunction().hasFnAttribute(KILN_CARRIED_SUMS))
            return false;
        loops = &getAnalysis<MachineLoopInfoWrapperPass>().getLI();
        join(function);
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block)
                if (instruction.isPHI() && is_carried(instruction))
                    carried.insert(
                        sums.getOrInsertLeaderValue(instruction.getOperand(0).getReg().id()));
        bool changed = false;
        for (const auto *sum : sums)
            if (sum->isLeader() && carried.contains(sum->getData()) && may_move(sum))
                changed |= move(sum);
        sums = {};
        carried.clear();
        return changed;
    }

  private:
    static constexpr const char *IN_V = "vgprcd_";
    enum { SUM = 3 }; // operand of a matrix instruction: results, then A, B, and the sum

    using Member = EquivalenceClasses<unsigned>::ECValue;

    static bool is_whole(const MachineOperand &operand)
    {
        return operand.isReg() && operand.getReg().isVirtual() && operand.getSubReg() == 0;
    }

    bool is_matrix_in_v(const MachineInstr &instruction) const
    {
        return is_matrix(instruction) && name_of(instruction).contains(IN_V);
    }

    bool is_member(const MachineOperand &operand, unsigned leader) const
    {
        return is_whole(operand) && sums.findLeader(operand.getReg().id()) != sums.member_end() &&
               *sums.findLeader(operand.getReg().id()) == leader;
    }

    // The class of accumulation registers of the value's size, or NULL.
    const TargetRegisterClass *class_in_a(Register value) const
    {
        StringRef name = registers->getRegClassName(values->getRegClass(value));
        std::string wanted;
        if (name == "VGPR_32" || name == "AV_32")
            wanted = "AGPR_32";
        else if (name.consume_front("VReg_") || name.consume_front("AV_"))
            wanted = ("AReg_" + name).str();
        for (const TargetRegisterClass *each : registers->regclasses())
            if (registers->getRegClassName(each) == wanted)
                return each;
        return nullptr;
    }

    // The instruction with its sum in a, or 0.
    unsigned opcode_in_a(unsigned code)
    {
        auto [entry, is_new] = in_a.try_emplace(code, 0);
        if (is_new) {
            std::string wanted = instructions->getName(code).str();
            wanted.erase(wanted.find(IN_V), StringRef(IN_V).size());
            for (unsigned each = 0; each < instructions->getNumOpcodes(); each++)
                if (instructions->getName(each) == wanted)
                    entry->second = each;
        }
        return entry->second;
    }

    void join(const MachineFunction &function)
    {
        for (const MachineBasicBlock &block : function)
            for (const MachineInstr &instruction : block) {
                const bool is_matrix = is_matrix_in_v(instruction);
                if ((!is_matrix && !passes_on(instruction)) || !is_whole(instruction.getOperand(0)))
                    continue;
                for (unsigned i = 1; i < instruction.getNumOperands(); i++)
                    if ((i == SUM || !is_matrix) && is_whole(instruction.getOperand(i)))
                        sums.unionSets(instruction.getOperand(0).getReg().id(),
                                       instruction.getOperand(i).getReg().id());
            }
    }

    static bool passes_on(const MachineInstr &instruction)
    {
        return instruction.isPHI() || instruction.isCopy();
    }

    // Whether a matrix instruction in the phi's loop adds to the phi's value.
    bool is_carried(const MachineInstr &phi) const
    {
        const MachineLoop *loop = loops->getLoopFor(phi.getParent());
        if (!loop || loop->getHeader() != phi.getParent())
            return false;
        return any_of(values->use_nodbg_instructions(phi.getOperand(0).getReg()),
                      [&](const MachineInstr &use) {
                          return is_matrix_in_v(use) && loop->contains(use.getParent()) &&
                                 use.getOperand(SUM).isReg() &&
                                 use.getOperand(SUM).getReg() == phi.getOperand(0).getReg();
                      });
    }

    // Whether the operand may be in a: that of a phi or copy, or the sum of a matrix instruction.
    bool takes_a(const MachineOperand &use, unsigned leader) const
    {
        const MachineInstr &instruction = *use.getParent();
        return is_member(use, leader) && is_member(instruction.getOperand(0), leader) &&
               (passes_on(instruction) ||
                (is_matrix_in_v(instruction) && instruction.getOperandNo(&use) == SUM));
    }

    // Whether a matrix instruction may write its result to a: what it adds to must be there, too.
    bool may_write_a(const MachineInstr &instruction, unsigned leader)
    {
        const MachineOperand &added = instruction.getOperand(SUM);
        return (!added.isReg() || is_member(added, leader)) && opcode_in_a(instruction.getOpcode());
    }

    bool may_move(const Member *sum)
    {
        const unsigned leader = sum->getData();
        for (unsigned id : sums.members(*sum)) {
            const Register value(id);
            const MachineInstr *definition = values->getUniqueVRegDef(value);
            if (!definition || !class_in_a(value) ||
                (is_matrix_in_v(*definition) && !may_write_a(*definition, leader)))
                return false;
            const MachineLoop *loop = loops->getLoopFor(definition->getParent());
            for (const MachineOperand &use : values->use_nodbg_operands(value))
                if (loop && loop->contains(use.getParent()->getParent()) && !takes_a(use, leader))
                    return false;
        }
        return true;
    }

    // Gives the operands of other instructions a copy of the value in v, one in each block.
    void copy_out(Register value, unsigned leader, const TargetRegisterClass *in_v)
    {
        DenseMap<MachineBasicBlock *, SmallVector<MachineOperand *>> uses;
        for (MachineOperand &use : values->use_nodbg_operands(value))
            if (!takes_a(use, leader)) {
                MachineInstr &at = *use.getParent();
                uses[at.isPHI() ? at.getOperand(at.getOperandNo(&use) + 1).getMBB()
                                : at.getParent()]
                    .push_back(&use);
            }
        for (auto &[block, operands] : uses) {
            MachineBasicBlock::iterator place = block->getFirstTerminator();
            for (MachineInstr &each : *block)
                if (!each.isPHI() && each.readsVirtualRegister(value) &&
                    any_of(operands,
                           [&](MachineOperand *use) { return use->getParent() == &each; })) {
                    place = each.getIterator();
                    break;
                }
            const Register copy = values->createVirtualRegister(in_v);
            BuildMI(*block, place, DebugLoc(), instructions->get(TargetOpcode::COPY), copy)
                .addReg(value);
            for (MachineOperand *use : operands)
                use->setReg(copy);
        }
    }

    // Lets other instructions define a value in v, which is copied.
    void copy_in(MachineInstr &definition, Register value, const TargetRegisterClass *in_v)
    {
        const Register made = values->createVirtualRegister(in_v);
        MachineBasicBlock &block = *definition.getParent();
        definition.findRegisterDefOperand(value, nullptr)->setReg(made);
        BuildMI(block, std::next(definition.getIterator()), DebugLoc(),
                instructions->get(TargetOpcode::COPY), value)
            .addReg(made);
    }

    bool move(const Member *sum)
    {
        const unsigned leader = sum->getData();
        for (unsigned id : sums.members(*sum)) {
            const Register value(id);
            const TargetRegisterClass *in_v = values->getRegClass(value), *in_a = class_in_a(value);
            copy_out(value, leader, in_v);
            values->setRegClass(value, in_a);
            MachineInstr &definition = *values->getUniqueVRegDef(value);
            const bool is_passed_on =
                definition.isPHI() ||
                (definition.isCopy() && is_member(definition.getOperand(1), leader));
            if (!is_passed_on && !is_matrix_in_v(definition))
                copy_in(definition, value, in_v);
        }
        for (unsigned id : sums.members(*sum)) {
            MachineInstr &definition = *values->getUniqueVRegDef(Register(id));
            if (is_matrix_in_v(definition))
                definition.setDesc(instructions->get(opcode_in_a(definition.getOpcode())));
        }
        return true;
    }

    const MachineLoopInfo *loops = nullptr;
    EquivalenceClasses<unsigned> sums; // by virtual register
    DenseSet<unsigned> carried;        // leaders
    DenseMap<unsigned, unsigned> in_a;
};
} // namespace

Pass *kiln_shim_create_carried_sums()
{
    return new CarriedSums;
}
