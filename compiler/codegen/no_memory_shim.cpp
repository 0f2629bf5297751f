// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles exhausted memory in LLVM, MLIR and the C++ library, which cannot return an error and
// would abort.
#include "llvm_shim.h"

#include <new>

#include <llvm/Support/ErrorHandling.h>

static void (*handler)(void);

static void on_bad_alloc(void *, const char *, bool)
{
    handler();
}

void kiln_shim_on_no_memory(void (*function)(void))
{
    handler = function;
    std::set_new_handler(function);
    llvm::install_bad_alloc_error_handler(on_bad_alloc);
}
