// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln doctor: reports the devices, libraries, stores and settings on this machine, as text for bug
// reports.
//
// Everything is first gathered as JSON, from which the text is printed, so that --json has the same
// contents.
//
// Missing parts such as a GPU or a cache directory are reported, but are not errors; the exit code
// is 3 only on a machine without any device, including the simulator.
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "cli/device_flags.h"
#include "cli/json_text.h"
#include "cli/pages.h"
#include "cli/verbs.h"
#include "kiln/jit.h"
#include "kiln/kiln.h"
#include "kiln/tune.h"

// Gathering ---------------------------------------------------------------------------------------

// JSON is built without a check of each allocation: jansson's functions accept NULL and fail, and
// the result is checked once at the end.
static json_t *text(const char *string)
{
    return kiln_json_text(string);
}

static void add_attempt(const char *path, const char *result, void *user)
{
    json_array_append_new(user, json_pack("{s:o,s:o}", "path", text(path), "result", text(result)));
}

static json_t *gather_device(const kiln_device_t *opened)
{
    const kiln_device_properties_t *device = kiln_device_properties(opened);
    json_t *checks = json_array();
    for (const char *at = kiln_device_supported_checks(opened); *at;
         at += strcspn(at, ","), at += *at == ',')
        json_array_append_new(checks, json_stringn(at, strcspn(at, ",")));
    return json_pack("{s:s,s:s,s:I,s:I,s:I,s:s,s:i,s:i,s:o}", "name", device->name, "target_id",
                     device->target_id, "compute_units", (json_int_t)device->compute_units,
                     "lds_bytes", (json_int_t)device->lds_bytes_per_group, "memory_bytes",
                     (json_int_t)device->memory_bytes, "library", device->library, "driver_version",
                     device->driver_version, "runtime_version", device->runtime_version, "checks",
                     checks);
}

// Tries one kind of device: {"tried": […], "device": {…} or null, "error": why not}.
static json_t *gather_kind(kiln_device_kind_t kind)
{
    json_t *tried = json_array();
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = kind;
    options.hip_library = kiln_environment("KILN_HIP_LIBRARY");
    options.trace = add_attempt;
    options.trace_user = tried;
    options.sim_settings = kiln_simulator_settings(&options.sim_setting_count);
    kiln_device_t *device;
    kiln_status_t status = kiln_device_open(&options, &device);
    const bool has_reason = status && kiln_status_code(status) != KILN_STATUS_UNAVAILABLE;
    json_t *found = json_pack("{s:o,s:o,s:o}", "tried", tried, "device",
                              status ? json_null() : gather_device(device), "error",
                              has_reason ? text(kiln_status_message(status)) : json_null());
    kiln_status_free(status);
    kiln_device_release(device);
    return found;
}

static bool has_device(const json_t *root, const char *kind)
{
    return json_is_object(json_object_get(json_object_get(root, kind), "device"));
}

// Which device `kiln run` would use; returns the exit code.
static int gather_choice(json_t *root)
{
    const char *wanted = kiln_environment("KILN_DEVICE"), *chosen = NULL;
    kiln_device_kind_t kind = KILN_DEVICE_AUTO;
    const bool interp = kiln_uses_interp();
    kiln_status_t status = wanted && !interp ? kiln_device_kind_parse(wanted, &kind) : KILN_OK;
    if (interp)
        chosen = "interp";
    else if (!status && kind != KILN_DEVICE_SIM && has_device(root, "hip"))
        chosen = "hip";
    else if (!status && kind != KILN_DEVICE_HIP && has_device(root, "sim"))
        chosen = "sim";
    json_object_set_new(root, "wanted",
                        text(interp   ? "interp"
                             : status ? wanted
                                      : kiln_device_kind_name(kind)));
    json_object_set_new(root, "in_use", text(chosen));
    json_object_set_new(root, "error", status ? text(kiln_status_message(status)) : json_null());
    const int code = status ? 2 : chosen ? 0 : 3;
    kiln_status_free(status);
    return code;
}

typedef struct count {
    size_t count;
    uint64_t bytes;
} count_t;

static kiln_status_t count_entry(const kiln_cache_entry_t *entry, void *user)
{
    count_t *kept = user;
    kept->count++;
    kept->bytes += entry->size;
    return KILN_OK;
}

