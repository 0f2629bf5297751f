// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The costs of a program that embeds Kiln: ./dev bench embed [--runs=N] [--kernels=N]
// [--triton=PYTHON]
//
// Cold start: the time from start to exit of a process that opens the simulator, compiles 50
// kernels with libkiln.so or takes them from a bundle, and loads them. PYTHON, an interpreter that
// has Triton, compiles the same TTIR, and takes it from its cache. Launches: the number per second
// of CPU time, of the 50 kernels in turn, to a HIP library that does nothing, and of one kernel on
// the simulator; also with Triton. Memory: the growth of a process for each of N kernels that it
// compiles, loads, launches and never unloads.
//
// Each figure of cold start is measured in a process of its own, which is this program with --part.
// Kernels of different names are different kernels to every cache, so each gets a name of its own.
#include <getopt.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "kiln/ahead.h"
#include "kiln/arguments.h"
#include "kiln/kiln.h"
#include "kiln/load.h"

enum {
    KERNELS = 50,
    MAX_RUNS = 25,
    MAX_ARGUMENTS = 32,
    LAUNCHES = 2000000,
    SIMULATED_LAUNCHES = 20000
};

static void check(kiln_status_t status)
{
    if (!status)
        return;
    char *text = kiln_status_format(status);
    fprintf(stderr, "bench_embed: %s", text ? text : "out of memory\n");
    exit(1);
}

