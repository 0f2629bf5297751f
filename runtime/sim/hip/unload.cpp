// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs unload HIP libraries and load them again: what LLVM and the C++ library, which are libkiln-sim.so's own, would keep for ever is given back then.
//
// What a reader gets wrong: this belongs into the shared library alone; what else has the simulator inside shares both with others.
#include <llvm/Support/ManagedStatic.h>

#ifdef KILN_OWN_CXX_LIBRARY
namespace __gnu_cxx
{
void __freeres(); // the reserve from which exceptions are made when memory is short
}
#endif

__attribute__((destructor)) static void unload(void)
{
    llvm::llvm_shutdown();
#ifdef KILN_OWN_CXX_LIBRARY
    __gnu_cxx::__freeres();
#endif
}
