// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes both sides of the comparison. The parent has no threads and loads no simulator, so that
// it may fork.
#include "execute.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "kiln/interp.h"
#include "kiln/kiln.h"
#include "kiln/runtime.h"

enum { CPU_SECONDS = 100 }; // CPU time, because machines may be busy

const char *const outcome_names[OUTCOME_COUNT] = {"equal",
                                                  "skipped",
                                                  "refused by the interpreter",
                                                  "refused by the compiler",
                                                  "failed to run",
                                                  "different",
                                                  "crashed",
                                                  "hung"};

const char *simulator;

typedef struct memory {
    unsigned char *bytes;
    size_t size;
} memory_t;

// Contents ----------------------------------------------------------------------------------------

static void fill_element(const buffer_t *b, uint64_t *state, unsigned char *element)
{
    uint64_t bits = random_next(state);
    if (b->is_wild) {
        uint64_t wild = bits & 1
                            ? extreme_bits(b->type, bits >> 8 & (EXTREMES - 1), bits >> 16 & 63)
                            : random_next(state) >> (bits & 2 ? bits >> 8 & 63 : 0);
        memcpy(element, &wild, kiln_element_size(b->type));
        if (b->type == KILN_ELEMENT_I1)
            *element &= 1;
    } else if (is_float(b->type)) {
        double max = b->max < 1e9 ? floor(b->max) : 4;
        double value = (double)(bits >> 8) * 0x1p-56 * (2 * max + 1);
        value = floor(value) - max;
        value = value == 0 && b->has_zeros && bits & 16 ? -0.0 : value + 0.0;
        if (b->is_special && (bits & 15) < 3)
            value = (bits & 15) == 0   ? (double)NAN
                    : (bits & 15) == 1 ? (double)INFINITY
                                       : -(double)INFINITY;
        kiln_element_from_double(b->type, value, element);
    } else if (b->type == KILN_ELEMENT_I1) {
        *element = bits & 1;
    } else if (isinf(b->max)) {
        // Mostly small numbers, sometimes extremes.
        int64_t value = (bits & 3) == 0 ? (int64_t)(bits >> 2) : (int64_t)(bits >> 40) % 201 - 100;
        kiln_element_from_int64(b->type, value, element);
    } else {
        int64_t max = (int64_t)b->max;
        kiln_element_from_int64(b->type, (int64_t)(bits >> 8) % (2 * max + 1) - max, element);
    }
}

static bool fill(const program_t *p, memory_t memory[MAX_BUFFERS])
{
    for (int i = 0; i < p->buffer_count; i++) {
        const buffer_t *b = &p->buffers[i];
        size_t size = kiln_element_size(b->type);
        uint64_t state = p->data_seed * 1000003 + (uint64_t)i;
        memory[i] = (memory_t){malloc(b->count * size), b->count * size};
        if (!memory[i].bytes)
            return false;
        if (b->is_output) {
            memset(memory[i].bytes, 0xA5, memory[i].size);
            continue;
        }
        for (size_t e = 0; e < b->count; e++)
            fill_element(b, &state, memory[i].bytes + e * size);
    }
    return true;
}

static void free_memory(const program_t *p, memory_t memory[MAX_BUFFERS])
{
    for (int i = 0; i < p->buffer_count; i++)
        free(memory[i].bytes);
}

// Running -----------------------------------------------------------------------------------------

static void set_outcome(result_t *out, outcome_t outcome, kiln_status_t status)
{
    char *text = kiln_status_format(status);
    out->outcome = outcome;
    if (outcome == OUTCOME_COMPILED && kiln_status_code(status) == KILN_STATUS_OUT_OF_RESOURCES)
        out->outcome = OUTCOME_SKIPPED;
    snprintf(out->message, sizeof out->message, "%s", text ? text : "");
    size_t length = strlen(out->message);
    while (length && out->message[length - 1] == '\n')
        out->message[--length] = '\0';
    free(text);
    kiln_status_free(status);
}

