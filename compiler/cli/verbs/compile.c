// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln compile: compiles a source file to any later stage.
//
// kiln_compile has already passed every error to the diagnostic handler, so its status only
// determines the exit code.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/string.h"
#include "cli/compile/output.h"
#include "cli/compile/passes.h"
#include "cli/compile/report.h"
#include "cli/dump.h"
#include "cli/findings/findings.h"
#include "cli/input.h"
#include "cli/launch/call.h"
#include "cli/option_flags.h"
#include "cli/pages.h"
#include "cli/reproducer.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "kiln/kiln.h"
#include "kiln/xla.h"
#include "passes/pass.h"

enum { MAX_LIST = 256 };

static const struct {
    const char *name;
    kiln_stage_t stage;
} STAGES[] = {{"tile", KILN_STAGE_TILE}, {"tt", KILN_STAGE_TT},   {"ttg", KILN_STAGE_TTG},
              {"llvm", KILN_STAGE_LLVM}, {"asm", KILN_STAGE_ASM}, {"hsaco", KILN_STAGE_HSACO}};

typedef struct compile_words {
    const char *input;
    kiln_output_t result;
    kiln_stage_t from;
    bool has_launcher, from_is_known, from_xla;
    bool fails_on_findings;
    size_t finding_count;
    kiln_compile_report_t report;
    kiln_compile_options_t options;
    kiln_setting_t defines[MAX_LIST];
    kiln_arg_hint_t args[MAX_LIST];
    kiln_arg_range_t ranges[MAX_LIST];
    const char *disabled[MAX_LIST];
    kiln_pass_words_t passes;
    char *owned[4 * MAX_LIST]; // copies that the lists point into
    size_t owned_count;
    struct {
        const kiln_option_t *option;
        const char *value;
    } given[MAX_LIST]; // options given as flags, which take precedence over those of an XLA call
    size_t given_count;
} compile_words_t;

// Words -------------------------------------------------------------------------------------------

static char *copy_word(compile_words_t *words, const char *text, size_t length)
{
    if (words->owned_count == sizeof words->owned / sizeof *words->owned)
        return NULL;
    return words->owned[words->owned_count++] = strndup(text, length);
}

static kiln_status_t too_many(const char *what)
{
    return kiln_status_make(KILN_STATUS_USAGE, "more than %d --%s flags", (int)MAX_LIST, what);
}

static kiln_status_t parse_stage(const char *text, const char *flag, kiln_stage_t first,
                                 kiln_stage_t last, kiln_stage_t *out)
{
    for (size_t i = 0; i < sizeof STAGES / sizeof *STAGES; i++)
        if (strcmp(text, STAGES[i].name) == 0 && STAGES[i].stage >= first &&
            STAGES[i].stage <= last) {
            *out = STAGES[i].stage;
            return KILN_OK;
        }
    return kiln_status_make(KILN_STATUS_USAGE, "--%s: unknown stage '%s'", flag, text);
}

// NAME=VALUE; NAME alone means NAME=1, as in C compilers.
static kiln_status_t parse_define(compile_words_t *words, const char *text)
{
    kiln_compile_options_t *options = &words->options;
    if (options->define_count == MAX_LIST)
        return too_many("define");
    const char *equals = strchr(text, '=');
    if (equals == text || !*text)
        return kiln_status_make(KILN_STATUS_USAGE, "-D: expected NAME=VALUE, got '%s'", text);
    const char *name = copy_word(words, text, equals ? (size_t)(equals - text) : strlen(text));
    words->defines[options->define_count++] = (kiln_setting_t){name, equals ? equals + 1 : "1"};
    return KILN_OK;
}

// The promises behind a type: ":16", ":2g" or both.
static bool parse_promises(const char *text, kiln_arg_hint_t *hint)
{
    while (*text) {
        if (strncmp(text, ":16", 3) == 0 && !hint->divisibility)
            hint->divisibility = 16;
        else if (strncmp(text, ":2g", 3) == 0 && !hint->pointer_range_32)
            hint->pointer_range_32 = true;
        else
            return false;
        text += 3;
    }
    return true;
}

