// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln verify: compares a GPU with the simulator and reports the differences (compiler/verify).
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "cli/device_flags.h"
#include "cli/input.h"
#include "cli/pages.h"
#include "cli/verbs.h"
#include "verify/report.h"

enum { DEFAULT_SECONDS = 600, DEFAULT_SEED = 1 };

typedef struct verify_flags {
    kiln_verify_options_t options;
    const char *json, *parameters; // files to write; NULL: none
} verify_flags_t;

// Opens the GPU; called in a child for each part of the run.
static kiln_status_t open_gpu(kiln_device_t **out_device)
{
    KILN_TRY(kiln_device_from_environment(out_device));
    if (kiln_device_properties(*out_device)->kind == KILN_DEVICE_HIP)
        return KILN_OK;
    kiln_device_release(*out_device);
    *out_device = NULL;
    return kiln_status_make(KILN_STATUS_UNAVAILABLE,
                            "no GPU found, and kiln verify compares one with the simulator; "
                            "--device=hip lists the libraries that were tried");
}

// Selects the families of a list "a,b".
static bool take_families(verify_flags_t *flags, const char *list)
{
    memset(flags->options.families, 0, sizeof flags->options.families);
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, ",");
        int f = 0;
        while (f < KILN_VERIFY_FAMILIES && (strlen(kiln_verify_family_names[f]) != length ||
                                            memcmp(kiln_verify_family_names[f], at, length) != 0))
            f++;
        if (f == KILN_VERIFY_FAMILIES)
            return false;
        flags->options.families[f] = true;
        at += length + (at[length] == ',');
    }
    return *list != 0;
}

static bool take_flag(verify_flags_t *flags, int flag, char *value)
{
    long number;
    if (flag == KILN_FLAG_verify_JSON)
        flags->json = value;
    else if (flag == KILN_FLAG_verify_PARAMETERS)
        flags->parameters = value;
    else if (flag == KILN_FLAG_verify_MATCH)
        flags->options.match = value;
    else if (flag == KILN_FLAG_verify_ONLY)
        return take_families(flags, value);
    else if (flag == KILN_FLAG_verify_SEED && kiln_flag_count(value, &number))
        flags->options.seed = (uint64_t)number;
    else if (flag == KILN_FLAG_verify_SECONDS && kiln_flag_count(value, &number))
        flags->options.seconds = (double)number;
    else
        return flag != KILN_FLAG_verify_SEED && flag != KILN_FLAG_verify_SECONDS &&
               kiln_flag_take(flag, value);
    return true;
}

static kiln_status_t write_json(const kiln_verify_run_t *run, const char *path)
{
    json_t *json = kiln_verify_json(run);
    char *text = json ? kiln_json_print(json) : NULL;
    kiln_status_t status = text ? kiln_file_write(path, text, strlen(text), 0666, KILN_FILE_NO_SYNC)
                                : kiln_status_out_of_memory();
    free(text);
    json_decref(json);
    return status;
}

static kiln_status_t write_parameters(const kiln_verify_run_t *run, const char *path)
{
    char *text = kiln_verify_parameters(run);
    kiln_status_t status = text ? kiln_file_write(path, text, strlen(text), 0666, KILN_FILE_NO_SYNC)
                                : kiln_status_out_of_memory();
    free(text);
    return status;
}

static bool all_agree(const kiln_verify_run_t *run)
{
    return kiln_verify_count(run, KILN_VERIFY_FAMILIES, KILN_VERIFY_DIFFERS) == 0 &&
           kiln_verify_count(run, KILN_VERIFY_FAMILIES, KILN_VERIFY_FAILED) == 0;
}

int kiln_verb_verify(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "verify");
    verify_flags_t flags = {
        .options = {.open_gpu = open_gpu, .seed = DEFAULT_SEED, .seconds = DEFAULT_SECONDS}};
    for (int f = 0; f < KILN_VERIFY_FAMILIES; f++)
        flags.options.families[f] = true;
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "verify");
        if (!take_flag(&flags, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    flags.options.cases = argv + optind;
    flags.options.case_count = (size_t)(argc - optind);
    if (flags.options.case_count && !flags.options.families[KILN_VERIFY_cases])
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE, "directories of test cases have no effect here: --only leaves out "
                               "the family cases"));
    flags.options.parameters = kiln_environment("KILN_SIM_PARAMETERS");
    if (flags.parameters && !flags.options.families[KILN_VERIFY_micro])
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE,
            "--parameters has no effect here: --only leaves out the family micro"));
    if (flags.parameters && flags.options.parameters)
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE, "--parameters requires predictions without KILN_SIM_PARAMETERS"));
    for (int i = optind; i < argc; i++) {
        kiln_status_t status = kiln_input_check_folder(argv[i]);
        if (status)
            return kiln_cli_report(status);
    }
    kiln_flag_default("KILN_DEVICE", "hip");

    kiln_verify_run_t run;
    kiln_status_t status = kiln_verify(&flags.options, &run);
    int code = 0;
    if (!status) {
        kiln_verify_print(&run, stdout);
        code = all_agree(&run) ? 0 : 1;
        if (flags.json)
            status = write_json(&run, flags.json);
        if (!status && flags.parameters)
            status = write_parameters(&run, flags.parameters);
    }
    kiln_verify_release(&run);
    return status ? kiln_cli_report(status) : code;
}
