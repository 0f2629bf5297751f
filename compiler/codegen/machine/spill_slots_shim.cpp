// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prevents LLVM 22 from spilling to wrong addresses (fixed in LLVM 23, #179182). It stores a slot
// of 24 bytes, say, by an access of 16 bytes and one of 8, and checks whether the offset of the
// last access fits its 13-bit field, but computes that offset too low:
//
//   scratch_store_dwordx4 off, v[0:3], off offset:4084
//   scratch_store_dwordx2 off, v[4:5], off offset:-4092      meant: 4100
//
// The end of the field's range, 4096, is a power of two, so a slot that is aligned to the next
// power of two of its size does not cross it. Slots of whole 16-byte accesses are checked
// correctly.
#include "machine_pass.h"
#include "passes_shim.h"

#include <llvm/CodeGen/MachineFrameInfo.h>
#include <llvm/Support/MathExtras.h>

using namespace llvm;

namespace
{
class SpillSlots : public kiln::MachinePass<SpillSlots>
{
  public:
    static constexpr char NAME[] = "Align spill slots of odd sizes";

    bool run(MachineFunction &function)
    {
        MachineFrameInfo &frame = function.getFrameInfo();
        bool changed = false;
        for (int slot = 0; slot < frame.getObjectIndexEnd(); slot++) {
            if (frame.isDeadObjectIndex(slot) || !frame.isSpillSlotObjectIndex(slot))
                continue;
            auto size = static_cast<uint64_t>(frame.getObjectSize(slot));
            Align aligned(PowerOf2Ceil(size));
            if (size <= WIDEST || size % WIDEST == 0 || frame.getObjectAlign(slot) >= aligned)
                continue;
            frame.setObjectAlignment(slot, aligned);
            changed = true;
        }
        return changed;
    }

  private:
    enum { WIDEST = 16 }; // bytes of one access
};
} // namespace

Pass *kiln_shim_create_spill_slots()
{
    return new SpillSlots;
}
