// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lld's driver refers to and Kiln never reaches, as functions that do nothing: LLVM's other targets, which the driver registers for link-time
// optimisation, and the passes of Polly, which would run there. So their code stays out of Kiln's binaries.
//
// What is easily got wrong: this belongs only where LLVM's archives are linked (llvm.cmake); beside libLLVM.so it would compete with the real functions.
#include <llvm/Plugins/PassPlugin.h>

// The lists below name all targets: the one that is wanted gets names that nobody calls.
#define LLVMInitializeAMDGPUTargetInfo amdgpu_target_info_is_real
#define LLVMInitializeAMDGPUTarget amdgpu_target_is_real
#define LLVMInitializeAMDGPUTargetMC amdgpu_target_mc_is_real
#define LLVMInitializeAMDGPUAsmPrinter amdgpu_asm_printer_is_real
#define LLVMInitializeAMDGPUAsmParser amdgpu_asm_parser_is_real

extern "C" {
#define LLVM_TARGET(name)                                                                                              \
    void LLVMInitialize##name##TargetInfo() {}                                                                         \
    void LLVMInitialize##name##Target() {}                                                                             \
    void LLVMInitialize##name##TargetMC() {}
#include <llvm/Config/Targets.def>

#define LLVM_ASM_PRINTER(name)                                                                                         \
    void LLVMInitialize##name##AsmPrinter() {}
#include <llvm/Config/AsmPrinters.def>

#define LLVM_ASM_PARSER(name)                                                                                          \
    void LLVMInitialize##name##AsmParser() {}
#include <llvm/Config/AsmParsers.def>
}

llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "none", "", [](llvm::PassBuilder &) {}};
}
