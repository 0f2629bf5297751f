// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One HIP library, loaded at run time: a struct of function pointers generated from
// hip_symbols.def.
//
// The library is never unloaded, because ROCm starts threads and registers exit handlers that do
// not survive dlclose.
#ifndef KILN_HIP_LIBRARY_H
#define KILN_HIP_LIBRARY_H

#include <stddef.h>

#include "kiln/sim.h"
#include "kiln/status.h"

typedef struct kiln_hip {
    char *path; // the file that was loaded
#define KILN_HIP_SYMBOL(presence, result, name, parameters) result(*name) parameters;
#include "hip/hip_symbols.def"
#undef KILN_HIP_SYMBOL
} kiln_hip_t;

// Properties in Kiln's form, independent of the layout that the library fills.
typedef char name256_t[256];
typedef struct kiln_hip_properties {
#define KILN_HIP_PROPERTY(field, type, offset_r0000, offset_r0600) type field;
#include "hip/hip_properties.def"
#undef KILN_HIP_PROPERTY
} kiln_hip_properties_t;

// Loads one library by path or soname and resolves its symbols. UNAVAILABLE with the loader's
// reason.
kiln_status_t kiln_hip_load(const char *path, kiln_hip_t *out_hip);
void kiln_hip_unload(kiln_hip_t *hip);

// NULL-terminated: the names under which AMD ships the library, newest first.
extern const char *const kiln_hip_library_names[];

// Candidate `index` for the path of the simulator near this library; NULL after the last. The
// caller frees the path.
char *kiln_hip_simulator_path(size_t index);

// KILN_OK for hipSuccess, otherwise a failure that names the call, HIP's error and, on the
// simulator, its explanation.
kiln_status_t kiln_hip_check(const kiln_hip_t *hip, int error, const char *call);

kiln_status_t kiln_hip_get_properties(const kiln_hip_t *hip, int ordinal,
                                      kiln_hip_properties_t *out_properties);

#endif
