// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a device. Libraries are tried in order; each either has a device of the wanted architecture
// or a reason why not. If no library has one, the error lists all reasons.
//
// A library that loads without a GPU is normal (Debian's does), so it does not end the search under
// KILN_DEVICE_AUTO.
#include "hip/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/require.h"
#include "base/string.h"

enum { HIP_INVALID_VALUE = 1 };

static const char *const kind_names[] = {
    [KILN_DEVICE_AUTO] = "auto", [KILN_DEVICE_HIP] = "hip", [KILN_DEVICE_SIM] = "sim"};

kiln_status_t kiln_device_kind_parse(const char *text, kiln_device_kind_t *out_kind)
{
    KILN_REQUIRE_OUT(out_kind);
    KILN_REQUIRE(text);
    for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++)
        if (strcmp(text, kind_names[i]) == 0) {
            *out_kind = (kiln_device_kind_t)i;
            return KILN_OK;
        }
    return kiln_status_make(KILN_STATUS_USAGE, "unknown device '%s'; expected sim, hip or auto",
                            text);
}

const char *kiln_device_kind_name(kiln_device_kind_t kind)
{
    return (unsigned)kind < sizeof kind_names / sizeof *kind_names ? kind_names[kind] : NULL;
}

void kiln_device_options_initialize_sized(kiln_device_options_t *options, size_t struct_size)
{
    static const kiln_device_options_t defaults = {
        .kind = KILN_DEVICE_AUTO, .arch = "gfx942", .ordinal = -1};
    kiln_struct_initialize(options, struct_size, &defaults, sizeof defaults);
}

static char *arch_of(const char *target_id)
{
    return strndup(target_id, strcspn(target_id, ":"));
}

// Only the simulator gives a reason for this error: one of its options is invalid.
static kiln_status_t check_options(const kiln_hip_t *hip, int error, const char *call)
{
    if (error == HIP_INVALID_VALUE && hip->kilnSimGetLastErrorMessage &&
        *hip->kilnSimGetLastErrorMessage())
        return kiln_status_make(KILN_STATUS_USAGE, "%s", hip->kilnSimGetLastErrorMessage());
    return kiln_hip_check(hip, error, call);
}

// Gives the device its own options, which affect neither the process's own calls nor other devices.
static kiln_status_t override_options(kiln_device_t *device, int ordinal,
                                      const kiln_device_options_t *options)
{
    const kiln_hip_t *hip = &device->hip;
    if (!hip->kilnSimOverridesCreate || !hip->kilnSimOverridesSet || !hip->kilnSimOverridesUse ||
        !hip->kilnSimOverridesRelease)
        return KILN_OK; // a GPU, which has no options
    KILN_TRY(check_options(hip, hip->kilnSimOverridesCreate(ordinal, &device->overrides),
                           "kilnSimOverridesCreate"));
    // Kernels run synchronously, so that Kiln's launch itself returns the errors of its kernel.
    int error = hip->kilnSimOverridesSet(device->overrides, "async", "0");
    for (size_t i = 0; !error && i < options->sim_setting_count; i++)
        error = hip->kilnSimOverridesSet(device->overrides, options->sim_settings[i].name,
                                         options->sim_settings[i].value);
    return check_options(hip, error, "kilnSimOverridesSet");
}

// Initializes a loaded library and counts its devices.
static kiln_status_t count_devices(const kiln_hip_t *hip, int *out_count)
{
    KILN_TRY(check_options(hip, hip->hipInit(0), "hipInit"));
    *out_count = 0;
    KILN_TRY(kiln_hip_check(hip, hip->hipGetDeviceCount(out_count), "hipGetDeviceCount"));
    if (*out_count <= 0)
        return kiln_status_make(KILN_STATUS_UNAVAILABLE, "it has no devices");
    return KILN_OK;
}

// Chooses a device of a loaded library. A failure's message is worded to follow the library's name.
static kiln_status_t choose_ordinal(const kiln_hip_t *hip, const kiln_device_options_t *options,
                                    int *out_ordinal)
{
    int count;
    KILN_TRY(count_devices(hip, &count));
    if (options->ordinal >= count)
        return kiln_status_make(KILN_STATUS_UNAVAILABLE,
                                "it has %d device%s, but number %d was requested", count,
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
        if (length == strlen(options->arch) &&
            strncmp(properties.gcn_arch_name, options->arch, length) == 0) {
            kiln_string_free(&seen);
            *out_ordinal = ordinal;
            return KILN_OK;
        }
        kiln_string_appendf(&seen, "%s%s", seen.length ? ", " : "", properties.gcn_arch_name);
    }
    char *text = kiln_string_take(&seen);
    kiln_status_t status = kiln_status_make(KILN_STATUS_UNAVAILABLE, "no %s device, only %s",
                                            options->arch, text ? text : "?");
    free(text);
    return status;
}

