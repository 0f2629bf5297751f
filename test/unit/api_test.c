// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every exported function and every error that it can return (api/functions.def), each produced by
// a case. The test also checks completeness: its last part fails if an exported function has no
// row, if no case produces an error that a row claims, or if a case produces one that its row does
// not claim.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elf_file.h"
#include "base/file.h"
#include "base/string.h"
#include "kiln/ahead.h"
#include "kiln/builder.h"
#include "kiln/compare.h"
#include "kiln/compile_program.h"
#include "kiln/interpret.h"
#include "kiln/iree.h"
#include "kiln/jit_compile.h"
#include "kiln/load.h"
#include "kiln/tune.h"
#include "kiln/tune_group.h"
#include "kiln/tune_model.h"
#include "kiln/tune_runner.h"
#include "kiln/tune_space.h"
#include "kiln/tuner.h"
#include "kiln/work.h"
#include "kiln/xla.h"

#define FAKE KILN_BINARY_DIR "/lib/fake_hip/fake_gfx942.so"
#define FAKE_OLD KILN_BINARY_DIR "/lib/fake_hip/fake_gfx942_old.so"
#define SIMULATOR KILN_BINARY_DIR "/lib/libkiln-sim.so"

// The table ---------------------------------------------------------------------------------------

#define BIT(code) (1u << (code))
enum {
    USAGE = BIT(KILN_STATUS_USAGE),
    INVALID_INPUT = BIT(KILN_STATUS_INVALID_INPUT),
    MISMATCH = BIT(KILN_STATUS_MISMATCH),
    NOT_FOUND = BIT(KILN_STATUS_NOT_FOUND),
    UNAVAILABLE = BIT(KILN_STATUS_UNAVAILABLE),
    OUT_OF_RESOURCES = BIT(KILN_STATUS_OUT_OF_RESOURCES),
    IO = BIT(KILN_STATUS_IO),
    DEVICE = BIT(KILN_STATUS_DEVICE),
    UNSUPPORTED = BIT(KILN_STATUS_UNSUPPORTED),
    ANSWER = BIT(30), // called with NULL, or a wrong building call
};

static struct row {
    const char *name;
    unsigned errors, shown;
    bool is_exported;
} rows[] = {
#define API(name, errors) {#name, errors, 0, false},
#define ANSWERS(name) {#name, ANSWER, 0, false},
#define BUILDS(name) {#name, ANSWER, 0, false},
#include "api/functions.def"
#undef API
#undef ANSWERS
#undef BUILDS
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static struct row *row_of(const char *name, size_t length)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strncmp(rows[i].name, name, length) == 0 && !rows[i].name[length])
            return &rows[i];
    return NULL;
}

// The row of the function that an expression calls first.
static struct row *row_of_call(const char *call)
{
    struct row *row = row_of(call, strcspn(call, "("));
    if (!row)
        print_error("no row for %s\n", call);
    assert_non_null(row);
    return row;
}

static int wrong; // cases with another result; all are reported before the test fails

static void show_refusal(int line, const char *call, unsigned error, kiln_status_t status,
                         const char *part)
{
    struct row *row = row_of_call(call);
    unsigned code = BIT((unsigned)kiln_status_code(status));
    char *text = kiln_status_format(status);
    if (code != error || !(row->errors & error) || !text || !strstr(text, part)) {
        print_error("api case of line %d: %s\n  wanted %s and '%s', got %s: %s\n", line, call,
                    kiln_status_code_name((kiln_status_code_t)__builtin_ctz(error)), part,
                    kiln_status_code_name(kiln_status_code(status)), status ? text : "");
        wrong++;
    }
    row->shown |= code;
    free(text);
    kiln_status_free(status);
}