static kiln_status_t parse_arg(compile_words_t *words, const char *text)
{
    kiln_compile_options_t *options = &words->options;
    if (options->arg_count == MAX_LIST)
        return too_many("arg");
    kiln_arg_hint_t hint = {0};
    const char *equals = strchr(text, '=');
    size_t length = equals ? strcspn(equals + 1, ":") : 0;
    if (!equals || equals == text || !equals[1] || !parse_promises(equals + 1 + length, &hint))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--arg: expected NAME=TYPE, NAME=TYPE:16, NAME=TYPE:2g or "
                                "NAME=TYPE:16:2g, got '%s'",
                                text);
    if (hint.pointer_range_32 && length && equals[1] != '*')
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--arg: :2g is a promise about a pointer's buffer, got '%s'", text);
    hint.name = copy_word(words, text, (size_t)(equals - text));
    hint.type = length ? copy_word(words, equals + 1, length) : NULL;
    words->args[options->arg_count++] = hint;
    return KILN_OK;
}

// NAME=MIN:MAX; either may be omitted.
static kiln_status_t parse_range(compile_words_t *words, const char *text)
{
    kiln_compile_options_t *options = &words->options;
    if (options->range_count == MAX_LIST)
        return too_many("range");
    kiln_arg_range_t range = {.min = INT64_MIN, .max = INT64_MAX};
    const char *equals = strchr(text, '=');
    char *at = (char *)(uintptr_t)(equals ? equals + 1 : "");
    errno = 0;
    if (equals && *at != ':')
        range.min = strtoll(at, &at, 0);
    bool good = equals && equals != text && *at == ':';
    if (good && *++at)
        range.max = strtoll(at, &at, 0);
    if (!good || *at || errno)
        return kiln_status_make(KILN_STATUS_USAGE, "--range: expected NAME=MIN:MAX, got '%s'",
                                text);
    range.name = copy_word(words, text, (size_t)(equals - text));
    words->ranges[options->range_count++] = range;
    return KILN_OK;
}

static kiln_status_t parse_emit(compile_words_t *words, const char *text)
{
    static const struct {
        const char *name;
        kiln_emit_t emit;
    } made[] = {
        {"header", KILN_EMIT_HEADER}, {"object", KILN_EMIT_OBJECT}, {"iree", KILN_EMIT_IREE}};
    words->result.emit = KILN_EMIT_STAGE;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (strcmp(text, made[i].name) == 0)
            words->result.emit = made[i].emit;
    if (words->result.emit == KILN_EMIT_STAGE)
        return parse_stage(text, "emit", KILN_STAGE_TT, KILN_STAGE_HSACO,
                           &words->options.last_stage);
    words->options.last_stage = KILN_STAGE_HSACO;
    return KILN_OK;
}

static kiln_status_t parse_launcher(compile_words_t *words, const char *text)
{
    words->has_launcher = true;
    words->result.launcher = strcmp(text, "kiln") == 0 ? KILN_LAUNCHER_KILN : KILN_LAUNCHER_HIP;
    return words->result.launcher == KILN_LAUNCHER_KILN || strcmp(text, "hip") == 0
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_USAGE, "--launcher: expected hip or kiln, got '%s'",
                                  text);
}

static kiln_status_t take_option(compile_words_t *words, const kiln_option_t *option,
                                 const char *value)
{
    if (words->given_count == MAX_LIST)
        return too_many(option->name);
    words->given[words->given_count].option = option;
    words->given[words->given_count++].value = value;
    return kiln_compile_option_set(&words->options, option, value);
}

