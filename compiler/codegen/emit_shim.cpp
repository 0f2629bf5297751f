// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation with a say in its passes: what TargetMachine::addPassesToEmitFile does, less the passes that find
// nothing to do in Kiln's modules, and with twelve of Kiln's own; and a leaner register allocation of large functions.
#include "branch_wait_shim.h"
#include "carries_shim.h"
#include "fetch_windows_shim.h"
#include "llvm_shim.h"
#include "matrix_wait_shim.h"
#include "mix_constants_shim.h"
#include "or_ones_shim.h"
#include "quotients_shim.h"
#include "sdwa_signs_shim.h"
#include "shared_zeros_shim.h"
#include "shift_add_shim.h"

#include <llvm/ADT/ScopeExit.h>
#include <llvm/CodeGen/CodeGenTargetMachineImpl.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/RegAllocEvictionAdvisor.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Target/TargetLoweringObjectFile.h>
#include <llvm/Transforms/Utils.h>

using namespace llvm;

namespace
{

// Where a value finds no register, LLVM's allocator asks of each value in its way whether that one could move to another
// register. In a large function whose tiles fill the registers nearly all such searches fail, and they take 9/10 of its
// time: such a function does without them, for some more spills.
class LeanAdvisor : public DefaultEvictionAdvisor
{
  public:
    LeanAdvisor(const MachineFunction &function, const RAGreedy &allocator)
        : DefaultEvictionAdvisor(function, allocator)
    {
        const_cast<bool &>(EnableLocalReassign) = false; // the target decides it otherwise, for all functions alike
    }
};

class AdvisorProvider : public RegAllocEvictionAdvisorProvider
{
  public:
    explicit AdvisorProvider(LLVMContext &context) : RegAllocEvictionAdvisorProvider(AdvisorMode::Default, context) {}

    std::unique_ptr<RegAllocEvictionAdvisor> getAdvisor(const MachineFunction &function, const RAGreedy &allocator,
                                                        MachineBlockFrequencyInfo *, MachineLoopInfo *) override
    {
        if (function.getRegInfo().getNumVirtRegs() > LARGE_FUNCTION)
            return std::make_unique<LeanAdvisor>(function, allocator);
        return std::make_unique<DefaultEvictionAdvisor>(function, allocator);
    }

  private:
    static constexpr unsigned LARGE_FUNCTION = 2048; // virtual registers; kernels of common sizes have a few hundred
};

class AdvisorAnalysis : public RegAllocEvictionAdvisorAnalysisLegacy
{
  public:
    explicit AdvisorAnalysis(LLVMContext &context) : RegAllocEvictionAdvisorAnalysisLegacy(AdvisorMode::Default)
    {
        Provider = std::make_unique<AdvisorProvider>(context);
    }
};

} // namespace

void kiln_shim_emit(LLVMTargetMachineRef machine_ref, LLVMModuleRef module_ref, LLVMCodeGenFileType type, bool quickly,
                    LLVMMemoryBufferRef *out_buffer)
{
    auto &machine = *reinterpret_cast<CodeGenTargetMachineImpl *>(machine_ref);
    Module &module = *unwrap(module_ref);
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
    config->disablePass(&LiveDebugValuesID); // there are line tables, but no variables to follow
    config->insertPass(&LowerSwitchID, kiln_shim_create_unsigned_quotients());
    config->insertPass(&LowerSwitchID, kiln_shim_create_carries());
    if (!quickly) { // which leaves out the passes that these are for, and the one behind which they belong
        config->insertPass(&PeepholeOptimizerLegacyID, kiln_shim_create_or_ones());
        config->insertPass(&PeepholeOptimizerLegacyID, kiln_shim_create_mix_constants());
        config->insertPass(&PeepholeOptimizerLegacyID, kiln_shim_create_sdwa_signs());
        config->insertPass(&PeepholeOptimizerLegacyID, kiln_shim_create_shift_add());
        config->insertPass(&ExpandPostRAPseudosID, kiln_shim_create_zeros());
    }
    config->insertPass(&PostRAHazardRecognizerID, kiln_shim_create_branch_wait());
    config->insertPass(&PostRAHazardRecognizerID, kiln_shim_create_matrix_wait());
    if (!quickly)
        config->insertPass(&PostRAHazardRecognizerID, kiln_shim_create_fetch_windows());
    manager.add(config);
    manager.add(info);
    manager.add(kiln_shim_create_quotients());
    if (!quickly)
        manager.add(kiln_shim_create_shared_zeros());
    manager.add(new AdvisorAnalysis(module.getContext()));
    if (config->addISelPasses())
        return;
    config->addMachinePasses();
    config->setInitialized();
    CodeGenFileType file = type == LLVMObjectFile ? CodeGenFileType::ObjectFile : CodeGenFileType::AssemblyFile;
    if (machine.addAsmPrinter(manager, stream, nullptr, file, info->getMMI().getContext()))
        return;
    manager.add(createFreeMachineFunctionPass());
    const_cast<TargetLoweringObjectFile *>(machine.getObjFileLowering())
        ->Initialize(info->getMMI().getContext(), machine);
    manager.run(module);
    *out_buffer = wrap(new SmallVectorMemoryBuffer(std::move(bytes), "object", false));
}