// CASE(USAGE, kiln_buffer_create(NULL, 4, &buffer), "device is NULL"): the call must fail with this
// code, and the failure's text must contain the part.
#define CASE(error, call, part) show_refusal(__LINE__, #call, error, call, part)
// Errors for a NULL and for a broken rule: the message begins with the function's name.
#define NULLS(call, part)                                                                          \
    do {                                                                                           \
        char wanted_[160];                                                                         \
        snprintf(wanted_, sizeof wanted_, "%.*s: %s", (int)strcspn(#call, "("), #call, part);      \
        show_refusal(__LINE__, #call, USAGE, call, wanted_);                                       \
    } while (0)

static void show_answer(int line, const char *call, bool is_right)
{
    row_of_call(call)->shown |= ANSWER;
    if (!is_right) {
        print_error("api case of line %d: not so: %s\n", line, call);
        wrong++;
    }
}

// ANSWER_IS(kiln_buffer_size(NULL), == 0)
#define ANSWER_IS(call, wanted) show_answer(__LINE__, #call, (call)wanted)
// A call without a result, which must not crash.
#define SURVIVES(call)                                                                             \
    do {                                                                                           \
        call;                                                                                      \
        show_answer(__LINE__, #call, true);                                                        \
    } while (0)

static void ok(kiln_status_t status)
{
    char *text = status ? kiln_status_format(status) : NULL;
    if (status)
        print_error("%s", text);
    assert_null(status);
}

// Objects that cases use --------------------------------------------------------------------------

static struct world {
    char directory[64];
    kiln_device_t *device, *old, *simulated; // two fake libraries, and the simulator
    const char **fails;                      // the first library's call that fails
    kiln_session_t *session;
    kiln_kernel_t *kernel; // "k3": x, n
    kiln_source_t source;
} world;

static const char tile[] = "kernel void k3(f32 *x, i32 n, constexpr i32 BLOCK = 64)\n"
                           "{\n"
                           "    i32 i[BLOCK] = range(BLOCK);\n"
                           "    store(x + i, load(x + i, i < n, 0.0) + 1.0, i < n);\n"
                           "}\n";
static const char image[128] = "\x7f"
                               "ELF\2\1\1";

static void fail_call(const char *name)
{
    *world.fails = name;
}

// A case in which one call of the HIP library fails.
#define FAILING(name, call)                                                                        \
    do {                                                                                           \
        fail_call(name);                                                                           \
        CASE(DEVICE, call, name);                                                                  \
        fail_call(NULL);                                                                           \
    } while (0)

static kiln_device_t *open_device(const char *library, kiln_device_kind_t kind)
{
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = kind;
    options.hip_library = options.sim_library = library;
    kiln_device_t *device;
    ok(kiln_device_open(&options, &device));
    return device;
}

// A path in this run's directory; valid until the fourth call after this one.
static const char *path_of(const char *name)
{
    static char paths[4][128];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", world.directory, name);
    return path;
}

static const char *write_file(const char *name, const void *bytes, size_t size)
{
    const char *path = path_of(name);
    ok(kiln_file_write(path, bytes, size, 0600, KILN_FILE_NO_SYNC));
    return path;
}

static int set_up(void **state)
{
    (void)state;
    strcpy(world.directory, "/tmp/kiln-api-test.XXXXXX");
    assert_non_null(mkdtemp(world.directory));
    world.device = open_device(FAKE, KILN_DEVICE_HIP);
    world.old = open_device(FAKE_OLD, KILN_DEVICE_HIP);
    world.simulated = open_device(SIMULATOR, KILN_DEVICE_SIM);
    void *library = dlopen(FAKE, RTLD_NOW | RTLD_NOLOAD);
    world.fails = library ? dlsym(library, "fakeHipFails") : NULL;
    assert_non_null(world.fails);
    world.source = (kiln_source_t){KILN_STAGE_TILE, "k3.tile.c", tile, strlen(tile)};
    ok(kiln_session_create(&world.session));
    ok(kiln_compile(world.session, &world.source, NULL, &world.kernel));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_kernel_release(world.kernel);
    kiln_session_release(world.session);
    kiln_device_release(world.device);
    kiln_device_release(world.old);
    kiln_device_release(world.simulated);
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", world.directory);
    return system(command);
}

#include "api/cases_base.h"
#include "api/cases_builder.h"
#include "api/cases_compile.h"
#include "api/cases_jit.h"
#include "api/cases_recorded.h"
#include "api/cases_runtime.h"
#include "api/cases_tune.h"
#include "api/cases_tuner.h"

#define PART(name)                                                                                 \
    static void name##_refuses(void **state)                                                       \
    {                                                                                              \
        (void)state;                                                                               \
        wrong = 0;                                                                                 \
        name();                                                                                    \
        assert_int_equal(wrong, 0);                                                                \
    }
PART(base)
PART(runtime)
PART(jit)
PART(program)
PART(arguments)
PART(compile)
PART(builder)
PART(tune)
PART(tuner)

// Completeness ------------------------------------------------------------------------------------

// Marks the rows of a library's exported functions; reports functions without a row.
static void take_exports(const char *library)
{
    char *bytes;
    size_t size;
    ok(kiln_file_read(library, &bytes, &size));
    const Elf64_Ehdr *header = (const void *)bytes;
    const Elf64_Shdr *sections = (const void *)(bytes + header->e_shoff);
    size_t seen = 0;
    for (int i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_DYNSYM)
            continue;
        const Elf64_Sym *symbols = (const void *)(bytes + sections[i].sh_offset);
        const char *names = bytes + sections[sections[i].sh_link].sh_offset;
        for (size_t j = 0; j < sections[i].sh_size / sizeof *symbols; j++) {
            const char *name = names + symbols[j].st_name;
            if (symbols[j].st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbols[j].st_info) != STT_FUNC)
                continue;
            struct row *row = row_of(name, strlen(name));
            seen++;
            if (row)
                row->is_exported = true;
            else
                print_error("%s exports %s, and test/unit/api/functions.def has no row for it\n",
                            library, name);
            wrong += !row;
        }
    }
    assert_true(seen > 10);
    free(bytes);
}

static void the_table_is_complete(void **state)
{
    (void)state;
    wrong = 0;
    take_exports(KILN_BINARY_DIR "/lib/libkiln-rt.so");
    take_exports(KILN_BINARY_DIR "/lib/libkiln.so");
    take_exports(KILN_BINARY_DIR "/lib/libkiln-tune.so");
    size_t cases = 0;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (!rows[i].is_exported)
            print_error("no library exports %s\n", rows[i].name);
        wrong += !rows[i].is_exported;
        for (unsigned bit = 0; bit < 31; bit++) {
            bool is_claimed = rows[i].errors >> bit & 1, is_shown = rows[i].shown >> bit & 1;
            cases += is_shown;
            if (is_claimed && !is_shown)
                print_error("no case shows that %s %s%s\n", rows[i].name,
                            bit == 30 ? "takes NULL" : "fails with ",
                            bit == 30 ? "" : kiln_status_code_name((kiln_status_code_t)bit));
            wrong += is_claimed && !is_shown;
        }
    }
    print_message("%d functions, %zu errors and answers\n", ROW_COUNT, cases);
    assert_int_equal(wrong, 0);
}

// Whether a library's message names a flag. Messages must use the API's words; the command has the
// flags (compiler/cli/words.def).
static bool mentions_flags(const char *line)
{
    const char *quote = strchr(line, '"');
    for (const char *at = quote; at && *at; at++) {
        bool is_flag = at[0] == '-' && at[1] == '-' && at[2] >= 'a' && at[2] <= 'z' &&
                       (at == quote + 1 || at[-1] == ' ' || at[-1] == '(');
        if (is_flag || strncmp(at, " -D ", 4) == 0)
            return true;
    }
    return false;
}

static void read_sources(const char *directory)
{
    char *path = kiln_string_print("%s/%s", KILN_SOURCE_DIR, directory);
    DIR *entries = opendir(path);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        char *name = kiln_string_print("%s/%s", directory, entry->d_name);
        bool is_source =
            kiln_string_ends_with(name, ".c") && !kiln_string_ends_with(name, ".tile.c");
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
            strcmp(name, "compiler/cli") != 0 && strcmp(name, "runtime/sim") != 0) {
            read_sources(name);
        } else if (is_source && strcmp(name, "compiler/codegen/link/link.c") != 0 &&
                   strcmp(name, "compiler/ahead/header.c") !=
                       0) { // whose messages are for lld and for readers of a header
            char *file = kiln_string_print("%s/%s", KILN_SOURCE_DIR, name), *text;
            size_t size;
            ok(kiln_file_read(file, &text, &size));
            int number = 1;
            for (char *line = text, *end; line; line = end ? end + 1 : NULL, number++) {
                end = strchr(line, '\n');
                if (end)
                    *end = '\0';
                if (strncmp(line, "//", 2) != 0 && mentions_flags(line)) {
                    print_error("%s:%d: a message speaks of the command's flags: %s\n", name,
                                number, line);
                    wrong++;
                }
            }
            free(text);
            free(file);
        }
        free(name);
    }
    closedir(entries);
    free(path);
}

static void libraries_do_not_mention_flags(void **state)
{
    (void)state;
    wrong = 0;
    assert_true(mentions_flags("make(\"name one (--kernel=NAME)\")"));
    assert_true(mentions_flags("fail(\"given by -D %s\")"));
    assert_false(mentions_flags("i--; print(\"a -- b\")"));
    read_sources("runtime");
    read_sources("compiler");
    read_sources("autotune");
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_refuses),
        cmocka_unit_test(runtime_refuses),
        cmocka_unit_test(jit_refuses),
        cmocka_unit_test(program_refuses),
        cmocka_unit_test(arguments_refuses),
        cmocka_unit_test(compile_refuses),
        cmocka_unit_test(builder_refuses),
        cmocka_unit_test(tune_refuses),
        cmocka_unit_test(tuner_refuses),
        cmocka_unit_test(the_table_is_complete),
        cmocka_unit_test(libraries_do_not_mention_flags),
    };
    return cmocka_run_group_tests_name("api", tests, set_up, tear_down);
}
