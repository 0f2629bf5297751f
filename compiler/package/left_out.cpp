// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Empty definitions of functions that lld's driver refers to and Kiln never calls: LLVM's other
// targets, which the driver registers for link-time optimization, and the passes of Polly, which
// would run there. This keeps their code out of Kiln's binaries.
//
// Note that this must only be linked with LLVM's archives (llvm.cmake); with libLLVM.so it would
// conflict with the real functions.
#include <llvm/Plugins/PassPlugin.h>

// The lists below name all targets: the definitions for AMDGPU get names that are never called.
#define LLVMInitializeAMDGPUTargetInfo amdgpu_target_info_is_real
#define LLVMInitializeAMDGPUTarget amdgpu_target_is_real
#define LLVMInitializeAMDGPUTargetMC amdgpu_target_mc_is_real
#define LLVMInitializeAMDGPUAsmPrinter amdgpu_asm_printer_is_real
#define LLVMInitializeAMDGPUAsmParser amdgpu_asm_parser_is_real

extern "C" {
#define LLVM_TARGET(name)                                                                          \
    void LLVMInitialize##name##TargetInfo() {}                                                     \
    void LLVMInitialize##name##Target() {}                                                         \
    void LLVMInitialize##name##TargetMC() {}
#include <llvm/Config/Targets.def>

#define LLVM_ASM_PRINTER(name)                                                                     \
    void LLVMInitialize##name##AsmPrinter() {}
#include <llvm/Config/AsmPrinters.def>

#define LLVM_ASM_PARSER(name)                                                                      \
    void LLVMInitialize##name##AsmParser() {}
#include <llvm/Config/AsmParsers.def>
}

llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "none", "", [](llvm::PassBuilder &) {}};
}