static kiln_status_t take_flag(compile_words_t *words, const kiln_words_t *reader, int flag,
                               const char *value)
{
    kiln_compile_options_t *options = &words->options;
    switch (flag) {
    case KILN_FLAG_compile_OUTPUT:
        words->result.output = value;
        return KILN_OK;
    case KILN_FLAG_compile_EMIT:
        return parse_emit(words, value);
    case KILN_FLAG_compile_FROM:
        words->from_is_known = true;
        words->from_xla = strcmp(value, "xla") == 0;
        words->from = KILN_STAGE_TT;
        return words->from_xla
                   ? KILN_OK
                   : parse_stage(value, "from", KILN_STAGE_TILE, KILN_STAGE_TTG, &words->from);
    case KILN_FLAG_compile_ARCH:
        options->arch = value;
        return KILN_OK;
    case KILN_FLAG_compile_KERNEL:
        options->kernel = value;
        return KILN_OK;
    case KILN_FLAG_compile_DEFINE:
        return parse_define(words, value);
    case KILN_FLAG_compile_INCLUDE_DIR:
        return kiln_include_dir_take(value) ? KILN_OK : too_many("include-dir");
    case KILN_FLAG_compile_LINK_BITCODE:
        return kiln_bitcode_take(value) ? KILN_OK : too_many("link-bitcode");
    case KILN_FLAG_compile_OVERRIDE:
        return kiln_override_take(value);
    case KILN_FLAG_compile_DEPFILE:
        words->result.depfile = value;
        words->result.needs_depfile = true;
        return KILN_OK;
    case KILN_FLAG_compile_ARG:
        return parse_arg(words, value);
    case KILN_FLAG_compile_GRID:
        options->grid = value;
        return KILN_OK;
    case KILN_FLAG_compile_RANGE:
        return parse_range(words, value);
    case KILN_FLAG_compile_SYMBOL:
        words->result.symbol = value;
        return KILN_OK;
    case KILN_FLAG_compile_REPLACE:
        words->result.replaced = value;
        return KILN_OK;
    case KILN_FLAG_compile_LAUNCHER:
        return parse_launcher(words, value);
    case KILN_FLAG_compile_DISABLE_PASS:
        if (options->disabled_pass_count == MAX_LIST)
            return too_many("disable-pass");
        words->disabled[options->disabled_pass_count++] = value;
        return KILN_OK;
    case KILN_FLAG_compile_FAIL_ON_FINDINGS:
        words->fails_on_findings = true;
        return KILN_OK;
    case KILN_FLAG_compile_REPORT:
        words->report.path = value;
        return KILN_OK;
    default:
        return kiln_pass_words_take_flag(&words->passes, reader, flag, value);
    }
}

// clang's -MD, -MMD, -MF FILE and -MT NAME; getopt takes the letters after -M as a value, and the
// argument may be the next word.
static kiln_status_t take_dependencies(compile_words_t *words, const char *value, int argc,
                                       char **argv)
{
    words->result.needs_depfile = true;
    if (strcmp(value, "D") == 0 || strcmp(value, "MD") == 0)
        return KILN_OK;
    if (*value != 'F' && *value != 'T')
        return kiln_status_make(KILN_STATUS_USAGE,
                                "unknown flag '-M%s'; expected -MD, -MF FILE or -MT NAME", value);
    const char *name = value[1] ? value + 1 : optind < argc ? argv[optind++] : NULL;
    if (!name)
        return kiln_status_make(KILN_STATUS_USAGE, "missing value after '-M%c'", *value);
    *(*value == 'F' ? &words->result.depfile : &words->result.target) = name;
    return KILN_OK;
}

typedef struct word_reader {
    compile_words_t *words;
    int argc;
    char **argv;
} word_reader_t;

static kiln_status_t take_word(void *user, const kiln_words_t *reader, int flag, const char *value)
{
    const word_reader_t *taking = user;
    const char *option_value = value;
    const kiln_option_t *option = kiln_option_of_flag(flag, &option_value);
    if (option)
        return take_option(taking->words, option, option_value);
    return flag == KILN_FLAG_compile_DEPENDENCIES
               ? take_dependencies(taking->words, value, taking->argc, taking->argv)
               : take_flag(taking->words, reader, flag, value);
}

// Returns the exit code if the words are invalid, which has been reported, or else 0.
static int parse_words(int argc, char **argv, compile_words_t *words)
{
    static kiln_words_t reader;
    kiln_words_begin(&reader, "compile");
    // These flags enable findings whatever their position: -Rno-NAME also disables one before them.
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--fail-on-findings") == 0 ||
            kiln_string_starts_with(argv[i], "--report")) {
            kiln_findings_default();
            break;
        }
    word_reader_t taking = {words, argc, argv};
    const int code = kiln_words_read(&reader, argc, argv, take_word, &taking);
    if (code)
        return code;
    words->options.only_pass_count = words->passes.count;
    if (words->passes.is_help || words->passes.lists_passes)
        return 0;
    if (argc - optind != 1)
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE, "expected one input file, got %d; see kiln compile --help",
            argc - optind));
    words->input = argv[optind];
    return 0;
}

// Files -------------------------------------------------------------------------------------------

// Without --from, the file decides what it is.
static kiln_status_t read_input(compile_words_t *words, char **out_text, kiln_source_t *out_source)
{
    if (words->from_is_known)
        return kiln_input_read_stage(words->input, words->from, out_text, out_source);
    KILN_TRY(
        kiln_input_read_source(words->input, "; use --from=tile, tt or ttg", out_text, out_source));
    words->from = out_source->stage;
    return KILN_OK;
}

// The verb ----------------------------------------------------------------------------------------