static void set_options(const program_t *p, kiln_compile_options_t *options)
{
    kiln_compile_options_initialize(options);
    options->num_warps = p->num_warps;
    options->num_stages = p->num_stages;
    options->waves_per_eu = p->waves_per_eu;
    options->matrix_instr_nonkdim = p->matrix_instr_nonkdim;
    options->kpack = p->kpack;
    if (p->disabled_pass) {
        options->disabled_passes = &p->disabled_pass;
        options->disabled_pass_count = 1;
    }
}

// Whether the kernel compiles without the passes that only make code faster.
static bool compiles_unoptimized(kiln_session_t *session, const kiln_source_t *source,
                                 kiln_compile_options_t options)
{
    kiln_kernel_t *kernel = NULL;
    options.disabled_passes = kiln_optimize_passes(&options.disabled_pass_count);
    kiln_status_t status = kiln_compile(session, source, &options, &kernel);
    const bool compiles = !status;
    kiln_status_free(status);
    kiln_kernel_release(kernel);
    return compiles;
}

static kiln_source_t source_of(const program_t *p)
{
    return (kiln_source_t){
        .stage = KILN_STAGE_TT, .name = "kernel.ttir", .text = p->text, .length = strlen(p->text)};
}

static void append_text(const char *text, void *printed)
{
    kiln_string_append(printed, text);
}

// `printed` (may be NULL) receives the output of tt.print.
static kiln_status_t interpret(const program_t *p, memory_t memory[MAX_BUFFERS],
                               kiln_string_t *printed)
{
    kiln_session_t *session = NULL;
    kiln_interp_t *interp = NULL;
    uint64_t arguments[MAX_BUFFERS + MAX_SCALARS + MAX_OTHERS];
    kiln_interp_buffer_t buffers[MAX_BUFFERS];
    char names[MAX_BUFFERS][8];
    kiln_interp_launch_t launch;
    kiln_compile_options_t options;
    kiln_source_t source = source_of(p);
    set_options(p, &options);
    kiln_interp_launch_initialize(&launch);
    memcpy(launch.grid, p->grid, sizeof launch.grid);
    for (int i = 0; i < p->buffer_count; i++) {
        snprintf(names[i], sizeof names[i], "b%d", i);
        arguments[i] = UINT64_C(0x100000000) * (uint64_t)(i + 1);
        buffers[i] =
            (kiln_interp_buffer_t){names[i], arguments[i], memory[i].bytes, memory[i].size};
        arguments[i] += p->buffers[i].before * kiln_element_size(p->buffers[i].type);
    }
    for (int i = 0; i < p->scalar_count; i++)
        arguments[p->buffer_count + i] = (uint32_t)p->scalars[i];
    for (int i = 0; i < p->other_count; i++)
        arguments[p->buffer_count + p->scalar_count + i] = p->others[i].bits;
    launch.print = printed ? append_text : NULL;
    launch.print_user = printed;
    launch.arguments = arguments;
    launch.argument_count = (size_t)(p->buffer_count + p->scalar_count + p->other_count);
    launch.buffers = buffers;
    launch.buffer_count = (size_t)p->buffer_count;
    kiln_status_t status = kiln_session_create(&session);
    if (!status)
        status = kiln_interp_create(session, &source, &options, &interp);
    if (!status)
        status = kiln_interp_launch(interp, &launch);
    kiln_interp_release(interp);
    kiln_session_release(session);
    return status;
}

