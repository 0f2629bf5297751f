// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding a device: libraries are tried in order, each either gives a device of the wanted architecture or a reason why
// not, and all reasons end in the error when nothing is found.
//
// What is easily got wrong: a library that loads without a GPU is normal (Debian's does) and no reason to stop under
// KILN_DEVICE_AUTO.
#include "hip/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "base/versioned.h"

enum { HIP_INVALID_VALUE = 1 };

static const char *const kind_names[] = {
    [KILN_DEVICE_AUTO] = "auto", [KILN_DEVICE_HIP] = "hip", [KILN_DEVICE_SIM] = "sim"};

kiln_status_t kiln_device_kind_parse(const char *text, kiln_device_kind_t *out_kind)
{
    for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++)
        if (strcmp(text, kind_names[i]) == 0) {
            *out_kind = (kiln_device_kind_t)i;
            return KILN_OK;
        }
    return kiln_status_make(KILN_STATUS_USAGE, "unknown device '%s': sim, hip or auto is wanted", text);
}

const char *kiln_device_kind_name(kiln_device_kind_t kind)
{
    return kind_names[kind];
}

void kiln_device_options_initialize_sized(kiln_device_options_t *options, size_t struct_size)
{
    static const kiln_device_options_t defaults = {.kind = KILN_DEVICE_AUTO, .arch = "gfx942", .ordinal = -1};
    kiln_struct_initialize(options, struct_size, &defaults, sizeof defaults);
}

static char *arch_of(const char *target_id)
{
    return strndup(target_id, strcspn(target_id, ":"));
}

// Chooses the device of a loaded library. The reason of a failure is meant to stand behind the library's name.
static kiln_status_t choose_ordinal(const kiln_hip_t *hip, const kiln_device_options_t *options, int *out_ordinal)
{
    int error = hip->hipInit(0);
    for (size_t i = 0; !error && hip->kilnSimSetOption && i < options->sim_setting_count; i++)
        error = hip->kilnSimSetOption(options->sim_settings[i].name, options->sim_settings[i].value);
    // Only the simulator says why: one of its options is wrong.
    if (error == HIP_INVALID_VALUE && hip->kilnSimGetLastErrorMessage && *hip->kilnSimGetLastErrorMessage())
        return kiln_status_make(KILN_STATUS_USAGE, "%s", hip->kilnSimGetLastErrorMessage());
    KILN_TRY(kiln_hip_check(hip, error, "hipInit"));
    int count = 0;
    KILN_TRY(kiln_hip_check(hip, hip->hipGetDeviceCount(&count), "hipGetDeviceCount"));
    if (count <= 0)
        return kiln_status_make(KILN_STATUS_UNAVAILABLE, "it sees no device");
    if (options->ordinal >= count)
        return kiln_status_make(KILN_STATUS_UNAVAILABLE, "it has %d device%s, number %d is wanted", count,
                                count == 1 ? "" : "s", options->ordinal);
    kiln_string_t seen = {0};
    int first = options->ordinal >= 0 ? options->ordinal : 0,
        last = options->ordinal >= 0 ? options->ordinal : count - 1;
    for (int ordinal = first; ordinal <= last; ordinal++) {
        kiln_hip_properties_t properties;
        kiln_status_t status = kiln_hip_get_properties(hip, ordinal, &properties);
        if (status) {
            kiln_string_free(&seen);
            return status;
        }
        size_t length = strcspn(properties.gcn_arch_name, ":");
        if (length == strlen(options->arch) && strncmp(properties.gcn_arch_name, options->arch, length) == 0) {
            kiln_string_free(&seen);
            *out_ordinal = ordinal;
            return KILN_OK;
        }
        kiln_string_appendf(&seen, "%s%s", seen.length ? ", " : "", properties.gcn_arch_name);
    }
    char *text = kiln_string_take(&seen);
    kiln_status_t status =
        kiln_status_make(KILN_STATUS_UNAVAILABLE, "no %s device, only %s", options->arch, text ? text : "?");
    free(text);
    return status;
}

