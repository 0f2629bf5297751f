// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes the flags of warnings.def, and prints their help.
#include "diagnostics/warnings.h"

#include <string.h>

#include "base/suggest.h"

typedef enum group { DEFAULT = 1, ALL = 2, EXTRA = 4, REMARK = 8 } group_t;

static const struct {
    const char *name, *flag, *error_flag;
    group_t group;
    const char *what;
} rows[KILN_WARNING_COUNT] = {
#define FLAG_DEFAULT "-W"
#define FLAG_ALL "-W"
#define FLAG_EXTRA "-W"
#define FLAG_REMARK "-R"
#define KILN_WARNING(id, name, group, what)                                                        \
    {name, FLAG_##group name, "-Werror," FLAG_##group name, group, what},
#include "diagnostics/warnings.def"
#undef KILN_WARNING
};

static const struct {
    const char *name;
    unsigned groups;
} groups[] = {{"all", DEFAULT | ALL}, {"extra", EXTRA}, {"everything", DEFAULT | ALL | EXTRA}};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

_Static_assert(KILN_WARNING_COUNT <= 64, "kiln_warnings_t has a bit for each");

static uint64_t bits_of(unsigned wanted)
{
    uint64_t bits = 0;
    for (int i = 0; i < KILN_WARNING_COUNT; i++)
        if (rows[i].group & wanted)
            bits |= (uint64_t)1 << i;
    return bits;
}

// The warnings that a name selects; 0 if none.
static uint64_t find(const char *name, unsigned among)
{
    for (int i = 0; i < GROUP_COUNT; i++)
        if (among != REMARK && strcmp(groups[i].name, name) == 0)
            return bits_of(groups[i].groups);
    if (among == REMARK && strcmp(name, rows[KILN_WARNING_FINDINGS].name) == 0)
        return bits_of(REMARK);
    for (int i = 0; i < KILN_WARNING_COUNT; i++)
        if ((rows[i].group & among) && strcmp(rows[i].name, name) == 0)
            return (uint64_t)1 << i;
    return 0;
}

static kiln_status_t refuse(const char *flag, const char *name, unsigned among)
{
    kiln_suggestion_t near = kiln_suggestion(name);
    for (int i = 0; i < GROUP_COUNT; i++)
        if (among != REMARK)
            kiln_suggestion_consider(&near, groups[i].name);
    for (int i = 0; i < KILN_WARNING_COUNT; i++)
        if (rows[i].group & among)
            kiln_suggestion_consider(&near, rows[i].name);
    return kiln_status_make(KILN_STATUS_USAGE, "'%s': unknown %s '%s'%s", flag,
                            among == REMARK ? "remark" : "warning", name,
                            kiln_suggestion_advice(&near).text);
}

typedef struct reading {
    uint64_t enabled, errors, exempt; // errors by name; those exempt from -Werror
    bool silent, all_errors;
} reading_t;

static const char *skip(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

static kiln_status_t read_one(reading_t *reading, const char *flag)
{
    const unsigned warnings = DEFAULT | ALL | EXTRA;
    const char *name, *rest;
    if (strcmp(flag, "-w") == 0) {
        reading->silent = true;
        return KILN_OK;
    }
    if ((name = skip(flag, "-R"))) {
        rest = skip(name, "no-");
        uint64_t bits = find(rest ? rest : name, REMARK);
        reading->enabled = rest ? reading->enabled & ~bits : reading->enabled | bits;
        return bits ? KILN_OK : refuse(flag, rest ? rest : name, REMARK);
    }
    if (!(name = skip(flag, "-W")))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "expected a warning flag (-W…, -R… or -w), got '%s'", flag);
    if (strcmp(name, "error") == 0 || strcmp(name, "no-error") == 0) {
        reading->all_errors = *name == 'e';
        return KILN_OK;
    }
    if ((rest = skip(name, "error="))) {
        uint64_t bits = find(rest, warnings);
        reading->enabled |= bits;
        reading->errors |= bits;
        reading->exempt &= ~bits;
        return bits ? KILN_OK : refuse(flag, rest, warnings);
    }
    if ((rest = skip(name, "no-error="))) {
        uint64_t bits = find(rest, warnings);
        reading->errors &= ~bits;
        reading->exempt |= bits;
        return bits ? KILN_OK : refuse(flag, rest, warnings);
    }
    rest = skip(name, "no-");
    uint64_t bits = find(rest ? rest : name, warnings);
    reading->enabled = rest ? reading->enabled & ~bits : reading->enabled | bits;
    return bits ? KILN_OK : refuse(flag, rest ? rest : name, warnings);
}

kiln_status_t kiln_warnings_read(const char *const *flags, size_t count, kiln_warnings_t *out)
{
    reading_t reading = {.enabled = bits_of(DEFAULT)};
    for (size_t i = 0; i < count; i++)
        KILN_TRY(read_one(&reading, flags[i]));
    if (reading.all_errors)
        reading.errors |= bits_of(DEFAULT | ALL | EXTRA) & ~reading.exempt;
    if (reading.silent)
        reading.enabled &= bits_of(REMARK);
    *out =
        (kiln_warnings_t){.enabled = reading.enabled, .errors = reading.errors & reading.enabled};
    return KILN_OK;
}

const char *kiln_warning_flag(kiln_warning_id_t id, bool is_error)
{
    return is_error ? rows[id].error_flag : rows[id].flag;
}

bool kiln_warning_is_remark(kiln_warning_id_t id)
{
    return rows[id].group == REMARK;
}

const char *kiln_warning_what(kiln_warning_id_t id)
{
    return rows[id].what;
}

const char *kiln_warning_when(kiln_warning_id_t id)
{
    static const char *const when[] = {
        [DEFAULT] = "on", [ALL] = "with -Wall", [EXTRA] = "with -Wextra", [REMARK] = "off"};
    return when[rows[id].group];
}