// {"directory": null} if it is unknown; {"directory", "missing": why} if it does not exist.
static json_t *gather_cache(void)
{
    char *directory = kiln_cache_directory();
    json_t *cache = json_pack("{s:o}", "directory", text(directory));
    struct stat info;
    if (directory && stat(directory, &info) != 0) {
        json_object_set_new(cache, "missing",
                            text(errno == ENOENT ? "does not exist" : strerror(errno)));
    } else if (directory) {
        char mode[8];
        snprintf(mode, sizeof mode, "%04o", (unsigned)(info.st_mode & 07777));
        kiln_status_t status = kiln_cache_check(directory);
        const char *limit = kiln_environment("KILN_CACHE_SIZE");
        count_t kept = {0};
        kiln_status_t unread = kiln_cache_visit(directory, count_entry, &kept);
        if (status)
            kiln_status_free(unread);
        else
            status = unread;
        json_object_set_new(cache, "mode", text(mode));
        json_object_set_new(cache, "owner", json_integer(info.st_uid));
        json_object_set_new(cache, "problem",
                            status ? text(kiln_status_message(status)) : json_null());
        json_object_set_new(cache, "kernels", json_integer((json_int_t)kept.count));
        json_object_set_new(cache, "bytes", json_integer((json_int_t)kept.bytes));
        json_object_set_new(cache, "limit", text(limit ? limit : "1g"));
        kiln_status_free(status);
    }
    free(directory);
    return cache;
}

// Rows of a store: those of this Kiln, which are used, and of others.
typedef struct rows {
    size_t used, other;
} rows_t;

static kiln_status_t count_row(const kiln_tune_record_t *record, void *user)
{
    rows_t *rows = user;
    ++*(strcmp(record->code, kiln_code_id()) == 0 ? &rows->used : &rows->other);
    return KILN_OK;
}

// {"path", "read_only", "missing": why not}, or instead of the last "problem", "results",
// "other_results" and "samples".
static json_t *gather_store(const char *path, bool read_only)
{
    kiln_tune_store_t *store = NULL;
    rows_t best = {0}, samples = {0};
    json_t *entry = json_pack("{s:o,s:b}", "path", text(path), "read_only", read_only);
    kiln_status_t status = kiln_tune_store_open_existing(path, &store);
    if (!status && !store) {
        json_object_set_new(entry, "missing", text("does not exist"));
        return entry;
    }
    if (!status)
        status = kiln_tune_store_visit(store, KILN_TUNE_BEST, count_row, &best);
    if (!status)
        status = kiln_tune_store_visit(store, KILN_TUNE_SAMPLES, count_row, &samples);
    json_object_set_new(entry, "problem", status ? text(kiln_status_message(status)) : json_null());
    json_object_set_new(entry, "results", json_integer((json_int_t)best.used));
    json_object_set_new(entry, "other_results", json_integer((json_int_t)best.other));
    json_object_set_new(entry, "samples", json_integer((json_int_t)(samples.used + samples.other)));
    kiln_status_free(status);
    kiln_tune_store_release(store);
    return entry;
}

// The store of the cache directory, and those of KILN_TUNE_STORES.
static json_t *gather_tuning(void)
{
    json_t *stores = json_array();
    char *own = kiln_tuned_path();
    const char *more = kiln_environment("KILN_TUNE_STORES");
    if (own)
        json_array_append_new(stores, gather_store(own, false));
    free(own);
    for (const char *at = more ? more : ""; *at; at += *at == ':') {
        char *path = strndup(at, strcspn(at, ":"));
        if (path && *path)
            json_array_append_new(stores, gather_store(path, true));
        free(path);
        at += strcspn(at, ":");
    }
    return stores;
}

static json_t *gather_environment(void)
{
    json_t *variables = json_object();
    const kiln_environment_row_t *row;
    for (size_t i = 0; (row = kiln_environment_row(i)); i++)
        json_object_set_new(variables, row->variable,
                            json_pack("{s:o,s:o}", "value", text(kiln_environment(row->variable)),
                                      "default",
                                      *row->otherwise ? text(row->otherwise) : json_null()));
    return variables;
}

