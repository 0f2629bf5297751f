// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads files of measured parameters (timing/parameters.h).
#include "timing/parameters.h"

#include "base/open_regular.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const kiln_timing_parameters_t kiln_timing_constants = {
#define KILN_TIMING_MEASURED(name, min, max) .name = KILN_TIMING_##name,
#include "timing/measured.def"
#undef KILN_TIMING_MEASURED
};

static const struct {
    const char *name;
    size_t offset;
    long min, max;
} measured[] = {
#define KILN_TIMING_MEASURED(name, min, max)                                                       \
    {#name, offsetof(kiln_timing_parameters_t, name), min, max},
#include "timing/measured.def"
#undef KILN_TIMING_MEASURED
};
enum { COUNT = sizeof measured / sizeof *measured };

static bool is_parameter(const char *name)
{
    static const char *const all[] = {
#define KILN_TIMING_PARAMETER(name, value, unit, mark, source) #name,
#include "timing/parameters.def"
#undef KILN_TIMING_PARAMETER
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i], name) == 0)
            return true;
    return false;
}

typedef struct place {
    const char *path;
    unsigned line;
    bool seen[COUNT];
} place_t;

static bool fail(const place_t *at, const char *what, const char *name, kiln_sim_error_t *error)
{
    return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "KILN_SIM_PARAMETERS: %s:%u: %s '%s'",
                         at->path, at->line, what, name);
}

static bool read_line(place_t *at, char *line, kiln_timing_parameters_t *out,
                      kiln_sim_error_t *error)
{
    static const char blanks[] = " \t\r\n";
    char *rest, *end;
    line[strcspn(line, "#")] = 0;
    const char *name = strtok_r(line, blanks, &rest), *text = strtok_r(NULL, blanks, &rest);
    if (!name)
        return true;
    if (!text || strtok_r(NULL, blanks, &rest))
        return fail(at, "expected NAME VALUE, got", name, error);
    size_t i = 0;
    while (i < COUNT && strcmp(measured[i].name, name) != 0)
        i++;
    if (i == COUNT)
        return fail(at,
                    is_parameter(name) ? "this parameter cannot be measured:" : "unknown parameter",
                    name, error);
    if (at->seen[i])
        return fail(at, "second value for", name, error);
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (*end || errno || value < measured[i].min || value > measured[i].max)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "KILN_SIM_PARAMETERS: %s:%u: %s: expected a number from %ld to %ld, "
                             "got '%s'",
                             at->path, at->line, name, measured[i].min, measured[i].max, text);
    at->seen[i] = true;
    const int number = (int)value;
    memcpy((char *)out + measured[i].offset, &number, sizeof number);
    return true;
}

bool kiln_timing_parameters_read(const char *path, kiln_timing_parameters_t *out,
                                 kiln_sim_error_t *error)
{
    place_t at = {.path = path};
    char line[512];
    *out = kiln_timing_constants;
    FILE *file = kiln_open_regular(path);
    if (!file)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "KILN_SIM_PARAMETERS: cannot open '%s': %s", path, strerror(errno));
    bool good = true;
    while (good && fgets(line, sizeof line, file)) {
        at.line++;
        good = read_line(&at, line, out, error);
    }
    if (good && ferror(file))
        good = kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "KILN_SIM_PARAMETERS: cannot read '%s'",
                             path);
    fclose(file);
    return good;
}
