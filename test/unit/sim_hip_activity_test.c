// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of what streams did (option `activity`): a line for each piece of work and each wait,
// with simulated times that fit together.
#include "sim_check_run.h"

#include <fcntl.h>

enum { BYTES = 1 << 16, LOOPS = 10 };

static const char *const log_path = KILN_BINARY_DIR "/test/sim_hip_activity_test.jsonl";
static hipFunction_t counted;
static hipModule_t module;
static uint32_t *buffer;

static int load(void **state)
{
    (void)state;
    char command[2400];
    const char *object = KILN_BINARY_DIR "/test/sim_hip_activity_test.o";
    snprintf(
        command, sizeof command,
        "clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx942 -mcode-object-version=5 -I" CHECK_SOURCES
        " -x assembler " CHECK_SOURCES "same.s -o %s",
        object);
    size_t size;
    if (system(command) != 0)
        return 1;
    char *bytes = check_read(object, &size);
    unlink(object);
    assert_int_equal(hipModuleLoadData(&module, bytes), 0);
    free(bytes);
    assert_int_equal(hipModuleGetFunction(&counted, module, "counted"), 0);
    assert_int_equal(hipMalloc((void **)&buffer, BYTES), 0);
    for (size_t i = 0; i < BYTES / sizeof *buffer; i++)
        buffer[i] = LOOPS;
    assert_int_equal(kilnSimSetOption("clock", "model"), 0);
    assert_int_equal(kilnSimSetOption("async", "1"), 0);
    return 0;
}

static int unload(void **state)
{
    (void)state;
    unlink(log_path);
    return (int)hipModuleUnload(module);
}

static void launch(hipStream_t stream)
{
    void *arguments[] = {&buffer, &buffer};
    assert_int_equal(hipModuleLaunchKernel(counted, 4, 1, 1, 64, 1, 1, 0, stream, arguments, NULL),
                     0);
}

static void nothing(void *data)
{
    (void)data;
}

// Starts a log. end_log returns its text, which the caller frees.
static void begin_log(void)
{
    unlink(log_path);
    assert_int_equal(kilnSimSetOption("activity", log_path), 0);
}

static char *end_log(void)
{
    size_t size;
    assert_int_equal(kilnSimSetOption("activity", ""), 0);
    return check_read(log_path, &size);
}

// The n-th line that contains a text.
static const char *line_with(const char *log, const char *text, unsigned n)
{
    static char line[8192];
    for (; *log; log += strcspn(log, "\n"), log += *log == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(log, "\n"), log);
        if (strstr(line, text) && n-- == 0)
            return line;
    }
    return NULL;
}

static double number(const char *line, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = line ? strstr(line, key) : NULL;
    if (!at)
        fail_msg("no %s in %s", name, line ? line : "a missing line");
    return at ? strtod(at + strlen(key), NULL) : 0;
}

static void work_and_waits_are_logged(void **state)
{
    (void)state;
    static char host[BYTES];
    hipStream_t stream;
    assert_int_equal(hipStreamCreate(&stream), 0);
    begin_log();
    launch(stream);
    launch(stream);
    assert_int_equal(hipMemsetAsync(buffer + 64, 0, 1024, stream), 0);
    assert_int_equal(hipLaunchHostFunc(stream, nothing, NULL), 0);
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_int_equal(hipMemcpy(host, buffer, BYTES, 2), 0);
    char *log = end_log();
    char first[8192];
    snprintf(first, sizeof first, "%s", line_with(log, "\"kernel\"", 0));
    assert_non_null(strstr(first, "\"name\":\"counted\",\"grid\":[4,1,1],\"block\":[64,1,1]"));
    assert_true(number(first, "predicted_us") > 0 && number(first, "stream") > 0);
    assert_true(number(first, "end") - number(first, "begin") >
                number(first, "predicted_us") + number(first, "launch_us") - 1e-6);
    // The second one begins where the first one ends.
    const char *second = line_with(log, "\"kernel\"", 1);
    assert_true(number(second, "begin") == number(first, "end"));
    const double end = number(second, "end");
    const char *fill = line_with(log, "\"fill\"", 0);
    assert_true(number(fill, "begin") == end && number(fill, "bytes") == 1024);
    assert_non_null(line_with(log, "\"kind\":\"host\"", 0));
    const char *copy = line_with(log, "\"copy\"", 0);
    assert_non_null(strstr(copy, "\"from\":\"device\",\"to\":\"host\""));
    assert_true(number(copy, "bytes") == BYTES && number(copy, "end") > number(copy, "begin"));
    const double copied = number(copy, "end");
    assert_non_null(line_with(log, "\"for\":\"a stream or event\"", 0));
    assert_true(number(line_with(log, "\"for\":\"its own work\"", 0), "end") == copied);
    assert_null(line_with(log, "\"kernel\"", 2));
    free(log);
    assert_int_equal(hipStreamDestroy(stream), 0);
}

static void launches_of_graphs_are_numbered(void **state)
{
    (void)state;
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    assert_int_equal(hipStreamCreate(&stream), 0);
    assert_int_equal(hipStreamBeginCapture(stream, 0), 0);
    launch(stream);
    launch(stream);
    assert_int_equal(hipStreamEndCapture(stream, &graph), 0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    begin_log();
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(hipGraphLaunch(exec, stream), 0);
    launch(stream);
    assert_int_equal(hipDeviceSynchronize(), 0);
    char *log = end_log();
    const double number_of_first = number(line_with(log, "\"kernel\"", 0), "graph");
    assert_true(number_of_first > 0);
    for (unsigned i = 0; i < 4; i++)
        assert_true(number(line_with(log, "\"kernel\"", i), "graph") == number_of_first + i / 2);
    assert_true(number(line_with(log, "\"kernel\"", 4), "graph") == 0);
    free(log);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_int_equal(hipStreamDestroy(stream), 0);
}

// Stalls are logged only for the requested kernel.
static void stalls_are_logged_of_one_kernel(void **state)
{
    (void)state;
    begin_log();
    assert_int_equal(kilnSimSetOption("stalls", "counted"), 0);
    launch(NULL);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(kilnSimSetOption("stalls", "another"), 0);
    launch(NULL);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(kilnSimSetOption("stalls", "0"), 0);
    char *log = end_log();
    const char *line = line_with(log, "\"lines\":[{", 0);
    assert_non_null(line);
    assert_non_null(strstr(line, "\"instruction\":\"global_load_dwordx4"));
    assert_non_null(strstr(line, "\"stalls\":{"));
    // Without waiting for its loads the launch would take less time.
    const double without = number(line, "waits for memory and LDS");
    assert_true(without > 0 && without < 0.9 * number(line, "predicted_us"));
    assert_null(line_with(log, "\"lines\":[{", 1));
    assert_non_null(line_with(log, "\"kernel\"", 1));
    free(log);
}

static void a_file_that_cannot_be_written_is_refused(void **state)
{
    (void)state;
    assert_int_not_equal(kilnSimSetOption("activity", "/no/such/folder/log"), 0);
    assert_non_null(strstr(kilnSimGetLastErrorMessage(), "KILN_SIM_ACTIVITY"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_and_waits_are_logged),
        cmocka_unit_test(launches_of_graphs_are_numbered),
        cmocka_unit_test(stalls_are_logged_of_one_kernel),
        cmocka_unit_test(a_file_that_cannot_be_written_is_refused),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