static kiln_status_t launch_on(kiln_device_t *device, const program_t *p,
                               const kiln_kernel_t *kernel, memory_t memory[MAX_BUFFERS])
{
    kiln_module_t *module = NULL;
    kiln_function_t *function = NULL;
    kiln_buffer_t *buffers[MAX_BUFFERS];
    uint64_t addresses[MAX_BUFFERS];
    void *pointers[MAX_BUFFERS + MAX_SCALARS + MAX_OTHERS];
    int scalars[MAX_SCALARS];
    uint64_t others[MAX_OTHERS];
    kiln_launch_t launch;
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    KILN_TRY(kiln_module_load(device, code, size, &module));
    KILN_TRY(kiln_module_function(module, kiln_kernel_name(kernel), &function));
    for (int i = 0; i < p->buffer_count; i++) {
        KILN_TRY(kiln_buffer_create(device, memory[i].size, &buffers[i]));
        KILN_TRY(kiln_buffer_write(buffers[i], 0, memory[i].bytes, memory[i].size));
        addresses[i] = kiln_buffer_address(buffers[i]) +
                       p->buffers[i].before * kiln_element_size(p->buffers[i].type);
        pointers[i] = &addresses[i];
    }
    for (int i = 0; i < p->scalar_count; i++) {
        scalars[i] = p->scalars[i];
        pointers[p->buffer_count + i] = &scalars[i];
    }
    for (int i = 0; i < p->other_count; i++) {
        others[i] = p->others[i].bits;
        pointers[p->buffer_count + p->scalar_count + i] = &others[i];
    }
    kiln_launch_initialize(&launch);
    memcpy(launch.grid, p->grid, sizeof launch.grid);
    launch.block[0] = kiln_kernel_block_size(kernel);
    launch.args = pointers;
    KILN_TRY(kiln_function_launch(function, &launch));
    KILN_TRY(kiln_device_synchronize(device));
    KILN_TRY(kiln_device_checked(device));
    for (int i = 0; i < p->buffer_count; i++)
        KILN_TRY(kiln_buffer_read(buffers[i], 0, memory[i].bytes, memory[i].size));
    return KILN_OK; // the process exits: nothing is released
}

static kiln_status_t simulate(const program_t *p, const kiln_kernel_t *kernel,
                              memory_t memory[MAX_BUFFERS])
{
    kiln_device_options_t options;
    kiln_device_t *device;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_library = simulator ? simulator : KILN_BINARY_DIR "/lib/libkiln-sim.so";
    setenv("KILN_SIM_CHECK", p->checks ? "all" : "off", 1);
    setenv("KILN_SIM_THREADS", "1", 1);
    KILN_TRY(kiln_device_open(&options, &device));
    return launch_on(device, p, kernel, memory);
}

// Comparison --------------------------------------------------------------------------------------

static bool equal_elements(const buffer_t *b, const unsigned char *x, const unsigned char *r)
{
    if (memcmp(x, r, kiln_element_size(b->type)) == 0)
        return true;
    if (!is_float(b->type))
        return false;
    double a = kiln_element_to_double(b->type, x), e = kiln_element_to_double(b->type, r);
    if (isnan(a) || isnan(e))
        return isnan(a) && isnan(e);
    if (a == 0 && e == 0)
        return b->any_zero || b->tolerance > 0 || signbit(a) == signbit(e);
    return a == e || (b->tolerance > 0 && fabs(a - e) <= b->tolerance * fabs(e));
}

static void compare(const program_t *p, memory_t actual[MAX_BUFFERS],
                    memory_t expected[MAX_BUFFERS], result_t *out)
{
    out->outcome = OUTCOME_EQUAL;
    for (int i = 0; i < p->buffer_count; i++) {
        const buffer_t *b = &p->buffers[i];
        size_t size = kiln_element_size(b->type), wrong = 0, first = 0;
        for (size_t e = 0; e < b->count; e++)
            if (!equal_elements(b, actual[i].bytes + e * size, expected[i].bytes + e * size) &&
                wrong++ == 0)
                first = e;
        if (!wrong)
            continue;
        out->outcome = OUTCOME_DIFFERENT;
        const unsigned char *x = actual[i].bytes + first * size,
                            *r = expected[i].bytes + first * size;
        if (is_float(b->type))
            snprintf(out->message, sizeof out->message,
                     "buffer b%d: %zu of %zu elements differ, first [%zu] = %.9g, expected %.9g", i,
                     wrong, b->count, first, kiln_element_to_double(b->type, x),
                     kiln_element_to_double(b->type, r));
        else
            snprintf(out->message, sizeof out->message,
                     "buffer b%d: %zu of %zu elements differ, first [%zu] = %lld, expected %lld", i,
                     wrong, b->count, first, (long long)kiln_element_to_int64(b->type, x),
                     (long long)kiln_element_to_int64(b->type, r));
        return;
    }
}