static kiln_status_t fill_properties(kiln_device_t *device, kiln_device_kind_t kind, int ordinal)
{
    const kiln_hip_t *hip = &device->hip;
    void *before = kiln_device_enter(device);
    kiln_status_t status = kiln_hip_get_properties(hip, ordinal, &device->raw);
    kiln_device_leave(device, before);
    KILN_TRY(status);
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
        .max_threads_per_compute_unit = (unsigned)raw->max_threads_per_unit,
        .registers_per_group = (unsigned)raw->registers_per_block,
        .pci_domain = (unsigned)raw->pci_domain,
        .pci_bus = (unsigned)raw->pci_bus,
        .pci_device = (unsigned)raw->pci_device,
    };
    // Missing version functions are not an error, since versions are only reported.
    if (!hip->hipDriverGetVersion ||
        hip->hipDriverGetVersion(&device->properties.driver_version) != 0)
        device->properties.driver_version = 0;
    if (!hip->hipRuntimeGetVersion ||
        hip->hipRuntimeGetVersion(&device->properties.runtime_version) != 0)
        device->properties.runtime_version = 0;
    device->key = kiln_string_print("%s:%s:%u:%s", device->arch, device->properties.name,
                                    device->properties.compute_units, kind_names[kind]);
    return device->key ? KILN_OK : kiln_status_out_of_memory();
}

// Creates a device of a loaded library. Takes ownership of `hip`, even on failure.
static kiln_status_t make_device(kiln_hip_t *hip, kiln_device_kind_t kind, int ordinal,
                                 const kiln_device_options_t *options, kiln_device_t **out_device)
{
    kiln_device_t *device = calloc(1, sizeof *device);
    if (!device) {
        kiln_hip_unload(hip);
        return kiln_status_out_of_memory();
    }
    atomic_init(&device->references, 1);
    device->hip = *hip;
    kiln_status_t status = override_options(device, ordinal, options);
    if (!status)
        status = fill_properties(device, kind, ordinal);
    if (status)
        kiln_device_release(device);
    else
        *out_device = device;
    return status;
}

static kiln_status_t open_library(const char *path, kiln_device_kind_t kind,
                                  const kiln_device_options_t *options, kiln_device_t **out_device)
{
    kiln_hip_t hip;
    int ordinal = 0;
    KILN_TRY(kiln_hip_load(path, &hip));
    kiln_status_t status = choose_ordinal(&hip, options, &ordinal);
    if (status) {
        kiln_hip_unload(&hip);
        return status;
    }
    return make_device(&hip, kind, ordinal, options, out_device);
}

// Candidate libraries -----------------------------------------------------------------------------

// Calls `visit` for each library that the options allow, until `visit` returns that it has enough.
static void each_library(const kiln_device_options_t *options,
                         bool (*visit)(const char *path, kiln_device_kind_t kind, void *user),
                         void *user)
{
    if (options->kind != KILN_DEVICE_SIM) {
        const char *const only[] = {options->hip_library, NULL};
        for (const char *const *name = only[0] ? only : kiln_hip_library_names; *name; name++)
            if (visit(*name, KILN_DEVICE_HIP, user))
                return;
    }
    if (options->kind == KILN_DEVICE_HIP)
        return;
    if (options->sim_library) {
        visit(options->sim_library, KILN_DEVICE_SIM, user);
        return;
    }
    char *path;
    bool has_enough = false;
    for (size_t i = 0; !has_enough && (path = kiln_hip_simulator_path(i)); i++) {
        has_enough = visit(path, KILN_DEVICE_SIM, user);
        free(path);
    }
}

static kiln_status_t take_options(const char *function, const kiln_device_options_t *options,
                                  kiln_device_options_t *out_options)
{
    kiln_device_options_initialize(out_options);
    if (options)
        KILN_TRY(kiln_struct_take(function, "options", "kiln_device_options_t", out_options,
                                  sizeof *out_options, options));
    if ((unsigned)out_options->kind >= sizeof kind_names / sizeof *kind_names)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "%s: options->kind is %d, which is not a kiln_device_kind_t",
                                function, (int)out_options->kind);
    if (out_options->ordinal < -1)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "%s: options->ordinal is %d, expected -1 or more", function,
                                out_options->ordinal);
    if (!out_options->arch)
        out_options->arch = "gfx942";
    if (out_options->sim_setting_count && !out_options->sim_settings)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "%s: options->sim_settings is NULL and sim_setting_count is %zu",
                                function, out_options->sim_setting_count);
    for (size_t i = 0; i < out_options->sim_setting_count; i++)
        if (!out_options->sim_settings[i].name || !out_options->sim_settings[i].value)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "%s: options->sim_settings[%zu] contains a NULL", function, i);
    return KILN_OK;
}

// Opening -----------------------------------------------------------------------------------------

// The state of a search, including the failures of tried libraries for the error message.
typedef struct search {
    const kiln_device_options_t *options;
    kiln_status_t failure; // collects one note per library
    kiln_status_t usage;   // the simulator was found, but its options are invalid
    kiln_device_t *device;
} search_t;

