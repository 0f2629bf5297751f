// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations of Kiln's own fail one by one, in whole uses of it: building, compiling, interpreting, launching, the JIT and
// the tuner. Each must end in a status, or do all that it does otherwise, and give back all that it took.
//
// The linker's --wrap leads each call of malloc and its kin in Kiln's objects here; LLVM, jansson, SQLite and the loader
// keep theirs, for theirs may abort. What is easily got wrong: a use has thousands of allocations, most of them in loops,
// so of each place in the code the first, second and last fail; all of them where KILN_SWEEP is "all".
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "kiln/ahead.h"
#include "kiln/arguments.h"
#include "kiln/builder.h"
#include "kiln/compile_program.h"
#include "kiln/interpret.h"
#include "kiln/jit_compile.h"
#include "kiln/load.h"
#include "kiln/tune.h"
#include "small_code_object.h"

#define FAKE KILN_BINARY_DIR "/lib/fake_hip/fake_gfx942.so"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
void __wrap_free(void *memory);

// Whose call it is: the program's own symbols tell C from C++, whose templates bring allocations of LLVM's into Kiln's
// objects --------------------------------------------------------------------------------------------------------------------

typedef struct function {
    uintptr_t begin;
    const char *name;
} function_t;

static function_t *functions; // by address
static size_t function_count;

static int by_address(const void *a, const void *b)
{
    uintptr_t x = ((const function_t *)a)->begin, y = ((const function_t *)b)->begin;
    return (x > y) - (x < y);
}

static void read_functions(void)
{
    char *bytes;
    size_t size;
    Dl_info info;
    assert_null(kiln_file_read("/proc/self/exe", &bytes, &size));
    assert_true(dladdr(&functions, &info));
    const Elf64_Ehdr *header = (const void *)bytes;
    const Elf64_Shdr *sections = (const void *)(bytes + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *symbols = (const void *)(bytes + sections[i].sh_offset);
        const char *names = bytes + sections[sections[i].sh_link].sh_offset;
        size_t count = sections[i].sh_size / sizeof *symbols;
        functions = malloc(count * sizeof *functions);
        assert_non_null(functions);
        for (size_t j = 0; j < count; j++)
            if (ELF64_ST_TYPE(symbols[j].st_info) == STT_FUNC && symbols[j].st_value)
                functions[function_count++] =
                    (function_t){(uintptr_t)info.dli_fbase + symbols[j].st_value, names + symbols[j].st_name};
    }
    assert_true(function_count > 1000); // the bytes stay, for the names
    qsort(functions, function_count, sizeof *functions, by_address);
}

