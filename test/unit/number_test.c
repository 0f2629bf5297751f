// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers as text in a host program whose locale has a decimal comma: every function that reads or
// writes numbers must behave as in the C locale. Also checks that only runtime/base/number.c calls
// functions that depend on the locale.
//
// Few machines have such a locale, so the test creates one with localedef; an 8-bit one, so that
// the C library treats characters beyond ASCII as letters.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <ftw.h>
#include <locale.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/expression.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/string.h"
#include "expect_status.h"
#include "kiln/arguments.h"
#include "kiln/interpret.h"
#include "kiln/kiln.h"
#include "kiln/runtime.h"
#include "kiln/tune.h"

// The locale --------------------------------------------------------------------------------------

static char folder[64];
static bool has_locale;

static int make_locale(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/kiln-number-test.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    char command[256];
    snprintf(command, sizeof command,
             "cd %s && localedef -i de_DE -f ISO-8859-1 ./kiln_DE >log 2>&1", folder);
    if (system(command) != 0)
        print_message("localedef does not make de_DE here\n");
    setenv("LOCPATH", folder, 1);
    has_locale = setlocale(LC_ALL, "kiln_DE") && strcmp(localeconv()->decimal_point, ",") == 0;
    setlocale(LC_ALL, "C");
    return 0;
}

static int remove_locale(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

// Calls `format`, which returns text, under both locales, and compares the texts.
static void same_in_both(const char *what, char *(*format)(void))
{
    if (!has_locale) {
        print_message("%s: localedef makes no locale here\n", what);
        skip();
    }
    char *in_c = format();
    assert_non_null(setlocale(LC_ALL, "kiln_DE"));
    char probe[8];
    snprintf(probe, sizeof probe, "%.1f", 1.5);
    assert_string_equal(probe, "1,5"); // the locale is active
    char *in_other = format();
    assert_string_equal(localeconv()->decimal_point, ","); // unchanged by the call
    setlocale(LC_ALL, "C");
    assert_non_null(in_c);
    assert_string_equal(in_other, in_c);
    free(in_c);
    free(in_other);
}

#define IN_BOTH(name)                                                                              \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        same_in_both(#name, format_##name);                                                        \
    }

// Appends the result as text: the number, or the error.
static void add(kiln_string_t *text, kiln_status_t status)
{
    kiln_string_appendf(text, "%s\n", status ? kiln_status_message(status) : "ok");
    kiln_status_free(status);
}

// Functions that read or write numbers ------------------------------------------------------------

static char *format_numbers_of_base(void)
{
    kiln_string_t text = {0};
    static const char *const words[] = {"0.5", "0,5", "1e3", "1.5e0x", "-0x1.8p1",
                                        "inf", "nan", "",    ".",      "1.234,5"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        double value = 0;
        char *end;
        bool whole = kiln_real_parse_all(words[i], &value);
        kiln_real_parse(words[i], &end);
        kiln_string_appendf(&text, "%s: %d %g at %zu\n", words[i], whole, value,
                            (size_t)(end - words[i]));
    }
    char small[8];
    kiln_string_appendf(&text, "%d %s\n", kiln_format(small, sizeof small, "%.3f%s", 1234.5, "cut"),
                        small);
    char *grouped = kiln_string_print("%'.2f %'d", 1234567.25, 1234567);
    kiln_string_append(&text, grouped);
    free(grouped);
    kiln_status_t status = kiln_status_make(KILN_STATUS_USAGE, "%g is wrong", 2.5);
    add(&text, kiln_status_annotate(status, "%e", 2.5));
    return kiln_string_take(&text);
}
IN_BOTH(numbers_of_base)

static char *format_json(void)
{
    static const char json[] = "{\"a\": 1.5, \"b\": [2.5e-3, 1e300, -0.1], \"c\": 7}";
    json_t *value;
    kiln_string_t text = {0};
    add(&text, kiln_json_parse("text", json, strlen(json), &value));
    char *printed = kiln_json_print(value);
    kiln_string_append(&text, printed);
    free(printed);
    json_decref(value);
    value = NULL;
    add(&text, kiln_json_parse("text", "[1,5]", 5, &value));
    kiln_string_appendf(&text, "%zu\n", json_array_size(value));
    json_decref(value);
    return kiln_string_take(&text);
}
IN_BOTH(json)

