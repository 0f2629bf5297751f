// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base class of Kiln's machine passes (C++, for them only). A pass is
//
//     class MyPass : public kiln::MachinePass<MyPass>
//     {
//       public:
//         static constexpr char NAME[] = "What it does";
//         bool run(MachineFunction &function);            returns whether it changed something
//     };
//
// Instructions are recognized by name, because the target's public headers declare nothing else
// about them.
#ifndef KILN_CODEGEN_MACHINE_PASS_H
#define KILN_CODEGEN_MACHINE_PASS_H

#include "codegen/llvm_version.h"

#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

namespace kiln
{
template <class Derived> class MachinePass : public llvm::MachineFunctionPass
{
  public:
    MachinePass() : llvm::MachineFunctionPass(id) {}

    llvm::StringRef getPassName() const final { return Derived::NAME; }

    bool runOnMachineFunction(llvm::MachineFunction &function) final
    {
        instructions = function.getSubtarget().getInstrInfo();
        registers = function.getSubtarget().getRegisterInfo();
        values = &function.getRegInfo();
        return static_cast<Derived *>(this)->run(function);
    }

  protected:
    llvm::StringRef name_of(const llvm::MachineInstr &instruction) const
    {
        return instructions->getName(instruction.getOpcode());
    }

    // The name without the suffix of its encoding.
    llvm::StringRef operation_of(const llvm::MachineInstr &instruction) const
    {
        llvm::StringRef name = name_of(instruction);
        name.consume_back("_e64") || name.consume_back("_e32");
        return name;
    }

    // The opcode of that name, which codegen/machine/opcodes.def lists.
    unsigned opcode(llvm::StringRef name) const
    {
        unsigned code = 0;
        while (instructions->getName(code) != name)
            code++;
        return code;
    }

    bool is_matrix(const llvm::MachineInstr &instruction) const
    {
        llvm::StringRef name = name_of(instruction);
        return name.starts_with("V_MFMA") || name.starts_with("V_SMFMAC");
    }

    // Those of the function that the pass runs on.
    const llvm::TargetInstrInfo *instructions = nullptr;
    const llvm::TargetRegisterInfo *registers = nullptr;
    llvm::MachineRegisterInfo *values = nullptr;

  private:
    static inline char id; // its address identifies the pass
};
} // namespace kiln

#endif