static const struct {
    const char *id, *effect, *file, *upstream, *fixed_in, *what;
} workarounds[] = {
#define KILN_WORKAROUND(id, effect, file, upstream, fixed_in, what)                                \
    {#id, #effect, file, upstream, fixed_in, what},
#include "codegen/workarounds.def"
#undef KILN_WORKAROUND
};

enum { WORKAROUNDS = sizeof workarounds / sizeof workarounds[0] };

static json_t *gather_workarounds(void)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < WORKAROUNDS; i++)
        json_array_append_new(
            rows, json_pack("{s:s,s:b,s:s,s:s,s:s,s:s}", "id", workarounds[i].id, "miscompiled",
                            strcmp(workarounds[i].effect, "MISCOMPILED") == 0, "file",
                            workarounds[i].file, "upstream", workarounds[i].upstream, "fixed_in",
                            workarounds[i].fixed_in, "what", workarounds[i].what));
    return rows;
}

// Text --------------------------------------------------------------------------------------------

static const char *string_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static json_int_t integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void print_device(const json_t *device)
{
    printf("    device      %s, %s, %lld CUs, %lld KiB LDS per workgroup, %.1f GiB\n",
           string_of(device, "name"), string_of(device, "target_id"),
           integer_of(device, "compute_units"), integer_of(device, "lds_bytes") >> 10,
           (double)integer_of(device, "memory_bytes") / 0x1p30);
    printf("    library     %s\n", string_of(device, "library"));
    if (integer_of(device, "driver_version") || integer_of(device, "runtime_version"))
        printf("    HIP         driver %lld, runtime %lld\n", integer_of(device, "driver_version"),
               integer_of(device, "runtime_version"));
    const json_t *checks = json_object_get(device, "checks"), *check;
    size_t i;
    if (json_array_size(checks))
        printf("    checks      ");
    json_array_foreach(checks, i, check) printf("%s%s", i ? "," : "", json_string_value(check));
    if (json_array_size(checks))
        printf("\n");
}

static void print_kind(const char *title, const json_t *kind)
{
    const json_t *attempt, *device = json_object_get(kind, "device");
    size_t i;
    printf("  %s\n", title);
    json_array_foreach(json_object_get(kind, "tried"), i, attempt)
        printf("    %s: %s\n", string_of(attempt, "path"), string_of(attempt, "result"));
    if (json_is_object(device))
        print_device(device);
    if (string_of(kind, "error"))
        printf("    %s\n", string_of(kind, "error"));
}

static void print_choice(const json_t *devices)
{
    const char *chosen = string_of(devices, "in_use");
    if (string_of(devices, "error"))
        printf("  in use        none: %s\n", string_of(devices, "error"));
    else
        printf("  in use        %s (KILN_DEVICE is %s)\n",
               !chosen                         ? "none"
               : strcmp(chosen, "interp") == 0 ? "the interpreter"
               : strcmp(chosen, "sim") == 0    ? "the simulator"
                                               : "the GPU",
               string_of(devices, "wanted"));
}

static void print_cache(const json_t *cache)
{
    const char *directory = string_of(cache, "directory"), *missing = string_of(cache, "missing"),
               *problem = string_of(cache, "problem");
    printf("cache\n");
    if (!directory) {
        printf("  directory     none: KILN_CACHE_DIR, XDG_CACHE_HOME and HOME are unset\n");
        return;
    }
    if (missing) {
        printf("  directory     %s (%s)\n", directory, missing);
        return;
    }
    printf("  directory     %s\n", directory);
    printf("  rights        mode %s, owner %lld: %s\n", string_of(cache, "mode"),
           integer_of(cache, "owner"), problem ? problem : "private");
    printf("  kernels       %lld, %.1f KiB of %s\n", integer_of(cache, "kernels"),
           (double)integer_of(cache, "bytes") / 1024, string_of(cache, "limit"));
}