static char *format_arguments(void)
{
    static const char *const words[] = {"s=0.5",
                                        "t=0,5e0",
                                        "u=1.5e1",
                                        "v=0,5",
                                        "w=.25",
                                        "n=7",
                                        "x=f32[4]:fill:1.5",
                                        "y=f32[4]:fill:1,5",
                                        "z=f64[n]:fill:n",
                                        "r=f32[4]:random",
                                        "q=f16[n/2]:iota"};
    kiln_arguments_t *arguments;
    kiln_string_t text = {0};
    add(&text, kiln_arguments_create(NULL, &arguments));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add(&text, kiln_arguments_add(arguments, words[i]));
    size_t count;
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, &count);
    for (size_t i = 0; i < count; i++)
        kiln_string_appendf(&text, "%s %a %lld\n", values[i].name, values[i].real,
                            (long long)values[i].integer);
    char *key = kiln_arguments_tuning_key(arguments, "cdiv(n, 0x10)"), *shown = NULL;
    kiln_string_append(&text, key);
    free(key);
    for (size_t i = 0; i < kiln_arguments_buffer_count(arguments); i++) {
        add(&text,
            kiln_arguments_show(arguments, kiln_arguments_buffer(arguments, i)->name, &shown));
        kiln_string_append(&text, shown);
        free(shown);
    }
    kiln_arguments_release(arguments);
    return kiln_string_take(&text);
}
IN_BOTH(arguments)

static const char tile[] = "kernel void k(f32 *x, f32 s, constexpr f32 SCALE = 0.25)\n{\n"
                           "    i32 i[64] = range(64);\n"
                           "    f32 v[64] = load(x + i) * SCALE * 1.5e0 + s + (f32)(SCALE > 0.5);\n"
                           "    print(\" v \", v);\n"
                           "    printf(\"s=%6.2f, %e.\\n\", s, s);\n"
                           "    store(x + i, v);\n}\n";

static const kiln_source_t tile_source = {
    .stage = KILN_STAGE_TILE, .name = "k.tile.c", .text = tile, .length = sizeof tile - 1};

static void append_message(const kiln_diagnostic_t *diagnostic, void *text)
{
    kiln_string_appendf(text, "%s\n", diagnostic->message);
}

static void make_options(kiln_compile_options_t *options, const kiln_setting_t *define)
{
    kiln_compile_options_initialize(options);
    options->keep_stages =
        1u << KILN_STAGE_TT | 1u << KILN_STAGE_TTG | 1u << KILN_STAGE_LLVM | 1u << KILN_STAGE_ASM;
    options->num_warps = 1;
    options->defines = define;
    options->define_count = 1;
}

static char *format_compiling(void)
{
    static const kiln_setting_t defines[] = {
        {"SCALE", "0.625"}, {"SCALE", "0,625"}, {"SCALE", "1e-3"}};
    kiln_string_t text = {0};
    kiln_session_t *session;
    int good = 0;
    add(&text, kiln_session_create(&session));
    kiln_session_set_diagnostic_handler(session, append_message, &text);
    for (size_t i = 0; i < sizeof defines / sizeof *defines; i++) {
        kiln_compile_options_t options;
        make_options(&options, &defines[i]);
        kiln_kernel_t *kernel = NULL;
        add(&text, kiln_compile(session, &tile_source, &options, &kernel));
        for (int stage = 0; kernel && stage <= KILN_STAGE_HSACO; stage++)
            if (kiln_kernel_text(kernel, (kiln_stage_t)stage))
                kiln_string_append(&text, kiln_kernel_text(kernel, (kiln_stage_t)stage));
        if (kernel)
            kiln_string_append(&text, kiln_kernel_manifest(kernel));
        // Compiles the texts again as sources, so that their numbers are read.
        static const kiln_stage_t stages[] = {KILN_STAGE_TT, KILN_STAGE_TTG};
        for (size_t j = 0; kernel && j < 2; j++) {
            const char *ir = kiln_kernel_text(kernel, stages[j]);
            kiln_source_t again = {
                .stage = stages[j], .name = "again", .text = ir, .length = strlen(ir)};
            kiln_compile_options_t plain;
            kiln_compile_options_initialize(&plain);
            plain.last_stage = KILN_STAGE_LLVM;
            plain.num_warps = 1;
            kiln_kernel_t *second = NULL;
            add(&text, kiln_compile(session, &again, &plain, &second));
            if (second)
                kiln_string_append(&text, kiln_kernel_text(second, KILN_STAGE_LLVM));
            good += second != NULL;
            kiln_kernel_release(second);
        }
        good += kernel != NULL;
        kiln_kernel_release(kernel);
    }
    kiln_session_release(session);
    assert_int_equal(good, 2 + 2 * 2);
    return kiln_string_take(&text);
}
IN_BOTH(compiling)

static void take_line(const char *line, void *text)
{
    kiln_string_append(text, line);
}

