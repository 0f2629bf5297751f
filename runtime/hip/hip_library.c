// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a HIP library with dlopen and converts its error codes to statuses.
#include "hip/hip_library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/string.h"

const char *const kiln_hip_library_names[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                              "libamdhip64.so.5", "libamdhip64.so", NULL};

// Next to libkiln-rt.so. If the runtime is linked into a program, such as the command, in the
// library directory next to the program's directory, in a build tree or installed.
static const char *const simulator_places[] = {KILN_SIM_FILE, "../lib/" KILN_SIM_FILE,
                                               "../" KILN_LIBDIR "/" KILN_SIM_FILE};

enum { REQUIRED, OPTIONAL };

typedef struct symbol_row {
    const char *name;
    int presence;
    size_t slot; // offset of the function pointer in kiln_hip_t
} symbol_row_t;

static const symbol_row_t symbol_rows[] = {
#define KILN_HIP_SYMBOL(presence, result, name, parameters)                                        \
    {#name, presence, offsetof(kiln_hip_t, name)},
#include "hip/hip_symbols.def"
#undef KILN_HIP_SYMBOL
};

// The file that a loaded symbol comes from, so that "libamdhip64.so.6" is reported as the path that
// the loader chose.
static char *path_of_symbol(void *symbol, const char *otherwise)
{
    Dl_info info;
    return strdup(dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : otherwise);
}

kiln_status_t kiln_hip_load(const char *path, kiln_hip_t *out_hip)
{
    *out_hip = (kiln_hip_t){0};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *reason = dlerror();
        return kiln_status_make(KILN_STATUS_UNAVAILABLE, "%s", reason ? reason : "dlopen failed");
    }
    for (size_t i = 0; i < sizeof symbol_rows / sizeof *symbol_rows; i++) {
        void *symbol = dlsym(library, symbol_rows[i].name);
        if (!symbol && symbol_rows[i].presence == REQUIRED) {
            dlclose(library);
            return kiln_status_make(KILN_STATUS_UNAVAILABLE, "%s: the symbol '%s' is missing", path,
                                    symbol_rows[i].name);
        }
        memcpy((char *)out_hip + symbol_rows[i].slot, &symbol, sizeof symbol);
    }
    void *any;
    memcpy(&any, &out_hip->hipInit, sizeof any);
    out_hip->path = path_of_symbol(any, path);
    dlclose(library); // the mapping stays: RTLD_NODELETE
    return out_hip->path ? KILN_OK : kiln_status_out_of_memory();
}

void kiln_hip_unload(kiln_hip_t *hip)
{
    free(hip->path);
    *hip = (kiln_hip_t){0};
}

// The directory of the file that contains this code, with symbolic links resolved and a trailing
// '/'; the caller frees it.
static char *own_directory(void)
{
    static const char here = 0;
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return NULL;
    // The loader has no name for the program itself, and dladdr only returns argv[0].
    char *path = realpath(map->l_name[0] ? map->l_name : "/proc/self/exe", NULL);
    if (path)
        path[kiln_path_base(path) - path] = '\0';
    return path;
}

char *kiln_hip_simulator_path(size_t index)
{
    char *directory =
        index < sizeof simulator_places / sizeof *simulator_places ? own_directory() : NULL;
    char *path = NULL;
    // If this library is in lib/, the second place equals the first; if libraries are installed in
    // lib/, the third equals the second.
    bool is_second = index == 1 && directory && kiln_string_ends_with(directory, "/lib/");
    bool is_third = index == 2 && strcmp(simulator_places[1], simulator_places[2]) == 0;
    if (directory && !is_second && !is_third)
        path = kiln_string_print("%s%s", directory, simulator_places[index]);
    free(directory);
    return path;
}

// HIP's error numbers for exhausted resources and missing things.
static kiln_status_code_t code_of(int error)
{
    switch (error) {
    case 2:   // hipErrorOutOfMemory
    case 701: // hipErrorLaunchOutOfResources
        return KILN_STATUS_OUT_OF_RESOURCES;
    case 100: // hipErrorNoDevice
        return KILN_STATUS_UNAVAILABLE;
    case 500: // hipErrorNotFound
        return KILN_STATUS_NOT_FOUND;
    default:
        return KILN_STATUS_DEVICE;
    }
}

kiln_status_t kiln_hip_check(const kiln_hip_t *hip, int error, const char *call)
{
    if (error == 0)
        return KILN_OK;
    const char *name = hip->hipGetErrorName(error), *text = hip->hipGetErrorString(error);
    // HIP keeps the error for the next hipGetLastError. Clear it, so that a later call is not
    // blamed for it. The simulator's explanation is copied first.
    const char *details =
        hip->kilnSimGetLastErrorMessage ? hip->kilnSimGetLastErrorMessage() : NULL;
    kiln_status_t status;
    if (details && *details)
        status = kiln_status_make(code_of(error), "%s: %s", call, details);
    else
        status =
            kiln_status_make(code_of(error), "%s failed: %s", call, text ? text : "unknown error");
    status = kiln_status_annotate(status, "HIP error %d, %s", error, name ? name : "unknown");
    if (hip->hipGetLastError)
        hip->hipGetLastError();
    return status;
}

kiln_status_t kiln_hip_get_properties(const kiln_hip_t *hip, int ordinal,
                                      kiln_hip_properties_t *out_properties)
{
    *out_properties = (kiln_hip_properties_t){0};
    // The buffer is larger than both structs, with room for members that later releases may append.
    size_t size = 8192;
    char *raw = calloc(1, size);
    if (!raw)
        return kiln_status_out_of_memory();
    kiln_status_t status;
    if (hip->hipGetDevicePropertiesR0600) {
        status = kiln_hip_check(hip, hip->hipGetDevicePropertiesR0600(raw, ordinal),
                                "hipGetDevicePropertiesR0600");
#define KILN_HIP_PROPERTY(field, type, offset_r0000, offset_r0600)                                 \
    memcpy(&out_properties->field, raw + offset_r0600, sizeof(type));
#include "hip/hip_properties.def"
#undef KILN_HIP_PROPERTY
    } else {
        status = kiln_hip_check(hip, hip->hipGetDeviceProperties(raw, ordinal),
                                "hipGetDeviceProperties");
#define KILN_HIP_PROPERTY(field, type, offset_r0000, offset_r0600)                                 \
    memcpy(&out_properties->field, raw + offset_r0000, sizeof(type));
#include "hip/hip_properties.def"
#undef KILN_HIP_PROPERTY
    }
    out_properties->name[255] = '\0';
    out_properties->gcn_arch_name[255] = '\0';
    free(raw);
    return status;
}
