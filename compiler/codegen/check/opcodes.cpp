// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Run by the build: fails if LLVM's AMDGPU target lacks an instruction of opcodes.def or gives it
// other operands.
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Triple.h>

extern "C" void LLVMInitializeAMDGPUTargetInfo();
extern "C" void LLVMInitializeAMDGPUTargetMC();

namespace
{
const struct {
    const char *name;
    unsigned operands;
} expected[] = {
#define KILN_OPCODE(name, operands) {#name, operands},
#include "codegen/machine/opcodes.def"
#undef KILN_OPCODE
};
} // namespace

int main()
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    std::string message;
    const llvm::Target *target =
        llvm::TargetRegistry::lookupTarget(llvm::Triple("amdgcn-amd-amdhsa"), message);
    if (!target) {
        std::fprintf(stderr, "check_opcodes: %s\n", message.c_str());
        return 1;
    }
    std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
    std::map<llvm::StringRef, unsigned> opcodes;
    for (unsigned opcode = 0; opcode < instructions->getNumOpcodes(); opcode++)
        opcodes[instructions->getName(opcode)] = opcode;
    int wrong = 0;
    for (const auto &row : expected) {
        auto found = opcodes.find(row.name);
        if (found == opcodes.end()) {
            std::fprintf(stderr, "check_opcodes: unknown LLVM instruction %s\n", row.name);
            wrong++;
            continue;
        }
        unsigned operands = instructions->get(found->second).getNumOperands();
        if (operands != row.operands) {
            std::fprintf(stderr, "check_opcodes: %s has %u operands, codegen expects %u\n",
                         row.name, operands, row.operands);
            wrong++;
        }
    }
    if (wrong)
        std::fprintf(
            stderr,
            "check_opcodes: review the passes of compiler/codegen (docs/llvm-workarounds.md)\n");
    return wrong != 0;
}
