// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation with a say in its passes: what TargetMachine::addPassesToEmitFile does, less the passes that find
// nothing to do in Kiln's modules, and with two of Kiln's own.
#include "branch_wait_shim.h"
#include "llvm_shim.h"
#include "matrix_wait_shim.h"

#include <llvm/ADT/ScopeExit.h>
#include <llvm/CodeGen/CodeGenTargetMachineImpl.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Target/TargetLoweringObjectFile.h>

using namespace llvm;

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
    config->insertPass(&PostRAHazardRecognizerID, kiln_shim_create_branch_wait());
    config->insertPass(&PostRAHazardRecognizerID, kiln_shim_create_matrix_wait());
    manager.add(config);
    manager.add(info);
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