static const char *function_at(const void *address)
{
    size_t low = 0, high = function_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (functions[middle].begin <= (uintptr_t)address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? functions[low - 1].name : "?";
}

static bool is_ours(const void *address)
{
    const char *name = function_at(address);
    return strncmp(name, "_Z", 2) != 0 && strncmp(name, "mlir", 4) != 0; // nor MLIR's C interface
}

// Which allocation of this thread is next, and which one fails ------------------------------------------------------------

static __thread bool counts;
static __thread long number, failing; // from 1; failing 0: none
static __thread long failed;
static __thread const void *failed_place;

// The places in the code, in the order in which they came: the numbers of their first, second and last allocation.
enum { PLACE_LIMIT = 8192 };
typedef struct place {
    const void *address;
    long first, second, last;
} place_t;
static place_t places[PLACE_LIMIT];
static size_t place_count;
static __thread bool notes;

static void note(const void *address)
{
    size_t i = 0;
    while (i < place_count && places[i].address != address)
        i++;
    assert_true(i < PLACE_LIMIT);
    if (i == place_count)
        places[place_count++] = (place_t){address, number, 0, 0};
    else if (!places[i].second)
        places[i].second = number;
    places[i].last = number;
}

static bool must_fail(const void *address)
{
    if (!counts || !is_ours(address))
        return false;
    number++;
    if (notes)
        note(address);
    if (number != failing)
        return false;
    failed++;
    failed_place = address;
    return true;
}

// Blocks that are live: an open table of pointers --------------------------------------------------------------------------

enum { LIVE_LIMIT = 1 << 18 };
static void *live[LIVE_LIMIT];
static const void *live_place[LIVE_LIMIT];
static long live_count;

static size_t slot_of(const void *memory)
{
    size_t at = ((uintptr_t)memory >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 46;
    return at % LIVE_LIMIT;
}

static void *remember(void *memory, const void *place)
{
    if (!memory || !counts || !is_ours(place))
        return memory;
    size_t at = slot_of(memory);
    while (live[at] && live[at] != (void *)-1)
        at = (at + 1) % LIVE_LIMIT;
    live[at] = memory;
    live_place[at] = place;
    live_count++;
    return memory;
}

static void forget(const void *memory)
{
    if (!memory || !live_count)
        return;
    for (size_t at = slot_of(memory); live[at]; at = (at + 1) % LIVE_LIMIT)
        if (live[at] == memory) {
            live[at] = (void *)-1;
            live_count--;
            return;
        }
}

static void tell_live(void)
{
    for (size_t i = 0; i < LIVE_LIMIT; i++)
        if (live[i] && live[i] != (void *)-1)
            print_error("    %s\n", function_at(live_place[i]));
}

static void forget_all(void)
{
    memset(live, 0, sizeof live);
    live_count = 0;
}

void *__wrap_malloc(size_t size)
{
    return must_fail(__builtin_return_address(0)) ? NULL : remember(__real_malloc(size), __builtin_return_address(0));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail(__builtin_return_address(0)) ? NULL
                                                  : remember(__real_calloc(count, size), __builtin_return_address(0));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (must_fail(__builtin_return_address(0)))
        return NULL;
    forget(memory);
    return remember(__real_realloc(memory, size), __builtin_return_address(0));
}

char *__wrap_strdup(const char *text)
{
    return must_fail(__builtin_return_address(0)) ? NULL : remember(__real_strdup(text), __builtin_return_address(0));
}

char *__wrap_strndup(const char *text, size_t size)
{
    return must_fail(__builtin_return_address(0)) ? NULL
                                                  : remember(__real_strndup(text, size), __builtin_return_address(0));
}

void __wrap_free(void *memory)
{
    forget(memory);
    __real_free(memory);
}

// The uses -----------------------------------------------------------------------------------------------------------------

static char directory[64];
static kiln_device_t *device;

// What a use has computed, so that success with less memory is the same success.
static __thread uint64_t result;

static void add_result(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        result = (result ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static void add_text(const char *text)
{
    add_result(text ? text : "(null)", text ? strlen(text) : 6);
}

static const char tile[] = "kernel void k2(f32 *x, i32 n, constexpr i32 BLOCK = 64)\n"
                           "{\n"
                           "    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);\n"
                           "    f32 sum[BLOCK] = 0.0;\n"
                           "    for (i32 j = 0; j < n; j += 1)\n"
                           "        sum = sum + load(x + i + j, i < n, 0.0);\n"
                           "    if (n > 3)\n"
                           "        store(x + i, exp(sum) / 3.0, i < n);\n"
                           "}\n";

static kiln_source_t source_of(const char *text)
{
    return (kiln_source_t){KILN_STAGE_TILE, "k.tile.c", text, strlen(text)};
}

static kiln_source_t gemm; // examples/gemm.tile.c

static kiln_status_t build(void)
{
    kiln_builder_t *b = NULL;
    KILN_TRY(kiln_builder_create(&b));
    const kiln_value_type_t pointer = {.element = KILN_VALUE_F32, .is_pointer = true},
                            i32 = {.element = KILN_VALUE_I32};
    const kiln_kernel_parameter_t parameters[] = {{"x", pointer, 16, true}, {"n", i32, 0, false}};
    kiln_value_t arguments[2], i, carried, results[1];
    const int64_t shape[] = {64};
    kiln_build_kernel_begin(b, "k", parameters, 2, arguments);
    kiln_value_t range = kiln_build_range(b, 0, 64), zero = kiln_build_int(b, i32, 0), one = kiln_build_int(b, i32, 1);
    kiln_value_t places_ = kiln_build_addptr(b, kiln_build_splat(b, arguments[0], 1, shape), range);
    kiln_value_t initial = kiln_build_load(b, places_, (kiln_value_t){NULL}, (kiln_value_t){NULL});
    kiln_build_for_begin(b, zero, arguments[1], one, &initial, 1, &i, &carried);
    carried = kiln_build_binary(b, KILN_BINARY_ADDF, carried, carried);
    kiln_build_for_end(b, &carried, results);
    kiln_build_if_begin(b, kiln_build_compare(b, KILN_COMPARE_SGT, arguments[1], one));
    kiln_build_store(b, places_, results[0], (kiln_value_t){NULL});
    kiln_build_if_end(b, NULL, 0, NULL);
    kiln_value_t best = kiln_build_arg_reduce(b, KILN_COMPARE_OGT, results[0], 0);
    kiln_build_store(b, arguments[0], kiln_build_convert(b, KILN_CONVERT_SITOFP, best, KILN_VALUE_F32),
                     (kiln_value_t){NULL});
    kiln_build_kernel_end(b);
    kiln_source_t source;
    kiln_status_t status = kiln_builder_finish(b, &source);
    if (!status)
        add_result(source.text, source.length);
    kiln_builder_release(b);
    return status;
}

static kiln_status_t compile_with(const kiln_source_t *source, const kiln_compile_options_t *options)
{
    kiln_session_t *session = NULL;
    kiln_kernel_t *kernel = NULL;
    kiln_status_t status = kiln_session_create(&session);
    if (!status)
        status = kiln_compile(session, source, options, &kernel);
    if (!status) {
        size_t size;
        const void *code = kiln_kernel_code_object(kernel, &size);
        add_result(code, size);
        add_text(kiln_kernel_manifest(kernel));
    }
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return status;
}

static kiln_status_t compile(void)
{
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    const kiln_arg_hint_t hints[] = {{.name = "x", .divisibility = 16, .pointer_range_32 = true}};
    const kiln_setting_t defines[] = {{"BLOCK", "128"}};
    options.args = hints;
    options.arg_count = 1;
    options.defines = defines;
    options.define_count = 1;
    kiln_source_t source = source_of(tile);
    return compile_with(&source, &options);
}

static kiln_status_t compile_gemm(void)
{
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    const kiln_arg_hint_t hints[] = {{.name = "a", .divisibility = 16, .pointer_range_32 = true},
                                     {.name = "b", .divisibility = 16, .pointer_range_32 = true},
                                     {.name = "lda", .divisibility = 16}};
    const kiln_setting_t defines[] = {{"BLOCK_M", "32"}, {"BLOCK_N", "32"}};
    options.args = hints;
    options.arg_count = 3;
    options.defines = defines;
    options.define_count = 2;
    options.num_warps = 1;
    return compile_with(&gemm, &options);
}

static kiln_status_t compile_program(void)
{
    const kiln_setting_t defines[] = {{"BLOCK", "64"}, {"BLOCK", "128"}};
    kiln_compile_options_t options[2];
    kiln_program_unit_t units[2];
    for (int i = 0; i < 2; i++) {
        kiln_compile_options_initialize(&options[i]);
        options[i].defines = &defines[i];
        options[i].define_count = 1;
        units[i] = (kiln_program_unit_t){source_of(tile), &options[i]};
    }
    kiln_program_compile_options_t program;
    kiln_program_compile_options_initialize(&program);
    program.jobs = 1; // this thread, whose allocations are counted
    void *bundle;
    size_t size;
    kiln_status_t status = kiln_program_compile(units, 2, &program, &bundle, &size);
    if (!status)
        add_result(bundle, size);
    free(bundle);
    return status;
}

static kiln_status_t fail_to_compile(void)
{
    kiln_session_t *session = NULL;
    kiln_kernel_t *kernel = NULL;
    kiln_source_t source = source_of("kernel void k(f32 *x)\n{\n    store(y, 1.0);\n}\n");
    KILN_TRY(kiln_session_create(&session));
    kiln_status_t status = kiln_compile(session, &source, NULL, &kernel);
    kiln_session_release(session);
    if (!status)
        return kiln_status_make(KILN_STATUS_INTERNAL, "a wrong program was compiled");
    if (kiln_status_code(status) == KILN_STATUS_OUT_OF_RESOURCES)
        return status;
    kiln_status_free(status); // what is wanted
    return KILN_OK;
}

static kiln_status_t interpret(void)
{
    kiln_session_t *session = NULL;
    kiln_interp_t *interp = NULL;
    kiln_arguments_t *arguments = NULL;
    char *shown = NULL;
    kiln_source_t source = source_of(tile);
    kiln_status_t status = kiln_session_create(&session);
    if (!status)
        status = kiln_arguments_create(NULL, &arguments);
    if (!status)
        status = kiln_arguments_add(arguments, "n=5");
    if (!status)
        status = kiln_arguments_add(arguments, "x=f32[n*20]:iota");
    if (!status)
        status = kiln_interp_create(session, &source, NULL, &interp);
    if (!status)
        status = kiln_interpret_arguments(interp, arguments, NULL);
    if (!status)
        status = kiln_arguments_show(arguments, "x[0:8]", &shown);
    if (!status)
        add_text(shown);
    free(shown);
    kiln_interp_release(interp);
    kiln_arguments_release(arguments);
    kiln_session_release(session);
    return status;
}

static kiln_status_t launch(void)
{
    static const char code[128] = "\x7f"
                                  "ELF\2\1\1";
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_HIP;
    options.hip_library = FAKE;
    kiln_device_t *own = NULL;
    kiln_device_list_t *list = NULL;
    kiln_module_t *module = NULL;
    kiln_function_t *function = NULL;
    kiln_buffer_t *buffer = NULL;
    kiln_stream_t *stream = NULL;
    kiln_event_t *event = NULL;
    kiln_launch_t call;
    kiln_launch_initialize(&call);
    call.block[0] = 64;
    kiln_status_t status = kiln_device_list_create(&options, &list);
    if (!status && kiln_device_list_count(list) != 1)
        status = kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "a device is missing from the list");
    if (!status)
        status = kiln_device_open(&options, &own);
    if (!status)
        status = kiln_buffer_create(own, 64, &buffer);
    if (!status)
        status = kiln_stream_create(own, &stream);
    if (!status)
        status = kiln_event_create(own, &event);
    if (!status)
        status = kiln_module_load(own, code, sizeof code, &module);
    if (!status)
        status = kiln_module_function(module, "nop0", &function);
    call.stream = stream;
    if (!status)
        status = kiln_function_launch(function, &call);
    if (!status)
        status = kiln_event_record(event, stream);
    kiln_event_release(event);
    kiln_stream_release(stream);
    kiln_buffer_release(buffer);
    kiln_module_release(module);
    kiln_device_release(own);
    kiln_device_list_release(list);
    return status;
}

static kiln_status_t jit(void)
{
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    options.compile = kiln_jit_compile;
    options.identify = kiln_jit_identify;
    options.cache_directory = directory;
    kiln_jit_t *made = NULL;
    const kiln_jit_argument_t arguments[] = {{"x", KILN_JIT_POINTER, 4096, 4096, 0, 0}, kiln_jit_integer("n", 5)};
    const kiln_setting_t settings[] = {{"BLOCK", "64"}, {"num_warps", "2"}};
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    call.source = source_of(tile);
    call.settings = settings;
    call.setting_count = 2;
    call.arguments = arguments;
    call.argument_count = 2;
    kiln_status_t status = kiln_cache_clear(directory, NULL, NULL);
    for (int round = 0; round < 2 && !status; round++) { // the second finds the first's code on disk, or compiles again
        kiln_jit_kernel_t *kernel;
        status = kiln_jit_create(device, &options, &made);
        if (!status)
            status = kiln_jit_launch(made, &call);
        if (!status)
            status = kiln_jit_prepare(made, &call, &kernel, NULL);
        if (!status)
            add_text(kiln_jit_kernel_manifest(kernel));
        kiln_jit_release(made);
        made = NULL;
    }
    return status;
}

static kiln_status_t prepare(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                             kiln_launch_t *out_launch, void *user)
{
    (void)candidate, (void)kernel;
    out_launch->args = user;
    return KILN_OK;
}

static kiln_status_t verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user)
{
    (void)candidate, (void)user;
    *out_error = 0;
    return KILN_OK;
}

static kiln_status_t tune(void)
{
    char path[96];
    snprintf(path, sizeof path, "%s/tuned.sqlite", directory);
    unlink(path);
    kiln_tune_store_t *store = NULL;
    kiln_tune_result_t *tuned = NULL;
    uint64_t values[9] = {0};
    void *args[9];
    for (int i = 0; i < 9; i++)
        args[i] = &values[i];
    const char *const blocks[] = {"64", "128"};
    const kiln_tune_axis_t axes[] = {{"BLOCK", blocks, 2}};
    kiln_tune_problem_t problem;
    kiln_tune_problem_initialize(&problem);
    problem.source = source_of("kernel void k2(f32 *x, i32 n, constexpr i32 BLOCK)\n"
                               "{\n    i32 i[BLOCK] = range(BLOCK);\n    store(x + i, 1.0, i < n);\n}\n");
    problem.axes = axes;
    problem.axis_count = 1;
    problem.device = device;
    problem.jobs = 1;
    problem.prepare = prepare;
    problem.verify = verify;
    problem.user = args;
    problem.arguments = "n=1";
    kiln_status_t status = kiln_tune_store_open(path, &store);
    problem.store = store;
    if (!status)
        status = kiln_tune(&problem, &tuned);
    kiln_tune_result_release(tuned);
    kiln_tune_store_release(store);
    return status;
}

// What is made of compiled kernels: launchers, an object, a bundle; and the bundle loaded, and asked for what fits.
static kiln_status_t ship(void)
{
    const small_code_object_t code = small_code_object();
    const kiln_compiled_t kernel = {&code, sizeof code, small_manifest};
    const kiln_object_part_t part = {"scale_hsaco", &code, sizeof code};
    char *texts[2] = {NULL};
    void *object = NULL, *bundle = NULL;
    size_t object_size, bundle_size = 0;
    kiln_program_t *program = NULL;
    kiln_status_t status = KILN_OK;
    for (int i = 0; i < 2 && !status; i++) {
        kiln_launcher_options_t options;
        kiln_launcher_options_initialize(&options);
        options.launcher = (kiln_launcher_t)i;
        status = kiln_launcher_make(&code, sizeof code, small_manifest, &options, &texts[i]);
    }
    if (!status)
        status = kiln_object_make(&part, 1, &object, &object_size);
    if (!status)
        status = kiln_bundle_make(&kernel, 1, &bundle, &bundle_size);
    const kiln_program_part_t loaded = {bundle, bundle_size, NULL};
    kiln_compiled_t *kernels = NULL;
    size_t kernel_count;
    if (!status)
        status = kiln_bundle_kernels(bundle, bundle_size, &kernels, &kernel_count);
    free(kernels);
    if (!status)
        status = kiln_program_load_memory(device, &loaded, 1, &program);
    kiln_program_call_t call;
    kiln_program_call_initialize(&call);
    const kiln_variant_t *variant;
    if (!status) { // no arguments fit nothing
        status = kiln_program_choose(program, &call, &variant);
        if (kiln_status_code(status) == KILN_STATUS_NOT_FOUND) {
            kiln_status_free(status);
            status = KILN_OK;
        }
    }
    kiln_program_release(program);
    free(texts[0]);
    free(texts[1]);
    free(object);
    free(bundle);
    return status;
}

// The sweep ----------------------------------------------------------------------------------------------------------------

typedef struct use {
    const char *name;
    kiln_status_t (*run)(void);
} use_t;

static const use_t *running;

static kiln_status_t run_failing(const use_t *use, long which)
{
    running = use;
    number = failed = 0;
    failing = which;
    result = UINT64_C(0xcbf29ce484222325);
    forget_all();
    counts = true;
    kiln_status_t status = use->run();
    counts = false;
    return status;
}

static void tell_place(const use_t *use, long which)
{
    print_error("%s: where allocation %ld fails, in %s\n", use->name, which, function_at(failed_place));
}

static void sweep_one(const use_t *use, long which, uint64_t wanted)
{
    if (getenv("KILN_SWEEP_FORK")) { // goes on after a crash
        pid_t child = fork();
        int how = 0;
        if (child) {
            waitpid(child, &how, 0);
            return;
        }
    }
    if (getenv("KILN_SWEEP_TELL"))
        fprintf(stderr, "%s %ld\n", use->name, which);
    kiln_status_t status = run_failing(use, which);
    assert_int_equal(failed, 1); // what runs the same way comes there
    bool is_right = status != KILN_OK || result == wanted;
    if (!is_right)
        tell_place(use, which);
    assert_true(is_right || getenv("KILN_SWEEP_FORK")); // success is the whole of it
    counts = true;
    kiln_status_free(status);
    counts = false;
    if (live_count != 0) {
        tell_place(use, which);
        print_error("%ld blocks are not given back, made at\n", live_count);
        tell_live();
    }
    if (getenv("KILN_SWEEP_FORK"))
        _exit(0);
    assert_int_equal(live_count, 0);
}

static int by_number(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

// A crash is told with the allocation that led to it.
static void tell_crash(int signal_number)
{
    fprintf(stderr, "signal %d in %s, where allocation %ld fails, in %s\n", signal_number,
            running ? running->name : "?", failing, function_at(failed_place));
    _exit(1);
}

static void sweep(const use_t *use)
{
    signal(SIGSEGV, tell_crash);
    signal(SIGABRT, tell_crash);
    kiln_status_t warm = use->run(); // what is made once in a process
    if (warm)
        print_error("%s", kiln_status_format(warm));
    assert_null(warm);
    place_count = 0;
    notes = true;
    assert_null(run_failing(use, 0));
    notes = false;
    uint64_t wanted = result;
    long total = number, runs = 0;
    if (live_count)
        tell_live();
    assert_int_equal(live_count, 0);
    const char *how = getenv("KILN_SWEEP");
    if (how && strcmp(how, "all") == 0) {
        for (long i = 1; i <= total; i++, runs++)
            sweep_one(use, i, wanted);
    } else {
        static long numbers[3 * PLACE_LIMIT];
        size_t count = 0;
        for (size_t i = 0; i < place_count; i++) {
            numbers[count++] = places[i].first;
            if (places[i].second)
                numbers[count++] = places[i].second;
            if (places[i].last > places[i].second && places[i].second)
                numbers[count++] = places[i].last;
        }
        qsort(numbers, count, sizeof *numbers, by_number);
        for (size_t i = 0; i < count; i++, runs++)
            sweep_one(use, numbers[i], wanted);
    }
    print_message("%s: %ld of %ld allocations failed one by one, of %zu places\n", use->name, runs, total, place_count);
}

#define SWEEP(function)                                                                                                \
    static void memory_runs_out_in_##function(void **state)                                                            \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        sweep(&(use_t){#function, function});                                                                          \
    }
SWEEP(build)
SWEEP(compile)
SWEEP(compile_gemm)
SWEEP(compile_program)
SWEEP(fail_to_compile)
SWEEP(interpret)
SWEEP(launch)
SWEEP(jit)
SWEEP(tune)
SWEEP(ship)

static int set_up(void **state)
{
    (void)state;
    read_functions();
    strcpy(directory, "/tmp/kiln-sweep-test.XXXXXX");
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_HIP;
    options.hip_library = FAKE;
    char *text = NULL;
    gemm = (kiln_source_t){.stage = KILN_STAGE_TILE, .name = "gemm.tile.c"};
    assert_null(kiln_file_read(KILN_SOURCE_DIR "/examples/gemm.tile.c", &text, &gemm.length));
    gemm.text = text;
    return mkdtemp(directory) && !kiln_device_open(&options, &device) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_device_release(device);
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_runs_out_in_build),        cmocka_unit_test(memory_runs_out_in_compile),
        cmocka_unit_test(memory_runs_out_in_compile_gemm), cmocka_unit_test(memory_runs_out_in_fail_to_compile),
        cmocka_unit_test(memory_runs_out_in_interpret),    cmocka_unit_test(memory_runs_out_in_launch),
        cmocka_unit_test(memory_runs_out_in_jit),          cmocka_unit_test(memory_runs_out_in_tune),
        cmocka_unit_test(memory_runs_out_in_ship),         cmocka_unit_test(memory_runs_out_in_compile_program),
    };
    return cmocka_run_group_tests_name("memory_sweep", tests, set_up, tear_down);
}