static void *must(void *pointer)
{
    if (!pointer)
        exit((perror("bench_embed"), 1));
    return pointer;
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static char *read_file(const char *path, size_t *out_size)
{
    FILE *file = must(fopen(path, "rb"));
    fseek(file, 0, SEEK_END);
    *out_size = (size_t)ftell(file);
    rewind(file);
    char *bytes = must(malloc(*out_size + 1));
    if (fread(bytes, 1, *out_size, file) != *out_size)
        exit((perror(path), 1));
    bytes[*out_size] = 0;
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = must(fopen(path, "wb"));
    if (fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        exit((perror(path), 1));
}

// Kernels -----------------------------------------------------------------------------------------

// The kernels to compile: the calls of kernels/calls.json in order, then again with twice the
// waves, and so on.
typedef struct input {
    const json_t *call;
    char *name, *text; // of a kernel that exists once
    size_t length;
    int num_warps;
} input_t;

static json_t *calls;

static input_t make_input(size_t call, unsigned round, size_t number)
{
    input_t input = {.call = json_array_get(calls, call)};
    char path[4096], symbol[64];
    const char *kernel = json_string_value(json_object_get(input.call, "kernel"));
    const json_t *warps = json_object_get(json_object_get(input.call, "settings"), "num_warps");
    input.num_warps = (warps ? (int)json_integer_value(warps) : 4) << round;
    snprintf(path, sizeof path, KILN_BENCH_DIR "/kernels/%s.ttir", kernel);
    size_t length, size;
    char *text = read_file(path, &length);
    size_t before = (size_t)snprintf(symbol, sizeof symbol, "@%s(", kernel);
    char *at = strstr(text, symbol);
    if (!at)
        exit((fprintf(stderr, "bench_embed: no %s in %s\n", symbol, path), 1));
    FILE *out = must(open_memstream(&input.text, &size));
    fprintf(out, "%.*s@%s_%zu(%s", (int)(at - text), text, kernel, number, at + before);
    fclose(out);
    input.length = size;
    snprintf(symbol, sizeof symbol, "%s_%zu", kernel, number);
    input.name = must(strdup(symbol));
    free(text);
    return input;
}

static void free_input(input_t *input)
{
    free(input->name);
    free(input->text);
}

static kiln_kernel_t *compile(kiln_session_t *session, const input_t *input)
{
    const kiln_source_t source = {KILN_STAGE_TT, input->name, input->text, input->length};
    kiln_compile_options_t options;
    kiln_kernel_t *kernel;
    kiln_compile_options_initialize(&options);
    options.num_warps = input->num_warps;
    check(kiln_compile(session, &source, &options, &kernel));
    return kernel;
}

static kiln_function_t *load(kiln_device_t *device, const kiln_kernel_t *kernel)
{
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    kiln_module_t *module; // never unloaded
    kiln_function_t *function;
    check(kiln_module_load(device, code, size, &module));
    check(kiln_module_function(module, kiln_kernel_name(kernel), &function));
    return function;
}

static kiln_device_t *open_device(const char *hip_library)
{
    kiln_device_options_t options;
    kiln_device_t *device;
    kiln_device_options_initialize(&options);
    options.kind = hip_library ? KILN_DEVICE_HIP : KILN_DEVICE_SIM;
    options.hip_library = hip_library;
    check(kiln_device_open(&options, &device));
    return device;
}

// Cold start --------------------------------------------------------------------------------------

typedef struct work {
    const char *folder;
    pthread_mutex_t lock;
    size_t next;
    kiln_kernel_t *kernels[KERNELS];
} work_t;

// The parent has written the kernels into the folder, as N.ttir with their number of waves in
// N.warps.
static input_t read_input(const char *folder, size_t number)
{
    char path[4096];
    size_t length;
    input_t input = {0};
    snprintf(path, sizeof path, "%s/%zu.ttir", folder, number);
    input.name = must(strdup(path));
    input.text = read_file(path, &input.length);
    snprintf(path, sizeof path, "%s/%zu.warps", folder, number);
    char *warps = read_file(path, &length);
    input.num_warps = atoi(warps);
    free(warps);
    return input;
}

static void *compile_some(void *user)
{
    work_t *work = user;
    kiln_session_t *session;
    check(kiln_session_create(&session));
    for (;;) {
        pthread_mutex_lock(&work->lock);
        size_t number = work->next < KERNELS ? work->next++ : KERNELS;
        pthread_mutex_unlock(&work->lock);
        if (number == KERNELS)
            break;
        input_t input = read_input(work->folder, number);
        work->kernels[number] = compile(session, &input);
        free_input(&input);
    }
    kiln_session_release(session);
    return NULL;
}

static void compile_all(work_t *work, int thread_count)
{
    pthread_t threads[16];
    pthread_mutex_init(&work->lock, NULL);
    for (int i = 1; i < thread_count; i++)
        pthread_create(&threads[i], NULL, compile_some, work);
    compile_some(work);
    for (int i = 1; i < thread_count; i++)
        pthread_join(threads[i], NULL);
}

static void part_compile(const char *folder, int thread_count)
{
    work_t work = {.folder = folder};
    kiln_device_t *device = open_device(NULL);
    compile_all(&work, thread_count);
    for (size_t i = 0; i < KERNELS; i++)
        load(device, work.kernels[i]);
}

static void part_bundle(const char *folder)
{
    char path[4096];
    const char *paths[] = {path};
    kiln_program_t *program;
    snprintf(path, sizeof path, "%s/all.kbundle", folder);
    check(kiln_program_load(open_device(NULL), paths, 1, &program));
    check(kiln_program_prepare(program));
    if (kiln_program_variant_count(program) != KERNELS)
        exit((fprintf(stderr, "bench_embed: the bundle has lost kernels\n"), 1));
}

static void make_bundle(work_t *work)
{
    char path[4096];
    kiln_compiled_t parts[KERNELS];
    void *bundle;
    size_t size;
    for (size_t i = 0; i < KERNELS; i++) {
        parts[i].code_object =
            kiln_kernel_code_object(work->kernels[i], &parts[i].code_object_size);
        parts[i].manifest = kiln_kernel_manifest(work->kernels[i]);
    }
    check(kiln_bundle_make(parts, KERNELS, &bundle, &size));
    snprintf(path, sizeof path, "%s/all.kbundle", work->folder);
    write_file(path, bundle, size);
    free(bundle);
}

// A process ---------------------------------------------------------------------------------------

typedef struct cost {
    double wall, processor, mib;
} cost_t;

static cost_t run_once(char *const *words)
{
    double begin = seconds();
    pid_t child = fork();
    if (child == 0) {
        execvp(words[0], words);
        perror(words[0]);
        _exit(127);
    }
    int result;
    struct rusage used;
    if (child < 0 || wait4(child, &result, 0, &used) != child || result != 0)
        exit((fprintf(stderr, "bench_embed: a run of %s has failed\n", words[0]), 1));
    return (cost_t){(seconds() - begin) * 1e3,
                    (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
                        (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-3,
                    (double)used.ru_maxrss / 1024};
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[count / 2];
}

static void show_cost(const char *what, char *const *words, int runs)
{
    double wall[MAX_RUNS], processor[MAX_RUNS], mib[MAX_RUNS];
    for (int i = 0; i < runs; i++) {
        cost_t cost = run_once(words);
        wall[i] = cost.wall;
        processor[i] = cost.processor;
        mib[i] = cost.mib;
    }
    printf("%-44s %9.0f %9.0f %9.0f\n", what, median(wall, runs), median(processor, runs),
           median(mib, runs));
    fflush(stdout);
}

#define PART(...)                                                                                  \
    (char *const[])                                                                                \
    {                                                                                              \
        "/proc/self/exe", "--part", __VA_ARGS__, NULL                                              \
    }
#define TRITON(...)                                                                                \
    (char *const[])                                                                                \
    {                                                                                              \
        triton, KILN_BENCH_DIR "/triton_start.py", __VA_ARGS__, NULL                               \
    }

#define TRITON_LAUNCH(...)                                                                         \
    (char *const[])                                                                                \
    {                                                                                              \
        triton, KILN_BENCH_DIR "/triton_launch.py", folder, __VA_ARGS__, NULL                      \
    }

static void cold_start(char *folder, char *triton, int runs)
{
    printf("%-44s %9s %9s %9s\n", "cold start, medians", "wall ms", "cpu ms", "peak MiB");
    show_cost("the device alone", PART("device", folder), runs);
    show_cost("50 kernels compiled, 1 thread", PART("1", folder), runs);
    show_cost("50 kernels compiled, 2 threads", PART("2", folder), runs);
    show_cost("50 kernels from a bundle", PART("bundle", folder), runs);
    if (!triton)
        return;
    show_cost("Triton: imported", TRITON("import", folder), runs);
    show_cost("Triton: 50 kernels compiled", TRITON("compile", folder), runs);
    show_cost("Triton: 50 kernels from its cache", TRITON("cache", folder), runs);
}

// Launches and memory -----------------------------------------------------------------------------

// A call's arguments on a device, for any kernel of the call.
typedef struct bound {
    kiln_arguments_t *arguments;
    uint64_t cells[MAX_ARGUMENTS];
    void *args[MAX_ARGUMENTS];
} bound_t;

static void bind(bound_t *bound, const json_t *call, const kiln_kernel_t *kernel,
                 kiln_device_t *device)
{
    kiln_parameter_t parameters[MAX_ARGUMENTS];
    kiln_setting_t settings[MAX_ARGUMENTS];
    char values[MAX_ARGUMENTS][16];
    size_t index, setting_count = 0, count = kiln_kernel_argument_count(kernel), value_count;
    const char *name;
    json_t *word, *value;
    json_object_foreach(json_object_get(call, "settings"), name, value)
    {
        snprintf(values[setting_count], sizeof values[0], "%d",
                 json_is_boolean(value) ? json_is_true(value) : (int)json_integer_value(value));
        settings[setting_count] = (kiln_setting_t){name, values[setting_count]};
        setting_count++;
    }
    check(kiln_arguments_create(device, &bound->arguments));
    kiln_arguments_define(bound->arguments, settings, setting_count);
    json_array_foreach(json_object_get(call, "words"), index, word)
        check(kiln_arguments_add(bound->arguments, json_string_value(word)));
    const kiln_jit_argument_t *given = kiln_arguments_values(bound->arguments, &value_count);
    for (size_t i = 0; i < count; i++) {
        const kiln_argument_t *argument = kiln_kernel_argument(kernel, i);
        parameters[i] = (kiln_parameter_t){argument->name, argument->type, argument->sign};
        bound->args[i] = &bound->cells[i];
    }
    check(kiln_jit_bind(kiln_kernel_name(kernel), parameters, count, given, value_count,
                        bound->cells));
}

static void launch(kiln_function_t *function, const kiln_kernel_t *kernel, bound_t *bound)
{
    kiln_launch_t one;
    kiln_launch_initialize(&one);
    one.block[0] = kiln_kernel_block_size(kernel);
    one.args = bound->args;
    check(kiln_function_launch(function, &one));
}

// One workgroup of these is little work.
static const char *const quick[] = {"vec_add", "softmax", "layernorm",
                                    "rotary",  "dropout", "row_cumsum"};
enum { QUICK = sizeof quick / sizeof *quick };

static size_t find_call(const char *kernel)
{
    for (size_t i = 0; i < json_array_size(calls); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(calls, i), "kernel")),
                   kernel) == 0)
            return i;
    exit((fprintf(stderr, "bench_embed: calls.json has no %s\n", kernel), 1));
}

static void part_launch(const char *folder)
{
    static uint64_t cells[MAX_ARGUMENTS];
    static bound_t none;
    work_t work = {.folder = folder};
    kiln_device_t *device = open_device(KILN_FAKE_HIP);
    kiln_function_t *functions[KERNELS];
    compile_all(&work, 1);
    for (size_t i = 0; i < MAX_ARGUMENTS; i++)
        none.args[i] = &cells[i];
    for (size_t i = 0; i < KERNELS; i++)
        functions[i] = load(device, work.kernels[i]);
    double begin = processor_seconds();
    for (size_t i = 0; i < LAUNCHES; i++)
        launch(functions[i % KERNELS], work.kernels[i % KERNELS], &none);
    printf("launches, 50 kernels in turn, to a HIP library that does nothing: %.1f million a "
           "second of processor time\n",
           LAUNCHES / (processor_seconds() - begin) * 1e-6);
}

// Launches one workgroup of a vector addition, so that the overhead of a launch dominates.
static void part_simulated(void)
{
    static bound_t bound;
    kiln_device_t *device = open_device(NULL);
    kiln_session_t *session;
    check(kiln_session_create(&session));
    input_t input = make_input(find_call(quick[0]), 0, 0);
    kiln_kernel_t *kernel = compile(session, &input);
    kiln_function_t *function = load(device, kernel);
    bind(&bound, input.call, kernel, device);
    double begin = processor_seconds();
    for (size_t i = 0; i < SIMULATED_LAUNCHES; i++)
        launch(function, kernel, &bound);
    check(kiln_device_synchronize(device));
    printf("launches, one workgroup of %s, on the simulator: %.0f thousand a second of processor "
           "time\n",
           quick[0], SIMULATED_LAUNCHES / (processor_seconds() - begin) * 1e-3);
}

typedef struct memory {
    double resident, used; // kB: of the process, and allocated with malloc
} memory_t;

static memory_t memory_now(void)
{
    long pages = 0;
    FILE *file = must(fopen("/proc/self/statm", "r"));
    if (fscanf(file, "%*d %ld", &pages) != 1)
        exit(1);
    fclose(file);
    malloc_trim(0); // freed memory does not count
    struct mallinfo2 info = mallinfo2();
    return (memory_t){(double)pages * (double)sysconf(_SC_PAGESIZE) / 1024,
                      (double)(info.uordblks + info.hblkhd) / 1024};
}

// `steps`: 1 compiles, 2 also loads, 3 also launches.
static void part_memory(long count, int steps)
{
    static const char *const words[] = {"compiled", "and loaded", "and launched"};
    static bound_t bound[QUICK];
    kiln_device_t *device = open_device(NULL);
    kiln_session_t *session;
    check(kiln_session_create(&session));
    memory_t first = {0};
    long begin = count / 10 > QUICK ? count / 10 : QUICK; // one-time allocations have happened by
                                                          // then
    for (long i = 0; i < count; i++) {
        size_t which = (size_t)i % QUICK;
        if (i == begin)
            first = memory_now();
        input_t input = make_input(find_call(quick[which]), 0, (size_t)i);
        kiln_kernel_t *kernel = compile(session, &input);
        kiln_function_t *function = steps > 1 ? load(device, kernel) : NULL;
        if (steps > 2) {
            if (!bound[which].arguments)
                bind(&bound[which], input.call, kernel, device);
            launch(function, kernel, &bound[which]);
            check(kiln_device_synchronize(device));
        }
        kiln_kernel_release(kernel);
        free_input(&input);
    }
    memory_t last = memory_now();
    printf("memory of each of %ld kernels, %-12s %8.1f kB resident, %8.1f kB from malloc; in all "
           "%.0f MB\n",
           count, words[steps - 1], (last.resident - first.resident) / (double)(count - begin),
           (last.used - first.used) / (double)(count - begin), last.resident / 1024);
    fflush(stdout);
}

// The program -------------------------------------------------------------------------------------

static void leave_kernels(work_t *work)
{
    char path[4096], warps[8];
    for (size_t i = 0; i < KERNELS; i++) {
        input_t input =
            make_input(i % json_array_size(calls), (unsigned)(i / json_array_size(calls)), i);
        snprintf(path, sizeof path, "%s/%zu.ttir", work->folder, i);
        write_file(path, input.text, input.length);
        snprintf(path, sizeof path, "%s/%zu.warps", work->folder, i);
        snprintf(warps, sizeof warps, "%d", input.num_warps);
        write_file(path, warps, strlen(warps));
        free_input(&input);
    }
    compile_all(work, 1);
    make_bundle(work);
}

static int run_part(const char *part, const char *argument, const char *count)
{
    if (strcmp(part, "device") == 0)
        open_device(NULL);
    else if (strcmp(part, "bundle") == 0)
        part_bundle(argument);
    else if (strcmp(part, "launch") == 0)
        part_launch(argument);
    else if (strcmp(part, "simulated") == 0)
        part_simulated();
    else if (strcmp(part, "memory") == 0)
        part_memory(atol(count), atoi(argument));
    else
        part_compile(argument, atoi(part));
    fflush(stdout);
    _exit(0); // kernels live as long as the program; releasing them is not part of a start
}

int main(int argc, char **argv)
{
    static const struct option flags[] = {{"runs", required_argument, NULL, 'r'},
                                          {"kernels", required_argument, NULL, 'k'},
                                          {"triton", required_argument, NULL, 't'},
                                          {"part", required_argument, NULL, 'p'},
                                          {0}};
    char *triton = NULL, *kernels = "2000", *part = NULL, folder[] = "/tmp/bench_embed.XXXXXX",
         command[64];
    int runs = 5, flag;
    while ((flag = getopt_long(argc, argv, "", flags, NULL)) != -1) {
        if (flag == 'r')
            runs = atoi(optarg);
        else if (flag == 'k')
            kernels = optarg;
        else if (flag == 't')
            triton = optarg;
        else if (flag == 'p')
            part = optarg;
        else
            runs = 0;
    }
    if (runs < 1 || runs > MAX_RUNS || atol(kernels) < 2 * QUICK) {
        fprintf(stderr, "usage: bench_embed [--runs=1…%d] [--kernels=N] [--triton=PYTHON]\n",
                MAX_RUNS);
        return 2;
    }
    json_error_t error;
    calls = json_load_file(KILN_BENCH_DIR "/kernels/calls.json", 0, &error);
    if (!calls)
        exit((fprintf(stderr, "bench_embed: calls.json:%d: %s\n", error.line, error.text), 1));
    if (part)
        return run_part(part, argv[optind], argv[optind + 1]);
    work_t work = {.folder = must(mkdtemp(folder))};
    leave_kernels(&work);
    cold_start(folder, triton, runs);
    run_once(PART("launch", folder));
    if (triton)
        run_once(TRITON_LAUNCH(KILN_FAKE_HIP));
    run_once(PART("simulated", folder));
    if (triton)
        run_once(TRITON_LAUNCH(KILN_SIM_HIP, "0"));
    run_once(PART("memory", "1", kernels));
    run_once(PART("memory", "2", kernels));
    run_once(PART("memory", "3", kernels));
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? 0 : 1;
}
