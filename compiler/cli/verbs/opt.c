// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln opt: chosen passes on tt or ttg, as mlir-opt; `kiln compile` with nothing selected, nothing
// lowered, and the module as the result.
//
// Note that a pass for ttg would leave tt alone without a word, so that is an error here.
#include <stdlib.h>
#include <string.h>

#include "cli/compile/output.h"
#include "cli/compile/passes.h"
#include "cli/dump.h"
#include "cli/input.h"
#include "cli/launch/call.h"
#include "cli/option_flags.h"
#include "cli/pages.h"
#include "cli/reproducer.h"
#include "cli/verbs.h"
#include "passes/pass.h"

typedef struct opt_words {
    const char *input, *output;
    kiln_stage_t from; // if from_is_known
    bool from_is_known;
    kiln_pass_words_t passes;
    kiln_compile_options_t options;
} opt_words_t;

static kiln_status_t take_stage(opt_words_t *words, const char *text)
{
    words->from_is_known = true;
    words->from = strcmp(text, "tt") == 0 ? KILN_STAGE_TT : KILN_STAGE_TTG;
    return words->from == KILN_STAGE_TT || strcmp(text, "ttg") == 0
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_USAGE, "--from: expected tt or ttg, got '%s'", text);
}

static kiln_status_t take_flag(void *user, const kiln_words_t *reader, int flag, const char *value)
{
    opt_words_t *words = user;
    const kiln_option_t *option = kiln_option_of_flag(flag, &value);
    if (option)
        return kiln_compile_option_set(&words->options, option, value);
    if (flag == KILN_FLAG_opt_FROM)
        return take_stage(words, value);
    if (flag != KILN_FLAG_opt_OUTPUT)
        return kiln_pass_words_take_flag(&words->passes, reader, flag, value);
    words->output = value;
    return KILN_OK;
}

// Returns the exit code if the words are invalid, which has been reported, or else 0.
static int parse_words(int argc, char **argv, opt_words_t *words)
{
    static kiln_words_t reader;
    kiln_words_begin(&reader, "opt");
    const int code = kiln_words_read(&reader, argc, argv, take_flag, words);
    if (code)
        return code;
    if (argc - optind > 1)
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE, "expected one input file, got %d; see kiln opt --help",
            argc - optind));
    words->input = optind < argc ? argv[optind] : "-";
    return 0;
}

// Fails if a pass for ttg would run on tt. Ids of several stages, as of MLIR's own passes, run on
// both.
static kiln_status_t check_stages(const opt_words_t *words, kiln_stage_t from)
{
    size_t count;
    const kiln_pass_t *passes = kiln_pipeline_passes(&count);
    bool is_ttg = from == KILN_STAGE_TTG;
    for (size_t i = 0; i < words->passes.count && !is_ttg; i++) {
        bool is_known = false, takes_tt = false;
        for (size_t j = 0; j < count; j++)
            if (strcmp(passes[j].id, words->passes.ids[i]) == 0) {
                is_known = true;
                takes_tt |= passes[j].stage <= KILN_PASS_TT;
                is_ttg |= passes[j].run == kiln_convert_to_ttg;
            }
        if (is_known && !takes_tt)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "pass '%s' is for ttg, but the module is tt; run "
                                    "convert_to_ttg before it, or use --from=ttg",
                                    words->passes.ids[i]);
    }
    return KILN_OK;
}

static int run(opt_words_t *words, const kiln_source_t *source)
{
    kiln_session_t *session;
    kiln_kernel_t *kernel = NULL;
    bool shown = false;
    kiln_compile_options_t *options = &words->options;
    options->only_passes = words->passes.ids;
    options->only_pass_count = words->passes.count;
    options->last_stage = words->passes.count ? KILN_STAGE_TTG : source->stage;
    kiln_status_t status = kiln_session_create(&session);
    if (status)
        return kiln_cli_report(status);
    kiln_session_set_diagnostic_handler(session, kiln_launch_diagnostic, &shown);
    status = kiln_compile(session, source, options, &kernel);
    int code = kiln_launch_report(status, shown);
    if (code == 70)
        kiln_reproducer_write();
    if (!code && words->passes.prints_time)
        kiln_pass_times_print(kernel);
    const char *text = code ? NULL : kiln_kernel_text(kernel, options->last_stage);
    if (text)
        code = kiln_cli_report(kiln_output_ir(words->output ? words->output : "-", text));
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return code;
}

static int opt(opt_words_t *words)
{
    char *text;
    kiln_source_t source;
    kiln_status_t status = words->from_is_known
                               ? kiln_input_read_stage(words->input, words->from, &text, &source)
                               : kiln_input_read_ir(words->input, &text, &source);
    if (!status)
        status = check_stages(words, source.stage);
    if (!status)
        status = kiln_pass_words_check_options(&words->passes, source.stage);
    if (!status)
        status = kiln_source_flags_set(&words->options);
    int code;
    if (status) {
        code = kiln_cli_report(status);
    } else {
        code = run(words, &source);
    }
    free(text);
    return code;
}

int kiln_verb_opt(int argc, char **argv)
{
    opt_words_t *words = calloc(1, sizeof *words);
    if (!words)
        return kiln_cli_report(kiln_status_out_of_memory());
    kiln_compile_options_initialize(&words->options);
    int code = parse_words(argc, argv, words);
    if (code) {
        // reported
    } else if (words->passes.is_help) {
        code = kiln_usage(stdout, "opt");
    } else if (words->passes.lists_passes) {
        kiln_pass_list_print();
    } else {
        kiln_dump_from_environment(&words->options);
        code = opt(words);
    }
    free(words);
    return code;
}
