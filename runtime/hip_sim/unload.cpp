// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frees memory that LLVM and the C++ library, which are statically linked into libkiln-sim.so,
// would otherwise keep, because programs unload HIP libraries and load them again.
//
// This file belongs only into the shared library; other users of the simulator share both libraries
// with the rest of their process.
#include <llvm/Support/ManagedStatic.h>

#ifdef KILN_OWN_CXX_LIBRARY
namespace __gnu_cxx
{
void __freeres(); // the emergency pool for exceptions when memory is exhausted
}
#endif

__attribute__((destructor)) static void unload(void)
{
    llvm::llvm_shutdown();
#ifdef KILN_OWN_CXX_LIBRARY
    __gnu_cxx::__freeres();
#endif
}
