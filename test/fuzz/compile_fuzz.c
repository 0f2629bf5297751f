// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutated TTIR through the whole compiler: whatever the text, there is an error or a code object, never a crash or a
// leak.
//
// What is easily got wrong: a session keeps every type and attribute it has seen, so it is made anew now and then.
#include <stddef.h>
#include <stdint.h>

#include "kiln/kiln.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)diagnostic;
    (void)user;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static kiln_session_t *session;
    static unsigned uses;
    if (uses++ % 256 == 0) {
        kiln_session_release(session);
        if (kiln_session_create(&session))
            return 0;
        kiln_session_set_diagnostic_handler(session, ignore, NULL);
    }
    const kiln_source_t source = {
        .stage = KILN_STAGE_TT, .name = "fuzz.ttir", .text = (const char *)data, .length = size};
    kiln_kernel_t *kernel;
    kiln_status_free(kiln_compile(session, &source, NULL, &kernel));
    kiln_kernel_release(kernel);
    return 0;
}
