// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prevents LLVM 22 from losing the ones of x | −1 (fixed in LLVM 23, #189655). Its SIFoldOperands
// turns such an operation into a move, and moves x instead of the ones:
//
//   %ones = V_NOT_B32 0                         %ones = V_MOV_B32 -1
//   %r = V_OR_B32 %x, %ones             →       %r = V_MOV_B32 %x
//
// The IR rarely shows that an operand is −1: this appears when 64 bits are split (the upper half of
// ~zext(i32)), also across blocks. So this pass runs just before SIFoldOperands, on machine code.
// It makes both operands the one that is −1, which is equivalent and is folded correctly.
//
// Note that it must recognize every constant that SIFoldOperands finds, or the bug remains.
#include "machine_pass.h"
#include "passes_shim.h"

#include <optional>

using namespace llvm;

namespace
{
using constant_t = std::optional<uint32_t>;

class OrOnes : public kiln::MachinePass<OrOnes>
{
  public:
    static constexpr char NAME[] = "Materialize ones before SIFoldOperands";

    bool run(MachineFunction &function)
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block)
                if (is_or(instruction))
                    changed |=
                        join_with_ones(instruction.getOperand(1), instruction.getOperand(2)) ||
                        join_with_ones(instruction.getOperand(2), instruction.getOperand(1));
        return changed;
    }

  private:
    enum { DEEPEST = 16 };

    bool is_or(const MachineInstr &instruction) const
    {
        StringRef name = name_of(instruction);
        return name == "V_OR_B32_e64" || name == "S_OR_B32";
    }

    bool join_with_ones(const MachineOperand &ones, MachineOperand &other)
    {
        if (other.isIdenticalTo(ones) || known(ones, DEEPEST) != ~uint32_t{0})
            return false;
        if (ones.isImm()) {
            other.ChangeToImmediate(ones.getImm());
            return true;
        }
        values->clearKillFlags(ones.getReg());
        other.ChangeToRegister(ones.getReg(), false);
        other.setSubReg(ones.getSubReg());
        return true;
    }

    constant_t known(const MachineOperand &operand, int depth) const
    {
        if (operand.isImm())
            return static_cast<uint32_t>(operand.getImm());
        if (!operand.isReg() || !operand.getReg().isVirtual())
            return std::nullopt;
        unsigned part = operand.getSubReg();
        return known_part(operand.getReg(), part ? registers->getSubRegIdxOffset(part) : 0, depth);
    }

    // The dword of a register at bit `offset`.
    constant_t known_part(Register reg, unsigned offset, int depth) const
    {
        const MachineInstr *from = values->getUniqueVRegDef(reg);
        if (!from || depth == 0)
            return std::nullopt;
        if (from->isCopy())
            return known_inside(from->getOperand(1), offset, depth);
        if (from->isRegSequence()) {
            for (unsigned i = 1; i + 1 < from->getNumOperands(); i += 2) {
                auto part = static_cast<unsigned>(from->getOperand(i + 1).getImm());
                unsigned start = registers->getSubRegIdxOffset(part);
                if (offset >= start && offset < start + registers->getSubRegIdxSize(part))
                    return known_inside(from->getOperand(i), offset - start, depth);
            }
            return std::nullopt;
        }
        if (from->isMoveImmediate()) {
            const MachineOperand &number = from->getOperand(1);
            return number.isImm() && offset < 64
                       ? constant_t(static_cast<uint32_t>(number.getImm() >> offset))
                       : std::nullopt;
        }
        return offset ? std::nullopt : computed(*from, depth - 1);
    }

    constant_t known_inside(const MachineOperand &operand, unsigned offset, int depth) const
    {
        if (!operand.isReg() || !operand.getReg().isVirtual())
            return std::nullopt;
        unsigned part = operand.getSubReg();
        return known_part(operand.getReg(),
                          offset + (part ? registers->getSubRegIdxOffset(part) : 0), depth - 1);
    }

    constant_t computed(const MachineInstr &from, int depth) const
    {
        StringRef name = operation_of(from);
        if (name == "V_NOT_B32" || name == "S_NOT_B32") {
            constant_t a = known(from.getOperand(1), depth);
            return a ? constant_t(~*a) : std::nullopt;
        }
        if (name == "V_READFIRSTLANE_B32" || name == "V_READLANE_B32")
            return known(from.getOperand(1), depth);
        if (name == "V_CNDMASK_B32") {
            bool has_modifiers = from.getNumExplicitOperands() == 6;
            if (has_modifiers && (from.getOperand(1).getImm() || from.getOperand(3).getImm()))
                return std::nullopt;
            constant_t a = known(from.getOperand(has_modifiers ? 2 : 1), depth);
            return a && a == known(from.getOperand(has_modifiers ? 4 : 2), depth) ? a
                                                                                  : std::nullopt;
        }
        return combined(name, from, depth);
    }

    constant_t combined(StringRef name, const MachineInstr &from, int depth) const
    {
        static const struct {
            StringRef name;
            uint32_t (*value)(uint32_t a, uint32_t b);
        } rows[] = {
            {"AND_B32", [](uint32_t a, uint32_t b) { return a & b; }},
            {"OR_B32", [](uint32_t a, uint32_t b) { return a | b; }},
            {"XOR_B32", [](uint32_t a, uint32_t b) { return a ^ b; }},
            {"XNOR_B32", [](uint32_t a, uint32_t b) { return ~(a ^ b); }},
            {"NAND_B32", [](uint32_t a, uint32_t b) { return ~(a & b); }},
            {"NOR_B32", [](uint32_t a, uint32_t b) { return ~(a | b); }},
            {"ANDN2_B32", [](uint32_t a, uint32_t b) { return a & ~b; }},
            {"ORN2_B32", [](uint32_t a, uint32_t b) { return a | ~b; }},
            {"LSHL_B32", [](uint32_t a, uint32_t b) { return a << (b & 31); }},
            {"LSHR_B32", [](uint32_t a, uint32_t b) { return a >> (b & 31); }},
            {"ASHR_I32",
             [](uint32_t a, uint32_t b) {
                 return static_cast<uint32_t>(static_cast<int32_t>(a) >> (b & 31));
             }},
            {"LSHLREV_B32", [](uint32_t a, uint32_t b) { return b << (a & 31); }},
            {"LSHRREV_B32", [](uint32_t a, uint32_t b) { return b >> (a & 31); }},
            {"ASHRREV_I32",
             [](uint32_t a, uint32_t b) {
                 return static_cast<uint32_t>(static_cast<int32_t>(b) >> (a & 31));
             }},
        };
        if (!name.consume_front("V_") && !name.consume_front("S_"))
            return std::nullopt;
        for (const auto &row : rows)
            if (name == row.name) {
                constant_t a = known(from.getOperand(1), depth),
                           b = known(from.getOperand(2), depth);
                uint32_t absorbing = name == "AND_B32" ? 0 : ~uint32_t{0};
                if ((name == "AND_B32" || name == "OR_B32") && (a == absorbing || b == absorbing))
                    return absorbing;
                return a && b ? constant_t(row.value(*a, *b)) : std::nullopt;
            }
        return std::nullopt;
    }
};
} // namespace

Pass *kiln_shim_create_or_ones()
{
    return new OrOnes;
}
