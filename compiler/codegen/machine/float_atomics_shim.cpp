// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps atomic operations of floats apart (workarounds.def: float_atomics). Where lanes of a wave
// address one location, LLVM's AMDGPUAtomicOptimizer combines their values first and updates memory
// once. For integers that is some order of the updates. For floats it is not: 64 lanes that add 1
// to 2^24 leave 2^24 in any order, but their sum, 64 · 1, gives 2^24 + 64.
//
// The optimizer ignores flat pointers, so it gets such, and the next pass takes them back:
//
//   atomicrmw fadd ptr addrspace(1) %p, …   →   %f = addrspacecast ptr addrspace(1) %p to ptr
//                                               atomicrmw fadd ptr %f, …
#include "codegen/llvm_version.h"
#include "passes_shim.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Pass.h>

using namespace llvm;

namespace
{
enum { FLAT, GLOBAL, LDS = 3 }; // address spaces

class Atomics : public FunctionPass
{
  public:
    explicit Atomics(char &id) : FunctionPass(id) {}

    bool runOnFunction(Function &function) override
    {
        bool changed = false;
        for (Instruction &instruction : instructions(function))
            if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
                if (atomic->isFloatingPointOperation())
                    changed |= change(*atomic);
        return changed;
    }

  protected:
    static void set_pointer(AtomicRMWInst &atomic, Value *pointer)
    {
        atomic.setOperand(AtomicRMWInst::getPointerOperandIndex(), pointer);
    }

  private:
    virtual bool change(AtomicRMWInst &atomic) = 0;
};

class FlatAtomics : public Atomics
{
  public:
    static char ID;
    FlatAtomics() : Atomics(ID) {}
    StringRef getPassName() const override { return "Hide atomics of floats"; }

  private:
    bool change(AtomicRMWInst &atomic) override
    {
        const unsigned space = atomic.getPointerAddressSpace();
        if (space != GLOBAL && space != LDS)
            return false;
        set_pointer(atomic, new AddrSpaceCastInst(atomic.getPointerOperand(),
                                                  PointerType::get(atomic.getContext(), FLAT), "",
                                                  atomic.getIterator()));
        return true;
    }
};

class RestoredAtomics : public Atomics
{
  public:
    static char ID;
    RestoredAtomics() : Atomics(ID) {}
    StringRef getPassName() const override { return "Restore atomics of floats"; }

  private:
    bool change(AtomicRMWInst &atomic) override
    {
        auto *cast = dyn_cast<AddrSpaceCastInst>(atomic.getPointerOperand());
        if (!cast)
            return false;
        set_pointer(atomic, cast->getPointerOperand());
        if (cast->use_empty())
            cast->eraseFromParent();
        return true;
    }
};

char FlatAtomics::ID = 0;
char RestoredAtomics::ID = 0;
} // namespace

Pass *kiln_shim_create_flat_atomics()
{
    return new FlatAtomics;
}

Pass *kiln_shim_create_restored_atomics()
{
    return new RestoredAtomics;
}
