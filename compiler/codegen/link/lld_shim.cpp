// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lld has no C API; this wraps its driver as a C function.
#include "codegen/llvm_shim.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include <lld/Common/Driver.h>

LLD_HAS_DRIVER(elf)

bool kiln_shim_lld(const char *const *arguments, size_t count, char **out_messages)
{
    // lld keeps its state in globals: only one link at a time per process.
    static std::mutex lock;
    std::lock_guard<std::mutex> guard(lock);
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    const lld::DriverDef drivers[] = {{lld::Gnu, &lld::elf::link}};
    lld::Result result =
        lld::lldMain(llvm::ArrayRef<const char *>(arguments, count), stream, stream, drivers);
    *out_messages = strdup(stream.str().c_str());
    return result.retCode == 0;
}