static char *format_interpreting(void)
{
    kiln_string_t text = {0};
    kiln_session_t *session;
    kiln_interp_t *interp = NULL;
    kiln_arguments_t *arguments;
    add(&text, kiln_session_create(&session));
    add(&text, kiln_arguments_create(NULL, &arguments));
    add(&text, kiln_arguments_add(arguments, "x=f32[64]:fill:0.75"));
    add(&text, kiln_arguments_add(arguments, "s=0.125"));
    add(&text, kiln_interp_create(session, &tile_source, NULL, &interp));
    kiln_interp_launch_t launch;
    kiln_interp_launch_initialize(&launch);
    launch.print = take_line;
    launch.print_user = &text;
    add(&text, kiln_interpret_arguments(interp, arguments, &launch));
    char *shown = NULL;
    add(&text, kiln_arguments_show(arguments, "x", &shown));
    kiln_string_append(&text, shown);
    free(shown);
    kiln_interp_release(interp);
    kiln_arguments_release(arguments);
    kiln_session_release(session);
    return kiln_string_take(&text);
}
IN_BOTH(interpreting)

// Kernels print to the process's stdout, which is redirected to a file during the launch.
static char *launch_on_simulator(void)
{
    kiln_string_t text = {0};
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_library = KILN_BINARY_DIR "/lib/libkiln-sim.so";
    kiln_device_t *device = NULL;
    kiln_session_t *session = NULL;
    kiln_kernel_t *kernel = NULL;
    kiln_arguments_t *arguments = NULL;
    kiln_module_t *module = NULL;
    kiln_function_t *function = NULL;
    static const kiln_setting_t define = {"SCALE", "0.625"};
    kiln_compile_options_t compile;
    make_options(&compile, &define);
    add(&text, kiln_device_open(&options, &device));
    add(&text, kiln_session_create(&session));
    add(&text, kiln_compile(session, &tile_source, &compile, &kernel));
    add(&text, kiln_arguments_create(device, &arguments));
    add(&text, kiln_arguments_add(arguments, "x=f32[64]:fill:0.75"));
    size_t size, count;
    const void *code = kiln_kernel_code_object(kernel, &size);
    add(&text, kiln_module_load(device, code, size, &module));
    add(&text, kiln_module_function(module, "k", &function));
    uint64_t address = kiln_arguments_values(arguments, &count)[0].address;
    float scale = 0.125f;
    void *const args[] = {&address, &scale};
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    launch.args = args;
    add(&text, kiln_function_launch(function, &launch));
    add(&text, kiln_device_synchronize(device));
    char *shown = NULL;
    add(&text, kiln_arguments_show(arguments, "x", &shown));
    kiln_string_append(&text, shown);
    free(shown);
    kiln_module_release(module);
    kiln_arguments_release(arguments);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    kiln_device_release(device);
    return kiln_string_take(&text);
}

static char *format_simulating(void)
{
    char path[96], *printed = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/printed", folder);
    fflush(stdout);
    int before = dup(1), file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert_true(before >= 0 && file >= 0 && dup2(file, 1) == 1);
    char *simulated = launch_on_simulator();
    fflush(stdout);
    dup2(before, 1);
    close(before);
    close(file);
    expect_ok(kiln_file_read(path, &printed, &size));
    if (!strstr(printed, "s=  0.12"))
        print_error("%s%s", simulated, printed);
    assert_non_null(strstr(printed, "s=  0.12"));
    assert_non_null(strstr(printed, " v "));
    char *all = kiln_string_print("%s%s", simulated, printed);
    free(simulated);
    free(printed);
    return all;
}
IN_BOTH(simulating)

static kiln_status_t prepare(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                             kiln_launch_t *launch, void *user)
{
    (void)candidate, (void)kernel, (void)launch;
    return kiln_status_make(KILN_STATUS_UNSUPPORTED, "%.3f is not launched", *(double *)user);
}

static kiln_status_t verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user)
{
    (void)candidate, (void)out_error, (void)user;
    return KILN_OK;
}

static char *format_tuning(void)
{
    kiln_string_t text = {0};
    char path[96];
    snprintf(path, sizeof path, "%s/tune.db", folder);
    kiln_tune_store_t *store = NULL;
    add(&text, kiln_tune_store_open(path, &store));
    kiln_tune_store_release(store);
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_library = KILN_BINARY_DIR "/lib/libkiln-sim.so";
    kiln_device_t *device = NULL;
    add(&text, kiln_device_open(&options, &device));
    const char *const scales[] = {"0.5", "1.5"};
    const kiln_tune_axis_t axes[] = {{"SCALE", scales, 2}};
    kiln_tune_problem_t problem;
    kiln_tune_problem_initialize(&problem);
    problem.source = tile_source;
    problem.axes = axes;
    problem.axis_count = 1;
    problem.device = device;
    problem.jobs = 2; // other threads read numbers, too
    problem.prepare = prepare;
    problem.verify = verify;
    double user = 0.5;
    problem.user = &user;
    kiln_tune_result_t *result = NULL;
    add(&text, kiln_tune(&problem, &result));
    kiln_device_release(device);
    return kiln_string_take(&text);
}
IN_BOTH(tuning)