static void print_tuning(const json_t *stores)
{
    size_t i;
    const json_t *store;
    printf("tuning\n");
    if (!json_array_size(stores))
        printf("  store         none: there is no cache directory\n");
    json_array_foreach(stores, i, store)
    {
        const char *missing = string_of(store, "missing"), *problem = string_of(store, "problem");
        const bool is_own = json_is_false(json_object_get(store, "read_only"));
        printf("  %s         %s", is_own ? "store" : "more ", string_of(store, "path"));
        if (missing)
            printf(" (%s%s)", missing, is_own ? "; kiln tune creates it" : "");
        printf("\n");
        if (problem)
            printf("  problem       %s\n", problem);
        if (missing || problem)
            continue;
        printf("  results       %lld, from %lld samples; kiln tune list shows them\n",
               integer_of(store, "results"), integer_of(store, "samples"));
        if (integer_of(store, "other_results"))
            printf("  not used      %lld results of other builds of Kiln; kiln tune prune deletes "
                   "them\n",
                   integer_of(store, "other_results"));
    }
}

static void print_environment(const json_t *variables)
{
    const char *name;
    json_t *variable;
    printf("environment\n");
    json_object_foreach((json_t *)(uintptr_t)variables, name, variable)
    {
        const char *value = string_of(variable, "value"),
                   *otherwise = string_of(variable, "default");
        printf("  %-20s %s%s%s\n", name, value ? value : "(unset)",
               !value && otherwise ? ", default " : "", !value && otherwise ? otherwise : "");
    }
}

static void print_workarounds(const json_t *rows)
{
    size_t i;
    const json_t *row;
    printf("work-arounds for LLVM bugs\n");
    json_array_foreach(rows, i, row)
    {
        const char *upstream = string_of(row, "upstream"), *fixed_in = string_of(row, "fixed_in");
        printf("  %-20s %s (%s%s%s)\n", string_of(row, "id"), string_of(row, "what"),
               *upstream ? upstream : "not reported upstream", *fixed_in ? ", fixed in LLVM " : "",
               fixed_in);
    }
}

static void print_text(const json_t *root)
{
    const json_t *versions = json_object_get(root, "kiln"),
                 *devices = json_object_get(root, "devices");
    printf("kiln\n  version       %s (build %s)\n  LLVM          %s\n  Triton IR     of %s (tt, "
           "ttg, amdg)\n",
           string_of(versions, "version"), string_of(versions, "build_id"),
           string_of(versions, "llvm"), string_of(versions, "triton"));
    printf("devices\n");
    print_kind("HIP libraries tried", json_object_get(devices, "hip"));
    print_kind("simulator", json_object_get(devices, "sim"));
    printf("  interpreter\n    built in      executes Tile C and tt for kiln run and kiln case "
           "(--device=interp)\n");
    print_choice(devices);
    print_cache(json_object_get(root, "cache"));
    print_tuning(json_object_get(root, "tuning"));
    print_environment(json_object_get(root, "environment"));
    print_workarounds(json_object_get(root, "workarounds"));
}

// The verb ----------------------------------------------------------------------------------------

static int show(bool as_json)
{
    // HIP first: if a HIP library is the same file as the simulator, the one loaded first
    // determines its name.
    json_t *hip = gather_kind(KILN_DEVICE_HIP);
    json_t *devices = json_pack("{s:o,s:o}", "hip", hip, "sim", gather_kind(KILN_DEVICE_SIM));
    int code = gather_choice(devices);
    json_t *root = json_pack(
        "{s:{s:s,s:s,s:s,s:s,s:s},s:o,s:o,s:o,s:o,s:o}", "kiln", "version", kiln_version(),
        "code_id", kiln_code_id(), "build_id", kiln_build_id(), "llvm", kiln_llvm_version(),
        "triton", kiln_triton_versions(), "devices", devices, "cache", gather_cache(), "tuning",
        gather_tuning(), "environment", gather_environment(), "workarounds", gather_workarounds());
    if (!root)
        return kiln_cli_report(kiln_status_out_of_memory());
    if (as_json)
        kiln_cli_print_json(root);
    else
        print_text(root);
    json_decref(root);
    return code;
}

int kiln_verb_doctor(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "doctor");
    bool as_json = false;
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "doctor");
        if (flag == KILN_FLAG_doctor_JSON)
            as_json = true;
        else if (!kiln_flag_take(flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (optind < argc)
        return kiln_usage(stderr, "doctor");
    return show(as_json);
}