// Compares the printed lines in any order: signs of zeros and NaNs are unspecified, as in memory.
static int in_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **sorted_lines(char *text, size_t *out_count)
{
    size_t count = 0;
    char **lines = calloc(strlen(text) + 1, sizeof *lines);
    for (char *rest = text, *at; lines && (at = strsep(&rest, "\n"));) {
        char *sign = strrchr(at, '-');
        if (sign && (strcmp(sign, "-nan") == 0 || strspn(sign, "-0.") == strlen(sign)))
            memmove(sign, sign + 1, strlen(sign));
        lines[count++] = at;
    }
    if (lines)
        qsort(lines, count, sizeof *lines, in_order);
    *out_count = count;
    return lines;
}

static void compare_prints(char *actual, char *expected, result_t *out)
{
    size_t actual_count, expected_count;
    char **a = sorted_lines(actual, &actual_count), **e = sorted_lines(expected, &expected_count);
    size_t i = 0;
    while (a && e && i < actual_count && i < expected_count && strcmp(a[i], e[i]) == 0)
        i++;
    if (i < actual_count || i < expected_count) {
        out->outcome = OUTCOME_DIFFERENT;
        snprintf(out->message, sizeof out->message, "it prints '%.80s', expected '%.80s'",
                 a && i < actual_count ? a[i] : "", e && i < expected_count ? e[i] : "");
    }
    free(a);
    free(e);
}

static char *read_all(FILE *file)
{
    kiln_string_t text = {0};
    char part[4096];
    rewind(file);
    for (size_t count; (count = fread(part, 1, sizeof part, file)) > 0;)
        kiln_string_append_bytes(&text, part, count);
    return text.length ? kiln_string_take(&text) : strdup("");
}

static void run_here(const program_t *p, result_t *out)
{
    memory_t expected[MAX_BUFFERS], actual[MAX_BUFFERS];
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    kiln_compile_options_t options;
    kiln_source_t source = source_of(p);
    if (!fill(p, expected) || !fill(p, actual)) {
        set_outcome(out, OUTCOME_RUN,
                    kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory"));
        return;
    }
    kiln_string_t printed = {0};
    FILE *file = tmpfile(); // replaces stdout, to which the simulator prints
    if (!file || dup2(fileno(file), STDOUT_FILENO) < 0) {
        set_outcome(out, OUTCOME_RUN,
                    kiln_status_make(KILN_STATUS_IO, "no file for what is printed"));
        return;
    }
    kiln_status_t status = interpret(p, expected, &printed);
    if (status) {
        set_outcome(out, OUTCOME_INTERPRETED, status);
        return;
    }
    set_options(p, &options);
    status = kiln_session_create(&session);
    if (!status)
        status = kiln_compile(session, &source, &options, &kernel);
    if (status) {
        const bool may_differ =
            p->is_volatile && kiln_status_code(status) == KILN_STATUS_UNSUPPORTED;
        set_outcome(out, OUTCOME_COMPILED, status);
        if (may_differ && !compiles_unoptimized(session, &source, options))
            out->outcome = OUTCOME_SKIPPED;
        return;
    }
    status = simulate(p, kernel, actual);
    if (status) {
        set_outcome(out, OUTCOME_RUN, status);
        return;
    }
    compare(p, actual, expected, out);
    fflush(stdout);
    char *actual_text = read_all(file),
         *expected_text = printed.length ? kiln_string_take(&printed) : strdup("");
    if (out->outcome == OUTCOME_EQUAL && actual_text && expected_text)
        compare_prints(actual_text, expected_text, out);
}

void program_run(const program_t *program, result_t *out)
{
    int ends[2];
    *out = (result_t){.outcome = OUTCOME_CRASHED};
    if (pipe(ends) != 0)
        abort();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        struct rlimit time = {CPU_SECONDS, CPU_SECONDS + 1};
        setrlimit(RLIMIT_CPU, &time);
        freopen("/dev/null", "w", stderr);
        result_t result = {0};
        run_here(program, &result);
        ssize_t written = write(ends[1], &result, sizeof result);
        _exit(written == (ssize_t)sizeof result ? 0 : 1);
    }
    close(ends[1]);
    if (read(ends[0], out, sizeof *out) != (ssize_t)sizeof *out)
        *out = (result_t){.outcome = OUTCOME_CRASHED};
    close(ends[0]);
    int state = 0;
    waitpid(child, &state, 0);
    if (WIFSIGNALED(state)) {
        out->outcome = WTERMSIG(state) == SIGXCPU ? OUTCOME_HUNG : OUTCOME_CRASHED;
        snprintf(out->message, sizeof out->message, "%s", strsignal(WTERMSIG(state)));
    }
}

