// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between versions of a struct. struct_size itself is never copied.
#include "base/versioned.h"

#include <string.h>

static size_t size_of(const void *versioned)
{
    size_t size;
    memcpy(&size, versioned, sizeof size);
    return size;
}

void kiln_struct_initialize(void *to, size_t struct_size, const void *defaults, size_t size)
{
    memcpy(to, &struct_size, sizeof struct_size);
    kiln_struct_copy_out(to, defaults, size);
}

kiln_status_t kiln_struct_check(const char *function, const char *argument, const char *type,
                                const void *versioned)
{
    enum { ABSURD = 1 << 16 };
    if (!versioned)
        return kiln_status_make(KILN_STATUS_USAGE, "%s: %s is NULL", function, argument);
    size_t given = size_of(versioned);
    if (given <= sizeof given || given > ABSURD)
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "%s: %s->struct_size is %zu; initialize a %s with its initialize function, or set "
            "struct_size if it has none",
            function, argument, given, type);
    return KILN_OK;
}

kiln_status_t kiln_struct_take(const char *function, const char *argument, const char *type,
                               void *to, size_t size, const void *from)
{
    KILN_TRY(kiln_struct_check(function, argument, type, from));
    size_t given = size_of(from), known = given < size ? given : size;
    for (size_t i = size; i < given; i++)
        if (((const char *)from)[i])
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "%s: %s sets a field at byte %zu, but this version of Kiln "
                                    "supports only %zu bytes of %s; the program requires a newer "
                                    "version",
                                    function, argument, i, size, type);
    memcpy((char *)to + sizeof given, (const char *)from + sizeof given, known - sizeof given);
    return KILN_OK;
}

void kiln_struct_copy_out(void *to, const void *from, size_t size)
{
    size_t wanted = size_of(to), known = wanted < size ? wanted : size;
    if (wanted <= sizeof wanted)
        return;
    memcpy((char *)to + sizeof wanted, (const char *)from + sizeof wanted, known - sizeof wanted);
    if (wanted > size)
        memset((char *)to + size, 0, wanted - size);
}
