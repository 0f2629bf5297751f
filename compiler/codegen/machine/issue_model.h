// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The units of a compute unit as interleave_shim.cpp models them (C++, for it only): which one an
// instruction occupies, for how long, and when its result is there, in slots of 4 cycles.
#ifndef KILN_CODEGEN_ISSUE_MODEL_H
#define KILN_CODEGEN_ISSUE_MODEL_H

#include "base/gfx942.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSchedule.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

namespace kiln
{
enum {
    SLOT = 4, // cycles from one instruction of a wave to the next
    LDS_LATENCY = KILN_GFX942_LDS_LATENCY / SLOT,
    L2_LATENCY = KILN_GFX942_L2_LATENCY / SLOT,
};

enum Unit { SCALAR, VECTOR, MATRIX, LDS, MEMORY, UNITS };

// The properties of an instruction in the model.
struct Cost {
    Unit unit = SCALAR;
    unsigned issue = 1;   // slots until the wave's next instruction
    unsigned busy = 1;    // slots until the unit's next one
    unsigned latency = 1; // slots until the result
    unsigned queue = 0;   // slots for which it may wait in front of the unit
};

class Model
{
  public:
    Model(const llvm::MachineFunction &function, const llvm::TargetSchedModel &table)
        : instructions(*function.getSubtarget().getInstrInfo()), values(function.getRegInfo()),
          table(table)
    {
    }

    Cost cost(const llvm::MachineInstr &i) const
    {
        const llvm::StringRef name = instructions.getName(i.getOpcode());
        const unsigned slots = table.computeInstrLatency(&i);
        if (name.starts_with("V_MFMA") || name.starts_with("V_SMFMAC"))
            return {MATRIX, 1, slots, slots};
        if (is_transcendental(name))
            return {VECTOR, 1, KILN_GFX942_TRANS_CYCLES / SLOT, KILN_GFX942_TRANS_CYCLES / SLOT};
        if (name.starts_with("V_")) {
            const unsigned own = name.contains("F64") ? std::max(slots, 1u) : 1;
            return {VECTOR, 1, own, own};
        }
        if (name.starts_with("DS_")) {
            const unsigned busy = lds_slots(i);
            return {LDS, 1, busy, LDS_LATENCY + busy};
        }
        if (i.mayLoadOrStore() && is_scalar(i))
            return {MEMORY, 1, 1, unsigned{L2_LATENCY}};
        if (i.mayLoadOrStore()) {
            const unsigned busy = cache_slots(i);
            return {MEMORY, 1, busy, i.getNumExplicitDefs() ? L2_LATENCY + busy : 1u};
        }
        return {SCALAR, i.isTransient() ? 0u : 1u, 0, 1};
    }

  private:
    enum {
        SIMDS = KILN_GFX942_SIMDS,
        LANES = KILN_GFX942_LANES,
        WIDTH = KILN_GFX942_LDS_BANKS * KILN_GFX942_LDS_BANK_BYTES, // bytes in a cycle
    };

    const llvm::TargetInstrInfo &instructions;
    const llvm::MachineRegisterInfo &values;
    const llvm::TargetSchedModel &table;

    bool is_scalar(const llvm::MachineInstr &i) const
    {
        return instructions.getName(i.getOpcode()).starts_with("S_");
    }

    static bool is_transcendental(llvm::StringRef name)
    {
        return name.consume_front("V_") &&
               llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"EXP_", "LOG_", "RCP_", "RSQ_", "SQRT_",
                                                            "SIN_", "COS_"},
                            [name](llvm::StringRef prefix) { return name.starts_with(prefix); });
    }

    unsigned bytes(const llvm::MachineOperand &operand) const
    {
        if (!operand.isReg() || !operand.getReg().isVirtual())
            return 0;
        const llvm::TargetRegisterInfo &registers = *values.getTargetRegisterInfo();
        const unsigned part =
            operand.getSubReg() ? registers.getSubRegIdxSize(operand.getSubReg()) : 0;
        return (part ? part : registers.getRegSizeInBits(*values.getRegClass(operand.getReg()))) /
               8;
    }

    // The bytes that a lane moves; its address is not among them.
    unsigned lds_bytes(const llvm::MachineInstr &i) const
    {
        enum { ADDRESS = 4 };
        unsigned read = 0, used = 0;
        for (const llvm::MachineOperand &operand : i.all_defs())
            read += bytes(operand);
        for (const llvm::MachineOperand &operand : i.all_uses())
            used += bytes(operand);
        return read ? read : used > ADDRESS ? used - ADDRESS : ADDRESS;
    }

    // The cache moves the data of all SIMDs in turn.
    unsigned cache_slots(const llvm::MachineInstr &i) const
    {
        enum { DWORD = 4 };
        unsigned read = 0, widest = 0;
        for (const llvm::MachineOperand &operand : i.all_defs())
            read += bytes(operand);
        for (const llvm::MachineOperand &operand : i.all_uses())
            widest = std::max(widest, bytes(operand)); // of a store, the value or the address
        const unsigned moved = std::max<unsigned>(read ? read : widest, DWORD);
        return std::max(moved * LANES * SIMDS / KILN_GFX942_L1_CYCLE_BYTES / SLOT, 1u);
    }

    // The waves of all SIMDs execute the same instruction.
    unsigned lds_slots(const llvm::MachineInstr &i) const
    {
        return std::max(lds_bytes(i) * LANES * SIMDS / WIDTH / SLOT, 1u);
    }
};
} // namespace kiln

#endif