static bool try_library(const char *path, kiln_device_kind_t kind, void *user)
{
    search_t *search = user;
    const kiln_device_options_t *options = search->options;
    kiln_status_t status = open_library(path, kind, options, &search->device);
    const char *result = status ? kiln_status_message(status) : "found";
    // dlopen's message already begins with the path.
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
    return search->device != NULL;
}

kiln_status_t kiln_device_open(const kiln_device_options_t *options, kiln_device_t **out_device)
{
    KILN_REQUIRE_OUT(out_device);
    kiln_device_options_t taken;
    KILN_TRY(take_options(__func__, options, &taken));
    search_t search = {.options = &taken};
    search.failure = kiln_status_make(KILN_STATUS_UNAVAILABLE, "no %s device found (device=%s)",
                                      taken.arch, kiln_device_kind_name(taken.kind));
    each_library(&taken, try_library, &search);
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

// Listing -----------------------------------------------------------------------------------------

struct kiln_device_list {
    kiln_device_t **devices;
    size_t count, capacity;
};

typedef struct listing {
    const kiln_device_options_t *options;
    kiln_device_list_t *list;
    kiln_status_t failure; // other than a missing library or one without devices
} listing_t;

static bool contains(const kiln_device_list_t *list, const char *path)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->devices[i]->properties.library, path) == 0)
            return true;
    return false;
}

static kiln_status_t add_device(kiln_device_list_t *list, const char *path, kiln_device_kind_t kind,
                                int ordinal, const kiln_device_options_t *options)
{
    if (!KILN_ARRAY_RESERVE(&list->devices, &list->capacity, list->count + 1))
        return kiln_status_out_of_memory();
    kiln_hip_t hip;
    KILN_TRY(kiln_hip_load(path, &hip));
    KILN_TRY(make_device(&hip, kind, ordinal, options, &list->devices[list->count]));
    list->count++;
    return KILN_OK;
}

// One library often has several names, so libraries are identified by their file.
static bool list_library(const char *path, kiln_device_kind_t kind, void *user)
{
    listing_t *listing = user;
    kiln_hip_t hip;
    int count = 0;
    kiln_status_t status = kiln_hip_load(path, &hip);
    if (!status) {
        status = contains(listing->list, hip.path) ? KILN_OK : count_devices(&hip, &count);
        for (int i = 0; !status && i < count; i++)
            status = add_device(listing->list, path, kind, i, listing->options);
        kiln_hip_unload(&hip);
    }
    if (listing->options->trace)
        listing->options->trace(path, status ? kiln_status_message(status) : "found",
                                listing->options->trace_user);
    if (kiln_status_code(status) == KILN_STATUS_UNAVAILABLE) {
        kiln_status_free(status);
        status = KILN_OK;
    }
    listing->failure = status;
    return status != KILN_OK;
}

kiln_status_t kiln_device_list_create(const kiln_device_options_t *options,
                                      kiln_device_list_t **out_list)
{
    KILN_REQUIRE_OUT(out_list);
    kiln_device_options_t taken;
    KILN_TRY(take_options(__func__, options, &taken));
    listing_t listing = {.options = &taken, .list = calloc(1, sizeof *listing.list)};
    if (!listing.list)
        return kiln_status_out_of_memory();
    each_library(&taken, list_library, &listing);
    if (listing.failure) {
        kiln_device_list_release(listing.list);
        return listing.failure;
    }
    *out_list = listing.list;
    return KILN_OK;
}

void kiln_device_list_release(kiln_device_list_t *list)
{
    for (size_t i = 0; list && i < list->count; i++)
        kiln_device_release(list->devices[i]);
    if (list)
        free(list->devices);
    free(list);
}

size_t kiln_device_list_count(const kiln_device_list_t *list)
{
    return list ? list->count : 0;
}

const kiln_device_properties_t *kiln_device_list_item(const kiln_device_list_t *list, size_t index)
{
    return index < kiln_device_list_count(list) ? &list->devices[index]->properties : NULL;
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
    if (device->overrides)
        device->hip.kilnSimOverridesRelease(device->overrides);
    kiln_hip_unload(&device->hip);
    free(device->arch);
    free(device->key);
    free(device);
}

kiln_status_t kiln_device_synchronize(kiln_device_t *device)
{
    KILN_REQUIRE(device);
    KILN_HIP_TRY(device, hipDeviceSynchronize, ());
    return KILN_OK;
}

const char *kiln_device_key(const kiln_device_t *device)
{
    return device ? device->key : NULL;
}

const kiln_device_properties_t *kiln_device_properties(const kiln_device_t *device)
{
    return device ? &device->properties : NULL;
}

const char *kiln_device_supported_checks(const kiln_device_t *device)
{
    const char *checks = device && device->hip.kilnSimGetSupportedChecks
                             ? device->hip.kilnSimGetSupportedChecks()
                             : NULL;
    return checks ? checks : "";
}