static kiln_status_t fill_properties(kiln_device_t *device, kiln_device_kind_t kind, int ordinal)
{
    const kiln_hip_t *hip = &device->hip;
    KILN_TRY(kiln_hip_get_properties(hip, ordinal, &device->raw));
    device->arch = arch_of(device->raw.gcn_arch_name);
    if (!device->arch)
        return kiln_status_out_of_memory();
    const kiln_hip_properties_t *raw = &device->raw;
    device->properties = (kiln_device_properties_t){
        .kind = kind,
        .name = raw->name,
        .arch = device->arch,
        .target_id = raw->gcn_arch_name,
        .library = hip->path,
        .ordinal = ordinal,
        .compute_units = (unsigned)raw->multiprocessor_count,
        .warp_size = (unsigned)raw->warp_size,
        .max_threads_per_group = (unsigned)raw->max_threads_per_block,
        .lds_bytes_per_group = raw->lds_per_block,
        .memory_bytes = raw->total_global_memory,
        .l2_bytes = (size_t)raw->l2_bytes,
        .clock_khz = (unsigned)raw->clock_khz,
        .memory_clock_khz = (unsigned)raw->memory_clock_khz,
        .memory_bus_bits = (unsigned)raw->memory_bus_bits,
    };
    // Versions are for reports only.
    if (!hip->hipDriverGetVersion || hip->hipDriverGetVersion(&device->properties.driver_version) != 0)
        device->properties.driver_version = 0;
    if (!hip->hipRuntimeGetVersion || hip->hipRuntimeGetVersion(&device->properties.runtime_version) != 0)
        device->properties.runtime_version = 0;
    device->key = kiln_string_print("%s:%s:%u:%s", device->arch, device->properties.name,
                                    device->properties.compute_units, kind_names[kind]);
    return device->key ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t open_library(const char *path, kiln_device_kind_t kind, const kiln_device_options_t *options,
                                  kiln_device_t **out_device)
{
    kiln_device_t *device = calloc(1, sizeof *device);
    if (!device)
        return kiln_status_out_of_memory();
    atomic_init(&device->references, 1);
    int ordinal = 0;
    kiln_status_t status = kiln_hip_load(path, &device->hip);
    if (!status)
        status = choose_ordinal(&device->hip, options, &ordinal);
    if (!status)
        status = fill_properties(device, kind, ordinal);
    if (status) {
        kiln_device_release(device);
        return status;
    }
    *out_device = device;
    return KILN_OK;
}

// The state of a search: what was tried, for the error.
typedef struct search {
    const kiln_device_options_t *options;
    kiln_status_t failure; // collects one note per library
    kiln_status_t usage;   // the simulator is there, but was asked for something that makes no sense
    kiln_device_t *device;
} search_t;

static void try_library(search_t *search, const char *path, kiln_device_kind_t kind)
{
    const kiln_device_options_t *options = search->options;
    kiln_status_t status = open_library(path, kind, options, &search->device);
    const char *result = status ? kiln_status_message(status) : "found";
    // dlopen's message begins with the path already.
    size_t length = strlen(path);
    if (strncmp(result, path, length) == 0 && strncmp(result + length, ": ", 2) == 0)
        result += length + 2;
    if (options->trace)
        options->trace(path, result, options->trace_user);
    if (status)
        search->failure = kiln_status_annotate(search->failure, "tried %s: %s", path, result);
    if (status && kiln_status_code(status) == KILN_STATUS_USAGE && !search->usage)
        search->usage = status;
    else
        kiln_status_free(status);
}

static void search_hip(search_t *search)
{
    if (search->options->hip_library) {
        try_library(search, search->options->hip_library, KILN_DEVICE_HIP);
        return;
    }
    for (const char *const *name = kiln_hip_library_names; *name && !search->device; name++)
        try_library(search, *name, KILN_DEVICE_HIP);
}

static void search_simulator(search_t *search)
{
    if (search->options->sim_library) {
        try_library(search, search->options->sim_library, KILN_DEVICE_SIM);
        return;
    }
    char *path;
    for (size_t i = 0; !search->device && (path = kiln_hip_simulator_path(i)); i++) {
        try_library(search, path, KILN_DEVICE_SIM);
        free(path);
    }
}

kiln_status_t kiln_device_open(const kiln_device_options_t *given, kiln_device_t **out_device)
{
    *out_device = NULL;
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    if (given)
        KILN_TRY(kiln_struct_take("kiln_device_options_t", &options, sizeof options, given));
    if (!options.arch)
        options.arch = "gfx942";
    search_t search = {.options = &options};
    search.failure = kiln_status_make(KILN_STATUS_UNAVAILABLE, "no %s device found (device=%s)", options.arch,
                                      kiln_device_kind_name(options.kind));
    if (options.kind != KILN_DEVICE_SIM)
        search_hip(&search);
    if (options.kind != KILN_DEVICE_HIP && !search.device)
        search_simulator(&search);
    if (!search.device && search.usage) {
        kiln_status_free(search.failure);
        return search.usage;
    }
    kiln_status_free(search.usage);
    if (!search.device)
        return search.failure;
    kiln_status_free(search.failure);
    *out_device = search.device;
    return KILN_OK;
}

kiln_device_t *kiln_device_retain(kiln_device_t *device)
{
    atomic_fetch_add_explicit(&device->references, 1, memory_order_relaxed);
    return device;
}

void kiln_device_release(kiln_device_t *device)
{
    if (!device || atomic_fetch_sub_explicit(&device->references, 1, memory_order_acq_rel) != 1)
        return;
    kiln_hip_unload(&device->hip);
    free(device->arch);
    free(device->key);
    free(device);
}

kiln_status_t kiln_device_synchronize(kiln_device_t *device)
{
    KILN_HIP_TRY(device, hipDeviceSynchronize, ());
    return KILN_OK;
}

const char *kiln_device_key(const kiln_device_t *device)
{
    return device->key;
}

const kiln_device_properties_t *kiln_device_properties(const kiln_device_t *device)
{
    return &device->properties;
}

const char *kiln_device_supported_checks(const kiln_device_t *device)
{
    const char *checks = device->hip.kilnSimGetSupportedChecks ? device->hip.kilnSimGetSupportedChecks() : NULL;
    return checks ? checks : "";
}
