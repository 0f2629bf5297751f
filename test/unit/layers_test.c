// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers may only include lower layers: collects which layer (layers.def) includes which, and fails
// if a file includes one of a layer that is not below its own, or is too long.
//
// A quoted path that is not a file of the tree must be LLVM's or generated; anything else would be
// a dependency that the test misses.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ftw.h>
#include <unistd.h>

enum { MAX_LAYERS = 64, MAX_PATH = 512, MAX_LINES = 650 };

static const struct {
    const char *name, *path, *allowed;
} rows[] = {
#define LAYER(name, path, allowed) {name, path, allowed},
#include "layers.def"
#undef LAYER
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

// The include directories for quoted includes after the including file's own folder, as CMake
// passes them to the compiler.
static const char *const roots[] = {
    "runtime/base/include", "runtime/include", "runtime",          "runtime/sim",
    "dialects/include",     "dialects",        "compiler/include", "compiler",
    "autotune/include",     "autotune"};

// A layer's number is that of the first row with its name.
static bool may_include[MAX_LAYERS][MAX_LAYERS]; // [a][b]: a may include b
static unsigned arrows[MAX_LAYERS][MAX_LAYERS], file_count, failures;

static int layer_named(const char *name, size_t length)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0)
            return i;
    return -1;
}

static int layer_of(const char *path)
{
    int best = -1;
    for (int i = 0; i < ROW_COUNT; i++) {
        size_t length = strlen(rows[i].path);
        bool fits = strncmp(path, rows[i].path, length) == 0 &&
                    (path[length] == '/' || path[length] == '\0');
        if (fits && (best < 0 || length > strlen(rows[best].path)))
            best = i;
    }
    return best < 0 ? best : layer_named(rows[best].name, strlen(rows[best].name));
}

static void close_may_include(void)
{
    for (int i = 0; i < ROW_COUNT; i++) {
        int own = layer_named(rows[i].name, strlen(rows[i].name));
        may_include[own][own] = true;
        for (const char *name = rows[i].allowed; *name; name += strspn(name, ", ")) {
            size_t length = strcspn(name, ",");
            int below = layer_named(name, length);
            assert_true(below >= 0);
            may_include[own][below] = true;
            name += length;
        }
    }
    for (int k = 0; k < ROW_COUNT; k++)
        for (int i = 0; i < ROW_COUNT; i++)
            for (int j = 0; j < ROW_COUNT; j++)
                may_include[i][j] |= may_include[i][k] && may_include[k][j];
}

// Simplifies "a/b/../c" to "a/c".
static void simplify(char *path)
{
    for (char *up; (up = strstr(path, "/../"));) {
        char *start = up;
        while (start > path && start[-1] != '/')
            start--;
        memmove(start, up + 4, strlen(up + 4) + 1);
    }
}

static bool find(const char *directory, const char *name, char out[MAX_PATH])
{
    int length = snprintf(out, MAX_PATH, "%s/%s", directory, name);
    assert_true(length > 0 && length < MAX_PATH);
    simplify(out);
    return access(out, R_OK) == 0;
}

static bool is_foreign(const char *name)
{
    static const char *const folders[] = {"llvm/", "llvm-c/", "mlir/", "mlir-c/", "lld/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(name, folders[i], strlen(folders[i])) == 0)
            return true;
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".inc") == 0; // from TableGen
}

static void complain(const char *path, unsigned line, const char *name, const char *what)
{
    print_error("%s:%u: \"%s\" %s\n", path, line, name, what);
    failures++;
}

static void check_include(const char *path, unsigned line, const char *name)
{
    char directory[MAX_PATH], target[MAX_PATH];
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') - path), path);
    bool found = find(directory, name, target);
    for (size_t i = 0; !found && i < sizeof roots / sizeof *roots; i++)
        found = find(roots[i], name, target);
    if (!found) {
        if (!is_foreign(name))
            complain(path, line, name, "is not a file of Kiln");
        return;
    }
    int from = layer_of(path), to = layer_of(target);
    if (to < 0) {
        complain(path, line, name, "is not part of a layer of layers.def");
        return;
    }
    arrows[from][to]++;
    if (!may_include[from][to]) {
        char what[128];
        snprintf(what, sizeof what, "goes up: '%s' is not beneath '%s'", rows[to].name,
                 rows[from].name);
        complain(path, line, name, what);
    }
}

static bool is_source(const char *path)
{
    static const char *const suffixes[] = {".c", ".h", ".cpp", ".def", ".inc"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(dot, suffixes[i]) == 0)
            return true;
    return false;
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)where;
    if (kind != FTW_F || !is_source(path))
        return 0;
    if (layer_of(path) < 0)
        complain(path, 1, path, "is not part of a layer of layers.def");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    file_count++;
    char text[1024], name[256];
    unsigned line = 1;
    for (; fgets(text, sizeof text, file); line++)
        if (sscanf(text, " # include \"%255[^\"]\"", name) == 1 && layer_of(path) >= 0)
            check_include(path, line, name);
    fclose(file);
    if (line > MAX_LINES + 1)
        complain(path, line - 1, path, "is longer than 650 lines: split it by idea");
    return 0;
}

static void draw(void)
{
    for (int i = 0; i < ROW_COUNT; i++) {
        if (layer_of(rows[i].path) != i)
            continue;
        printf("%-12s →", rows[i].name);
        for (int j = 0; j < ROW_COUNT; j++)
            if (j != i && arrows[i][j])
                printf(" %s (%u)", rows[j].name, arrows[i][j]);
        printf("\n");
    }
}

static void includes_go_down_only(void **state)
{
    (void)state;
    close_may_include();
    for (int i = 0; i < ROW_COUNT; i++)
        for (int j = 0; j < i; j++) // otherwise the table itself would have an upward arrow
            assert_false(may_include[i][j] && may_include[j][i]);
    assert_int_equal(chdir(KILN_SOURCE_DIR), 0);
    static const char *const parts[] = {"runtime", "dialects", "compiler", "autotune"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_int_equal(nftw(parts[i], visit, 16, FTW_PHYS), 0);
    draw();
    assert_true(file_count > 300);
    assert_int_equal(failures, 0);
}

// The test itself works: an include from the bottom layer to the top one is reported.
static void an_upward_include_is_reported(void **state)
{
    (void)state;
    unsigned before = failures;
    check_include("runtime/base/string.c", 1, "kiln/tune.h");
    check_include("runtime/hip/device.c", 1, "builder/ir.h");
    check_include("compiler/layout/layout.c", 1, "passes/pass.h");
    check_include("compiler/layout/layout.c", 1, "no_such_file.h");
    assert_int_equal(failures - before, 4);
    check_include("runtime/hip_sim/module/module.c", 1, "sim/load/bundle.h");
    check_include("runtime/hip_sim/module/module.c", 1, "load/bundle.h");
    check_include("runtime/hip_sim/module/module.c", 1, "sim/isa/memory.def");
    check_include("runtime/sim/port/memory.h", 1, "sim/memory/memory.h");
    assert_int_equal(failures - before, 8);
    check_include("compiler/cli/main.c", 1, "base/string.h");
    check_include("runtime/hip_sim/module/module.c", 1, "sim/port/machine.h");
    assert_int_equal(failures - before, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(includes_go_down_only),
                                       cmocka_unit_test(an_upward_include_is_reported)};
    return cmocka_run_group_tests_name("layers", tests, NULL, NULL);
}
