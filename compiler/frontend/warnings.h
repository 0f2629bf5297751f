// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which warnings are told, and which of them are errors: what flags like a C compiler's say of warnings.def.
//
// What is easily got wrong: flags count in their order, but for -w, and for -Werror, which an -Wno-error=NAME before or
// behind it excepts.
#ifndef KILN_FRONTEND_WARNINGS_H
#define KILN_FRONTEND_WARNINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "kiln/status.h"

typedef enum kiln_warning_id {
#define KILN_WARNING(id, name, group, what) KILN_WARNING_##id,
#include "warnings.def"
#undef KILN_WARNING
    KILN_WARNING_COUNT
} kiln_warning_id_t;

// A bit for each id.
typedef struct kiln_warnings {
    uint64_t told, errors;
} kiln_warnings_t;

// Reads "-Wall", "-Wno-spills", "-Werror", "-Werror=spills", "-w", "-Rkiln" … over the defaults. KILN_STATUS_USAGE names
// the flag that is none.
kiln_status_t kiln_warnings_read(const char *const *flags, size_t count, kiln_warnings_t *out);

static inline bool kiln_warning_is_told(const kiln_warnings_t *warnings, kiln_warning_id_t id)
{
    return warnings->told >> id & 1;
}
static inline bool kiln_warning_is_error(const kiln_warnings_t *warnings, kiln_warning_id_t id)
{
    return warnings->errors >> id & 1;
}

// What stands behind the message: "-Wspills", or "-Werror,-Wspills"; "-Rkiln".
const char *kiln_warning_flag(kiln_warning_id_t id, bool is_error);

bool kiln_warning_is_remark(kiln_warning_id_t id);

// For helps: what it tells of, and when: "on", "with -Wall" …
const char *kiln_warning_what(kiln_warning_id_t id);
const char *kiln_warning_when(kiln_warning_id_t id);

#endif