// Each thread has its own locale: setting and restoring one does not change another's.
static void *format_much(void *bad)
{
    char text[32];
    for (int i = 0; i < 20000; i++) {
        kiln_format(text, sizeof text, "%.2f", 0.25 * i);
        double back;
        if (strchr(text, ',') || !kiln_real_parse_all(text, &back) || back != 0.25 * i)
            ++*(int *)bad;
    }
    return NULL;
}

static void threads_do_not_meet(void **state)
{
    (void)state;
    pthread_t threads[3];
    int bad[4] = {0};
    if (has_locale)
        setlocale(LC_ALL, "kiln_DE");
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, format_much, &bad[i]), 0);
    char probe[8];
    for (int i = 0; i < 20000; i++) {
        snprintf(probe, sizeof probe, "%.1f", 1.5);
        bad[3] += probe[1] != (has_locale ? ',' : '.');
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    setlocale(LC_ALL, "C");
    for (int i = 0; i < 4; i++)
        assert_int_equal(bad[i], 0);
}

// In Turkish, the upper case of i is not I.
static void names_of_types_have_the_case_of_ascii(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof command,
             "cd %s && localedef -i tr_TR -f ISO-8859-9 ./kiln_TR >log 2>&1", folder);
    if (system(command) != 0 || !setlocale(LC_ALL, "kiln_TR")) {
        print_message("localedef makes no Turkish locale here\n");
        skip();
    }
    kiln_element_type_t type;
    const bool is_known = kiln_element_type_parse("I32", &type) && type == KILN_ELEMENT_I32;
    const bool is_none = !kiln_element_type_parse("\xddnt32", &type) &&
                         !kiln_element_type_parse("i3", &type) &&
                         !kiln_element_type_parse("i322", &type);
    setlocale(LC_ALL, "C");
    assert_true(is_known);
    assert_true(is_none);
}

// Calls that no file may contain ------------------------------------------------------------------

typedef struct rule {
    const char *pattern; // an extended regular expression
    const char *instead;
    bool
        holds_in_cli; // the command's own process stays in the C locale, so it may print its tables
} rule_t;

static const rule_t rules[] = {
    {"(^|[^a-zA-Z0-9_])(strtod|strtof|strtold|atof|strtod_l|strtof_l)\\(", "kiln_real_parse", true},
    {"(^|[^a-zA-Z0-9_])std::(stod|stof|stold|to_string|ostringstream|istringstream|stringstream)",
     "kiln_format or LLVM's streams", true},
    {"(^|[^a-zA-Z0-9_])[fs]?scanf\\(.*%[*0-9]*l?[aefgAEFG]", "kiln_real_parse", true},
    {"(^|[^a-zA-Z0-9_])(setlocale|localeconv|uselocale|newlocale)\\(", "kiln_c_locale_enter", true},
    {"(^|[^a-zA-Z0-9_])(vsnprintf|vsprintf|vprintf|vfprintf|vasprintf|vdprintf)\\(", "kiln_vformat",
     true},
    {"(^|[^a-zA-Z0-9_])(sn?|f|d|as)?printf\\(.*%[-+ #0']*[*0-9]*(\\.[*0-9]+)?[lL]?[aefgAEFG]",
     "kiln_format", false},
    {"(^|[^a-zA-Z0-9_])is(alpha|digit|alnum|space|upper|lower|xdigit|print|punct|cntrl|blank)\\(",
     "base/number.h's", true},
    {"(^|[^a-zA-Z0-9_])to(upper|lower)\\(", "base/number.h's", true},
    {"(^|[^a-zA-Z0-9_])strn?case(cmp|str)\\(", "kiln_equal_in_any_case", true},
    {"(^|[^a-zA-Z0-9_])json_(dumps|dumpb|dumpf|dumpfd|dump_file|dump_callback|sprintf|loads|loadb|"
     "loadf|load_file)\\(",
     "kiln_json_print and kiln_json_parse", true},
};
enum { RULES = sizeof rules / sizeof *rules };
static regex_t compiled[RULES];
static unsigned files, found;