static void print_diagnostic(const kiln_diagnostic_t *diagnostic, void *user)
{
    compile_words_t *words = user;
    kiln_warning_id_t id;
    words->finding_count += kiln_finding_of_flag(diagnostic->flag, &id);
    if (words->report.path)
        kiln_findings_take(&words->report.findings, diagnostic);
    kiln_cli_print_diagnostic(diagnostic, stderr);
}

// Reads an XLA call as the source. Flags take precedence over its options.
static kiln_status_t take_xla_call(kiln_session_t *session, compile_words_t *words,
                                   kiln_source_t *source, kiln_xla_call_t **out_call)
{
    kiln_compile_options_t *options = &words->options;
    const char *grid = options->grid, *kernel = options->kernel;
    KILN_TRY(kiln_xla_call_read(session, source->name, source->text, source->length, out_call));
    *source = *kiln_xla_call_source(*out_call);
    KILN_TRY(kiln_xla_call_apply(*out_call, options));
    for (size_t i = 0; i < words->given_count; i++)
        KILN_TRY(kiln_compile_option_set(options, words->given[i].option, words->given[i].value));
    options->grid = grid ? grid : options->grid;
    options->kernel = kernel ? kernel : options->kernel;
    return KILN_OK;
}

// Writes the report of --report.
static kiln_status_t report(compile_words_t *words, const kiln_source_t *source,
                            const kiln_kernel_t *kernel)
{
    kiln_setting_t given[2 * MAX_LIST];
    size_t count = words->options.define_count;
    memcpy(given, words->defines, count * sizeof *given);
    for (size_t i = 0; i < words->given_count; i++)
        given[count++] = (kiln_setting_t){words->given[i].option->name, words->given[i].value};
    return kiln_compile_report_write(&words->report, source, words->options.arch, given, count,
                                     kernel);
}

static int compile_source(compile_words_t *words, kiln_source_t source)
{
    kiln_session_t *session = NULL;
    kiln_xla_call_t *call = NULL;
    kiln_kernel_t *kernel = NULL;
    kiln_status_t status = kiln_session_create(&session);
    if (status)
        return kiln_cli_report(status);
    kiln_session_set_diagnostic_handler(session, print_diagnostic, words);
    words->options.iree_abi |= words->result.emit == KILN_EMIT_IREE;
    if (words->result.emit == KILN_EMIT_STAGE || words->result.emit == KILN_EMIT_IREE)
        words->options.symbol = words->result.symbol;
    status = words->from_xla ? take_xla_call(session, words, &source, &call) : KILN_OK;
    if (!status && words->report.path)
        status = kiln_compile_report_begin(&words->report, &words->options);
    if (!status)
        status = kiln_compile(session, &source, &words->options, &kernel);
    int code = kiln_exit_code(kiln_status_code(status)); // the handler has shown it
    kiln_status_free(status);
    if (code == 70)
        kiln_reproducer_write();
    if (!code && words->passes.prints_time)
        kiln_pass_times_print(kernel);
    if (!code) {
        words->result.input = words->input;
        words->result.stage = words->options.last_stage;
        code = kiln_cli_report(kiln_output_write(&words->result, kernel));
    }
    if (!code && words->report.path)
        code = kiln_cli_report(report(words, &source, kernel));
    if (!code && words->fails_on_findings)
        code = kiln_cli_report(kiln_findings_fail(words->finding_count));
    kiln_kernel_release(kernel);
    kiln_xla_call_release(call);
    kiln_session_release(session);
    return code;
}

// Whether the passes of a stage run between this input and this output. --passes replaces all but
// the final ones, which run if lowering follows.
static bool stage_runs(const compile_words_t *words, kiln_pass_stage_t stage)
{
    const bool is_ttg = words->from == KILN_STAGE_TTG,
               continues = words->options.last_stage > KILN_STAGE_TTG;
    if (stage == KILN_PASS_FINAL && words->options.only_pass_count)
        return continues;
    if (words->options.only_pass_count || words->options.last_stage == KILN_STAGE_TT)
        return false;
    const bool is_early = stage == KILN_PASS_TT || stage == KILN_PASS_TTG;
    return is_ttg ? continues && !is_early : stage != KILN_PASS_EXTERNAL;
}

static bool is_selected(const kiln_compile_options_t *options, const char *id)
{
    for (size_t i = 0; i < options->only_pass_count; i++)
        if (strcmp(options->only_passes[i], id) == 0)
            return true;
    return false;
}

