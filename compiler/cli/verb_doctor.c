// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln doctor: what Kiln finds on this machine, as text that can be pasted into a report.
//
// What is easily got wrong: doctor reports, it does not need; a missing GPU or cache directory is a line, and only a
// machine without any device at all, simulator included, makes the exit code 3.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "device_flags.h"
#include "kiln/jit.h"
#include "kiln/kiln.h"
#include "pages.h"
#include "verbs.h"

static void print_attempt(const char *path, const char *result, void *user)
{
    (void)user;
    printf("    %s: %s\n", path, result);
}

static void print_device(const kiln_device_t *opened)
{
    const kiln_device_properties_t *device = kiln_device_properties(opened);
    printf("    device      %s, %s, %u CUs, %zu KiB LDS a workgroup, %.1f GiB\n", device->name, device->target_id,
           device->compute_units, device->lds_bytes_per_group >> 10, (double)device->memory_bytes / 0x1p30);
    printf("    library     %s\n", device->library);
    if (device->driver_version || device->runtime_version)
        printf("    HIP         driver %d, runtime %d\n", device->driver_version, device->runtime_version);
    if (*kiln_device_supported_checks(opened))
        printf("    checks      %s\n", kiln_device_supported_checks(opened));
}

// Tries one kind of device and says what came of each library. True where one opened.
static bool show_kind(const char *title, kiln_device_kind_t kind)
{
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = kind;
    options.hip_library = kiln_environment("KILN_HIP_LIBRARY");
    options.trace = print_attempt;
    options.sim_settings = kiln_simulator_settings(&options.sim_setting_count);
    printf("  %s\n", title);
    kiln_device_t *device;
    kiln_status_t status = kiln_device_open(&options, &device);
    if (!status)
        print_device(device);
    else if (kiln_status_code(status) != KILN_STATUS_UNAVAILABLE)
        printf("    %s\n", kiln_status_message(status));
    kiln_status_free(status);
    kiln_device_release(device);
    return device != NULL;
}

static int show_devices(void)
{
    printf("devices\n");
    bool hip = show_kind("HIP libraries tried", KILN_DEVICE_HIP);
    bool sim = show_kind("simulator", KILN_DEVICE_SIM);
    printf("  interpreter\n    always there  executes Tile C and tt for kiln run and kiln case (--device=interp)\n");
    const char *wanted = kiln_environment("KILN_DEVICE");
    if (kiln_wants_interp()) {
        printf("  in use        the interpreter (KILN_DEVICE is interp)\n");
        return 0;
    }
    kiln_device_kind_t kind = KILN_DEVICE_AUTO;
    kiln_status_t status = wanted ? kiln_device_kind_parse(wanted, &kind) : KILN_OK;
    if (status) {
        printf("  in use        none: %s\n", kiln_status_message(status));
        kiln_status_free(status);
        return 2;
    }
    bool found = kind == KILN_DEVICE_HIP ? hip : kind == KILN_DEVICE_SIM ? sim : hip || sim;
    printf("  in use        %s (KILN_DEVICE is %s)\n",
           !found                            ? "none"
           : kind == KILN_DEVICE_SIM || !hip ? "the simulator"
                                             : "the GPU",
           kiln_device_kind_name(kind));
    return found ? 0 : 3;
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

static void show_cache(void)
{
    char *directory = kiln_cache_directory();
    printf("cache\n");
    if (!directory) {
        printf("  directory     none: neither KILN_CACHE_DIR nor XDG_CACHE_HOME nor HOME is set\n");
        return;
    }
    struct stat info;
    if (stat(directory, &info) != 0) {
        printf("  directory     %s (%s)\n", directory, errno == ENOENT ? "not there yet" : strerror(errno));
        free(directory);
        return;
    }
    kiln_status_t status = kiln_cache_check(directory);
    printf("  directory     %s\n", directory);
    printf("  rights        mode %04o, owner %u: %s\n", (unsigned)(info.st_mode & 07777), (unsigned)info.st_uid,
           status ? kiln_status_message(status) : "private, good");
    kiln_status_free(status);
    const char *limit = kiln_environment("KILN_CACHE_SIZE");
    count_t kept = {0};
    kiln_status_free(kiln_cache_visit(directory, count_entry, &kept));
    printf("  kernels       %zu, %.1f KiB of %s\n", kept.count, (double)kept.bytes / 1024, limit ? limit : "1g");
    free(directory);
}

static void show_environment(void)
{
    static const struct {
        const char *name, *flag, *values, *otherwise, *help;
    } rows[] = {
#define KILN_ENVIRONMENT(name, flag, kind, values, otherwise, help) {name, flag, values, otherwise, help},
#include "environment.def"
#undef KILN_ENVIRONMENT
    };
    printf("environment\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value = kiln_environment(rows[i].name);
        printf("  %-20s %s%s%s\n", rows[i].name, value ? value : "(unset)",
               !value && *rows[i].otherwise ? ", default " : "", value ? "" : rows[i].otherwise);
    }
}

int kiln_verb_doctor(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "doctor");
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "doctor");
        if (!kiln_flag_take(flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (optind < argc)
        return kiln_usage(stderr, "doctor");
    printf("kiln\n  version       %s (build %s)\n  LLVM          %s\n", kiln_version(), kiln_build_id(),
           kiln_llvm_version());
    int code = show_devices();
    show_cache();
    show_environment();
    return code;
}