// Saving ------------------------------------------------------------------------------------------

static bool save_file(const char *directory, const char *name, const void *data, size_t size)
{
    char *path = kiln_path_join(directory, name);
    kiln_status_t status = kiln_file_write(path, data, size, 0666, KILN_FILE_NO_SYNC);
    free(path);
    kiln_status_free(status);
    return !status;
}

static char *case_json(const program_t *p, bool has_results)
{
    kiln_string_t s = {0};
    kiln_string_appendf(&s,
                        "{\"name\": \"random\", \"entry\": \"k\", \"grid\": [%u, %u, %u], "
                        "\"num_warps\": %d, \"num_stages\": %d,\n",
                        p->grid[0], p->grid[1], p->grid[2], p->num_warps, p->num_stages);
    kiln_string_appendf(&s,
                        " \"options\": {\"matrix_instr_nonkdim\": %d, \"waves_per_eu\": %d, "
                        "\"kpack\": %d},\n \"args\": [",
                        p->matrix_instr_nonkdim, p->waves_per_eu, p->kpack);
    for (int i = 0; i < p->buffer_count; i++) {
        const buffer_t *b = &p->buffers[i];
        // 8-bit floats are saved as bytes.
        const char *element = is_small_float(b->type) ? "i8" : kiln_element_type_name(b->type);
        kiln_string_appendf(
            &s,
            "%s\n  {\"name\": \"b%d\", \"type\": \"ptr\", \"elem\": \"%s\", \"in\": \"b%d.in.bin\"",
            i ? "," : "", i, element, i);
        if (has_results && (b->is_output || b->takes_sums))
            kiln_string_appendf(&s, ", \"out\": \"b%d.out.bin\"", i);
        kiln_string_append(&s, "}");
    }
    for (int i = 0; i < p->scalar_count; i++)
        kiln_string_appendf(&s, "%s\n  {\"name\": \"n%d\", \"type\": \"i32\", \"value\": %d}",
                            i || p->buffer_count ? "," : "", i, p->scalars[i]);
    for (int i = 0; i < p->other_count; i++)
        kiln_string_appendf(&s, ",\n  {\"name\": \"o%d\", \"type\": \"%s\", \"value\": %d}", i,
                            kiln_element_type_name(p->others[i].type), p->others[i].value);
    kiln_string_append(&s, "]}\n");
    return kiln_string_take(&s);
}

bool program_save(const program_t *p, const char *directory)
{
    memory_t memory[MAX_BUFFERS];
    kiln_status_t status = kiln_directory_make(directory, 0777);
    bool good = !status && fill(p, memory);
    kiln_status_free(status);
    if (!good)
        return false;
    good = save_file(directory, "kernel.ttir", p->text, strlen(p->text));
    for (int i = 0; i < p->buffer_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "b%d.in.bin", i);
        good &= save_file(directory, name, memory[i].bytes, memory[i].size);
    }
    status = interpret(p, memory, NULL);
    for (int i = 0; i < p->buffer_count && !status; i++) {
        char name[32];
        snprintf(name, sizeof name, "b%d.out.bin", i);
        good &= save_file(directory, name, memory[i].bytes, memory[i].size);
    }
    char *json = case_json(p, !status);
    good &= json && save_file(directory, "case.json", json, strlen(json));
    free(json);
    kiln_status_free(status);
    free_memory(p, memory);
    return good;
}
