// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation with control over its passes: like TargetMachine::addPassesToEmitFile, but
// without the passes that change nothing in Kiln's modules, and with Kiln's own; and a leaner
// register allocation for large functions.
#include "codegen/machine/passes_shim.h"
#include "llvm_shim.h"
#include "llvm_version.h"

#include <llvm/ADT/ScopeExit.h>
#include <llvm/CodeGen/CodeGenTargetMachineImpl.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/RegAllocEvictionAdvisor.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/InitializePasses.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Target/TargetLoweringObjectFile.h>
#include <llvm/Transforms/Utils.h>

using namespace llvm;

namespace
{

// If a value finds no register, LLVM's allocator checks for each interfering value whether it could
// move to another register. In a large function whose tiles fill the registers nearly all of these
// searches fail, and they take 9/10 of the allocator's time. Such functions skip them, at the cost
// of some more spills.
class LeanAdvisor : public DefaultEvictionAdvisor
{
  public:
    LeanAdvisor(const MachineFunction &function, const RAGreedy &allocator)
        : DefaultEvictionAdvisor(function, allocator)
    {
        // The target sets this for all functions alike, and the base class has no other way to set
        // it; llvm_version.h stops the build if LLVM's next version may read it elsewhere.
        const_cast<bool &>(EnableLocalReassign) = false;
    }
};

class AdvisorProvider : public RegAllocEvictionAdvisorProvider
{
  public:
    explicit AdvisorProvider(LLVMContext &context)
        : RegAllocEvictionAdvisorProvider(AdvisorMode::Default, context)
    {
    }

    std::unique_ptr<RegAllocEvictionAdvisor> getAdvisor(const MachineFunction &function,
                                                        const RAGreedy &allocator,
                                                        MachineBlockFrequencyInfo *,
                                                        MachineLoopInfo *) override
    {
        if (function.getRegInfo().getNumVirtRegs() > LARGE_FUNCTION)
            return std::make_unique<LeanAdvisor>(function, allocator);
        return std::make_unique<DefaultEvictionAdvisor>(function, allocator);
    }

  private:
    static constexpr unsigned LARGE_FUNCTION =
        2048; // virtual registers; kernels of common sizes have a few hundred
};

class AdvisorAnalysis : public RegAllocEvictionAdvisorAnalysisLegacy
{
  public:
    explicit AdvisorAnalysis(LLVMContext &context)
        : RegAllocEvictionAdvisorAnalysisLegacy(AdvisorMode::Default)
    {
        Provider = std::make_unique<AdvisorProvider>(context);
    }
};

// Whether a compile unit describes more than lines.
bool names_variables(const Module &module)
{
    return any_of(module.debug_compile_units(), [](const DICompileUnit *unit) {
        return unit->getEmissionKind() == DICompileUnit::FullDebug;
    });
}

} // namespace

LLVMMetadataRef kiln_shim_create_mark(LLVMContextRef context)
{
    return wrap(MDNode::getDistinct(*unwrap(context), {}));
}

// A pass that LLVM's headers do not name.
static AnalysisID pass_of(StringRef name)
{
    return PassRegistry::getPassRegistry()->getPassInfo(name)->getTypeInfo();
}

// The last pass before StructurizeCFG.
static AnalysisID unify_loop_exits()
{
    initializeUnifyLoopExitsLegacyPassPass(*PassRegistry::getPassRegistry());
    return pass_of("unify-loop-exits");
}

static AnalysisID atomic_optimizer()
{
    return pass_of("amdgpu-atomic-optimizer");
}

// The last pass before SIFixSGPRCopies.
static AnalysisID instruction_selection()
{
    return pass_of("amdgpu-isel");
}

// The last pass before SIPreEmitPeephole.
static AnalysisID late_branch_lowering()
{
    return pass_of("si-late-branch-lowering");
}

// The pass that inserts waits for loads, and the one before it.
static AnalysisID insert_waits()
{
    return pass_of("si-insert-waitcnts");
}

static AnalysisID memory_legalizer()
{
    return pass_of("si-memory-legalizer");
}

