// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags in the style of C compilers that enable warnings of warnings.def and make them errors.
//
// Flags apply in order, with two exceptions: -w, and -Werror, from which -Wno-error=NAME before or
// after it exempts a warning.
#ifndef KILN_FRONTEND_WARNINGS_H
#define KILN_FRONTEND_WARNINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "kiln/status.h"

typedef enum kiln_warning_id {
#define KILN_WARNING(id, name, group, what) KILN_WARNING_##id,
#include "diagnostics/warnings.def"
#undef KILN_WARNING
    KILN_WARNING_COUNT
} kiln_warning_id_t;

// One bit per id.
typedef struct kiln_warnings {
    uint64_t enabled, errors;
} kiln_warnings_t;

// Reads "-Wall", "-Wno-spills", "-Werror", "-Werror=spills", "-w", "-Rkiln" … starting from the
// defaults. KILN_STATUS_USAGE names an unknown flag.
kiln_status_t kiln_warnings_read(const char *const *flags, size_t count, kiln_warnings_t *out);

static inline bool kiln_warning_is_enabled(const kiln_warnings_t *warnings, kiln_warning_id_t id)
{
    return warnings->enabled >> id & 1;
}
static inline bool kiln_warning_is_error(const kiln_warnings_t *warnings, kiln_warning_id_t id)
{
    return warnings->errors >> id & 1;
}

// The suffix of the message: "-Wspills", or "-Werror,-Wspills"; "-Rkiln".
const char *kiln_warning_flag(kiln_warning_id_t id, bool is_error);

bool kiln_warning_is_remark(kiln_warning_id_t id);

// For help texts: what it reports, and when: "on", "with -Wall" …
const char *kiln_warning_what(kiln_warning_id_t id);
const char *kiln_warning_when(kiln_warning_id_t id);

#endif