// Rejects --disable-pass for passes that would not run anyway. The compiler rejects unknown ones,
// and those that --passes selects.
static kiln_status_t check_disabled_passes(const compile_words_t *words)
{
    const kiln_compile_options_t *options = &words->options;
    size_t count;
    const kiln_pass_t *passes = kiln_pipeline_passes(&count);
    for (size_t i = 0; i < options->disabled_pass_count; i++) {
        const char *id = options->disabled_passes[i];
        bool is_known = false, runs = is_selected(options, id); // a pass may be listed twice
        for (size_t j = 0; j < count; j++) {
            const bool is_it = strcmp(passes[j].id, id) == 0;
            is_known |= is_it;
            // The compiler rejects a REQUESTED one.
            runs |= is_it && (passes[j].is_requested || stage_runs(words, passes[j].stage));
        }
        if (is_known && !runs)
            return kiln_status_make(
                KILN_STATUS_USAGE, "--disable-pass=%s has no effect here: %s", id,
                options->only_pass_count        ? "--passes does not select the pass"
                : words->from == KILN_STAGE_TTG ? "the pass does not run on ttg input"
                                                : "the pass does not run on Tile C or tt input");
    }
    return KILN_OK;
}

// Rejects flags without effect between this input and this output.
static kiln_status_t refuse_unused_flags(const compile_words_t *words)
{
    const kiln_compile_options_t *options = &words->options;
    const kiln_emit_t emit = words->result.emit;
    const bool no_code = options->last_stage < KILN_STAGE_HSACO,
               no_tile = words->from != KILN_STAGE_TILE;
    const struct {
        bool is_idle;
        const char *flag, *why;
    } rows[] = {
        {words->result.symbol && no_code, "--symbol", "only code objects have symbols"},
        {words->result.replaced && emit != KILN_EMIT_IREE, "--replace",
         "it applies to --emit=iree"},
        {words->has_launcher && emit != KILN_EMIT_HEADER, "--launcher",
         "it applies to --emit=header"},
        {options->grid && no_code, "--grid", "only code objects have a manifest"},
        {options->range_count && no_code, "--range", "only code objects have a manifest"},
        {options->define_count && no_tile, "-D", "only Tile C has constexpr parameters"},
        {options->arg_count && no_tile, "--arg",
         "the input already has types and attributes of arguments"},
        {kiln_dump_has_places() && options->last_stage > KILN_STAGE_TTG && !options->dump,
         "--print-places", "neither the output nor a dump is tt or ttg"},
        {options->disabled_pass_count && options->last_stage == KILN_STAGE_TT &&
             !options->only_pass_count,
         "--disable-pass", "--emit=tt runs no passes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is_idle)
            return kiln_status_make(KILN_STATUS_USAGE, "%s has no effect here: %s", rows[i].flag,
                                    rows[i].why);
    KILN_TRY(check_disabled_passes(words));
    if (options->only_pass_count) // these run at any stage
        return KILN_OK;
    return kiln_option_flags_check(words->from, options->last_stage);
}

static int compile(compile_words_t *words)
{
    char *text;
    kiln_source_t source;
    kiln_status_t status = read_input(words, &text, &source);
    if (!status && words->options.last_stage < words->from)
        status = kiln_status_make(KILN_STATUS_USAGE, "the input is at a later stage than --emit");
    if (!status)
        status = refuse_unused_flags(words);
    if (!status)
        status = kiln_source_flags_set(&words->options);
    int code;
    if (status) {
        code = kiln_cli_report(status);
    } else {
        code = compile_source(words, source);
    }
    free(text);
    return code;
}

int kiln_verb_compile(int argc, char **argv)
{
    compile_words_t *words = calloc(1, sizeof *words);
    if (!words)
        return kiln_cli_report(kiln_status_out_of_memory());
    kiln_compile_options_initialize(&words->options);
    words->options.defines = words->defines;
    words->options.args = words->args;
    words->options.ranges = words->ranges;
    words->options.disabled_passes = words->disabled;
    words->options.only_passes = words->passes.ids;
    int code = parse_words(argc, argv, words);
    if (code) {
        // reported
    } else if (words->passes.is_help) {
        code = kiln_usage(stdout, "compile");
    } else if (words->passes.lists_passes) {
        kiln_pass_list_print();
    } else {
        kiln_dump_from_environment(&words->options);
        code = compile(words);
    }
    for (size_t i = 0; i < words->owned_count; i++)
        free(words->owned[i]);
    kiln_compile_report_free(&words->report);
    free(words);
    return code;
}