void kiln_shim_emit(LLVMTargetMachineRef machine_ref, LLVMModuleRef module_ref,
                    LLVMCodeGenFileType type, bool quickly, LLVMMetadataRef mark_ref,
                    const kiln_shim_live_registers_t *live, LLVMMemoryBufferRef *out_buffer)
{
    auto &machine = *reinterpret_cast<CodeGenTargetMachineImpl *>(machine_ref);
    Module &module = *unwrap(module_ref);
    auto *mark = cast<MDNode>(unwrap(mark_ref));
    *out_buffer = nullptr;
    SmallVector<char, 0> bytes;
    raw_svector_ostream stream(bytes);
    legacy::PassManager manager;
    CodeGenOptLevel level = machine.getOptLevel();
    if (quickly)
        machine.setOptLevel(CodeGenOptLevel::None);
    scope_exit restore([&] { machine.setOptLevel(level); });
    auto *info = new MachineModuleInfoWrapperPass(&machine);
    TargetPassConfig *config = machine.createPassConfig(manager);
    config->setDisableVerify(true);
    if (!names_variables(module))
        config->disablePass(&LiveDebugValuesID); // there are line tables, but no variables to
                                                 // follow from block to block
    config->insertPass(&LowerSwitchID, kiln_shim_create_unsigned_quotients());
    config->insertPass(&LowerSwitchID, kiln_shim_create_carries());
    config->insertPass(unify_loop_exits(), kiln_shim_create_hoisted_values());
    Pass *order, *remove;
    kiln_shim_create_empty_assembly(&order, &remove);
    config->insertPass(instruction_selection(), order);
    config->insertPass(instruction_selection(), kiln_shim_create_scalar_sums());
    config->insertPass(&FinalizeISelID, kiln_shim_create_mix_products());
    config->insertPass(&FinalizeISelID, kiln_shim_create_carried_sums());
    if (!quickly) { // `quickly` has neither the passes that these prepare for nor the one that they
                    // must follow
        config->insertPass(atomic_optimizer(), kiln_shim_create_restored_atomics());
        Pass *hold, *release;
        kiln_shim_create_early_loads(&hold, &release);
        config->insertPass(&LocalStackSlotAllocationID, hold);
        config->insertPass(&MachineSinkingLegacyID, release);
        config->insertPass(&PeepholeOptimizerLegacyID, kiln_shim_create_or_ones());
        config->insertPass(&PeepholeOptimizerLegacyID, kiln_shim_create_mix_constants());
        config->insertPass(&PeepholeOptimizerLegacyID, kiln_shim_create_sdwa_signs());
        config->insertPass(&PeepholeOptimizerLegacyID, kiln_shim_create_shift_add());
        config->insertPass(&MachineSchedulerID, kiln_shim_create_interleave());
        config->insertPass(&ExpandPostRAPseudosID, kiln_shim_create_zeros(mark));
        config->insertPass(late_branch_lowering(), kiln_shim_create_branch_masks());
    }
    config->insertPass(&FixupStatepointCallerSavedID, kiln_shim_create_spill_slots());
    config->insertPass(quickly ? &ExpandPostRAPseudosID : &PostMachineSchedulerID, remove);
    Pass *hold_halves, *release_halves;
    kiln_shim_create_unread_halves(&hold_halves, &release_halves);
    config->insertPass(memory_legalizer(), hold_halves);
    config->insertPass(insert_waits(), release_halves);
    config->insertPass(&PostRAHazardRecognizerID, kiln_shim_create_branch_wait());
    config->insertPass(&PostRAHazardRecognizerID, kiln_shim_create_matrix_wait());
    config->insertPass(&PostRAHazardRecognizerID, kiln_shim_create_store_wait());
    if (!quickly)
        config->insertPass(&PostRAHazardRecognizerID, kiln_shim_create_fetch_windows());
    manager.add(config);
    manager.add(info);
    manager.add(kiln_shim_create_quotients());
    if (!quickly) {
        manager.add(kiln_shim_create_shared_zeros(mark));
        manager.add(kiln_shim_create_flat_atomics());
    }
    manager.add(new AdvisorAnalysis(module.getContext()));
    if (config->addISelPasses())
        return;
    config->addMachinePasses();
    config->setInitialized();
    if (live)
        manager.add(kiln_shim_create_live_registers(*live));
    CodeGenFileType file =
        type == LLVMObjectFile ? CodeGenFileType::ObjectFile : CodeGenFileType::AssemblyFile;
    if (machine.addAsmPrinter(manager, stream, nullptr, file, info->getMMI().getContext()))
        return;
    manager.add(createFreeMachineFunctionPass());
    const_cast<TargetLoweringObjectFile *>(machine.getObjFileLowering())
        ->Initialize(info->getMMI().getContext(), machine);
    manager.run(module);
    *out_buffer = wrap(new SmallVectorMemoryBuffer(std::move(bytes), "object", false));
}