// jansson prints by the thread's locale, which only these files change before.
static bool may_dump(const char *path)
{
    static const char *const paths[] = {"runtime/base/json.c", "compiler/cli/json_text.c"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (strcmp(path, paths[i]) == 0)
            return true;
    return false;
}

static bool breaks(const rule_t *rule, const regex_t *regex, const char *path,
                   const char *statement)
{
    bool is_cli = strncmp(path, "compiler/cli/", 13) == 0,
         is_dump = strstr(rule->pattern, "json_") != NULL;
    return !(is_cli && !rule->holds_in_cli) && !(is_dump && may_dump(path)) &&
           regexec(regex, statement, 0, NULL, 0) == 0;
}

// Statements may span several lines: each text from ';', '{' or '}' to the next is checked as one
// line.
static int look(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)where;
    const char *dot = strrchr(path, '.');
    if (kind != FTW_F || !dot ||
        (strcmp(dot, ".c") && strcmp(dot, ".h") && strcmp(dot, ".cpp") && strcmp(dot, ".def")))
        return 0;
    if (strcmp(path, "runtime/base/number.c") == 0)
        return 0;
    char *text = NULL;
    size_t size;
    expect_ok(kiln_file_read(path, &text, &size));
    files++;
    for (char *line = text, *end; *line; line = end) {
        end = line;
        bool in_text = false;
        for (; *end && (in_text || !strchr(";{}", *end)); end++) {
            if (!in_text && end[0] == '/' && end[1] == '/') // a comment calls nothing
                while (*end && *end != '\n')
                    *end++ = ' ';
            if (*end == '"' && (end == line || end[-1] != '\\' || end[-2] == '\\') &&
                !(end[-1] == '\'' && end[1] == '\''))
                in_text = !in_text;
            if (*end == '\n')
                *end = ' ', in_text = false;
            if (!*end)
                break;
        }
        char last = *end;
        *end = '\0';
        for (int i = 0; i < RULES; i++)
            if (breaks(&rules[i], &compiled[i], path, line)) {
                print_error("%s: %.160s\n    use %s\n", path, line + strspn(line, " "),
                            rules[i].instead);
                found++;
            }
        end += last != '\0';
    }
    free(text);
    return 0;
}

static void nothing_follows_the_locale(void **state)
{
    (void)state;
    for (int i = 0; i < RULES; i++)
        assert_int_equal(regcomp(&compiled[i], rules[i].pattern, REG_EXTENDED | REG_NOSUB), 0);
    // The rules themselves find the violations that they are meant for.
    assert_true(
        breaks(&rules[0], &compiled[0], "runtime/x.c", "    double x = strtod(text, &end)"));
    assert_true(breaks(&rules[2], &compiled[2], "runtime/x.c", "sscanf(text, \"%d %lf\", &i, &x)"));
    assert_false(breaks(&rules[2], &compiled[2], "runtime/x.c", "sscanf(text, \"%d %u\", &i, &x)"));
    assert_true(breaks(&rules[5], &compiled[5], "runtime/x.c",
                       "snprintf(text, 8, \"%*s %.3f\", 1, \"\", x)"));
    assert_false(breaks(&rules[5], &compiled[5], "compiler/cli/x.c", "printf(\"%.3f\", x)"));
    assert_false(
        breaks(&rules[5], &compiled[5], "runtime/x.c", "kiln_string_appendf(text, \"%g\", x)"));
    assert_false(
        breaks(&rules[5], &compiled[5], "runtime/x.c", "printf(\"%\" PRIu64 \" %s\", x, s)"));
    assert_true(breaks(&rules[6], &compiled[6], "runtime/x.c", "!isdigit((unsigned char)c)"));
    assert_false(breaks(&rules[6], &compiled[6], "runtime/x.c", "kiln_is_digit(c)"));
    assert_int_equal(chdir(KILN_SOURCE_DIR), 0);
    static const char *const parts[] = {"runtime", "dialects", "compiler", "autotune"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_int_equal(nftw(parts[i], look, 16, FTW_PHYS), 0);
    assert_true(files > 300);
    assert_int_equal(found, 0);
    for (int i = 0; i < RULES; i++)
        regfree(&compiled[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_base),
        cmocka_unit_test(json),
        cmocka_unit_test(arguments),
        cmocka_unit_test(compiling),
        cmocka_unit_test(interpreting),
        cmocka_unit_test(simulating),
        cmocka_unit_test(tuning),
        cmocka_unit_test(threads_do_not_meet),
        cmocka_unit_test(names_of_types_have_the_case_of_ascii),
        cmocka_unit_test(nothing_follows_the_locale),
    };
    return cmocka_run_group_tests_name("number", tests, make_locale, remove_locale);
}
