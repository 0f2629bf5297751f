// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes Kiln's own allocations fail one by one during an operation. Each run must return a status,
// or compute the same result as without failures (`add_result`), and free everything that it
// allocated.
//
// The linker's --wrap redirects each call of malloc and related functions in Kiln's objects to this
// file; LLVM, jansson, SQLite and the loader keep the C library's, since they may abort. An
// operation has thousands of allocations, most of them in loops, so at each place the first, second
// and last one fail, or all of them if KILN_SWEEP is "all". A place is a call site with its
// callers; otherwise all strings would share one place, since only kiln_string_appendv calls
// realloc for them.
#ifndef TEST_MEMORY_SWEEP_H
#define TEST_MEMORY_SWEEP_H

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
#include <unwind.h>

#include "base/file.h"
#include "kiln/status.h"

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

// Whose call an allocation is ---------------------------------------------------------------------
//
// The program's own symbols distinguish C from C++, whose templates bring allocations of LLVM into
// Kiln's objects.

typedef struct function {
    uintptr_t begin;
    const char *name;
} function_t;

static function_t *functions; // by address
static size_t function_count;

static inline int by_address(const void *a, const void *b)
{
    uintptr_t x = ((const function_t *)a)->begin, y = ((const function_t *)b)->begin;
    return (x > y) - (x < y);
}

static inline void read_functions(void)
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
                functions[function_count++] = (function_t){
                    (uintptr_t)info.dli_fbase + symbols[j].st_value, names + symbols[j].st_name};
    }
    assert_true(function_count > 1000); // the bytes are not freed, since names point into them
    qsort(functions, function_count, sizeof *functions, by_address);
}

static inline const char *function_at(const void *address)
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

static inline bool is_ours(const void *address)
{
    const char *name = function_at(address);
    return strncmp(name, "_Z", 2) != 0 && strncmp(name, "mlir", 4) != 0; // nor MLIR's C interface
}

// Which allocation of this thread is next, and which one fails ------------------------------------

static __thread bool counts;
static __thread long number, failing; // from 1; failing 0: none
static __thread long failed;
static __thread const void *failed_place;

// The places in the code, in the order of their first allocation: the numbers of their first,
// second and last allocation.
enum { PLACE_LIMIT = 8192 };
typedef struct place {
    uint64_t callers;
    long first, second, last;
} place_t;
static place_t places[PLACE_LIMIT];
static size_t place_count;
static __thread bool notes;

typedef struct walk {
    uint64_t callers;
    int frames;
} walk_t;

static _Unwind_Reason_Code add_caller(struct _Unwind_Context *context, void *user)
{
    enum { FRAMES = 7 }; // three of this file, and as many of Kiln's as a string's text has
    walk_t *walk = user;
    walk->callers = walk->callers * 0x9e3779b97f4a7c15u + _Unwind_GetIP(context);
    return ++walk->frames < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static inline void note(void)
{
    walk_t walk = {0, 0};
    _Unwind_Backtrace(add_caller, &walk);
    size_t i = 0;
    while (i < place_count && places[i].callers != walk.callers)
        i++;
    assert_true(i < PLACE_LIMIT);
    if (i == place_count)
        places[place_count++] = (place_t){walk.callers, number, 0, 0};
    else if (!places[i].second)
        places[i].second = number;
    places[i].last = number;
}

static inline bool must_fail(const void *address)
{
    if (!counts || !is_ours(address))
        return false;
    number++;
    if (notes)
        note();
    if (number != failing)
        return false;
    failed++;
    failed_place = address;
    return true;
}

// Blocks that are live: an open table of pointers -------------------------------------------------

enum { LIVE_LIMIT = 1 << 18 };
static void *live[LIVE_LIMIT];
static const void *live_place[LIVE_LIMIT];
static long live_count;

static inline size_t slot_of(const void *memory)
{
    size_t at = ((uintptr_t)memory >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 46;
    return at % LIVE_LIMIT;
}

static inline void *remember(void *memory, const void *place)
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

static inline void forget(const void *memory)
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

static inline void print_live(void)
{
    for (size_t i = 0; i < LIVE_LIMIT; i++)
        if (live[i] && live[i] != (void *)-1)
            print_error("    %s\n", function_at(live_place[i]));
}

static inline void forget_all(void)
{
    memset(live, 0, sizeof live);
    live_count = 0;
}

void *__wrap_malloc(size_t size)
{
    return must_fail(__builtin_return_address(0))
               ? NULL
               : remember(__real_malloc(size), __builtin_return_address(0));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail(__builtin_return_address(0))
               ? NULL
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
    return must_fail(__builtin_return_address(0))
               ? NULL
               : remember(__real_strdup(text), __builtin_return_address(0));
}

char *__wrap_strndup(const char *text, size_t size)
{
    return must_fail(__builtin_return_address(0))
               ? NULL
               : remember(__real_strndup(text, size), __builtin_return_address(0));
}

void __wrap_free(void *memory)
{
    forget(memory);
    __real_free(memory);
}

// The sweep ---------------------------------------------------------------------------------------

// A hash of the results of a use, to check that a success after a failed allocation has the same
// results.
static __thread uint64_t result;

static inline void add_result(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        result = (result ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static inline void add_text(const char *text)
{
    add_result(text ? text : "(null)", text ? strlen(text) : 6);
}

typedef struct use {
    const char *name;
    kiln_status_t (*run)(void);
} use_t;

static const use_t *running;

static inline kiln_status_t run_failing(const use_t *use, long which)
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

static inline void print_place_of(const use_t *use, long which)
{
    print_error("%s: where allocation %ld fails, in %s\n", use->name, which,
                function_at(failed_place));
}

static inline void sweep_one(const use_t *use, long which, uint64_t wanted)
{
    if (getenv("KILN_SWEEP_FORK")) { // continues after a crash
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
    assert_int_equal(failed, 1); // the run must reach this allocation
    bool is_right = status != KILN_OK || result == wanted;
    if (!is_right)
        print_place_of(use, which);
    assert_true(is_right || getenv("KILN_SWEEP_FORK")); // the same results
    counts = true;
    kiln_status_free(status);
    counts = false;
    if (live_count != 0) {
        print_place_of(use, which);
        print_error("%ld blocks are not given back, made at\n", live_count);
        print_live();
    }
    if (getenv("KILN_SWEEP_FORK"))
        _exit(0);
    assert_int_equal(live_count, 0);
}

static inline int by_number(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

// Reports a crash with the failed allocation that led to it.
static inline void print_crash(int signal_number)
{
    fprintf(stderr, "signal %d in %s, where allocation %ld fails, in %s\n", signal_number,
            running ? running->name : "?", failing, function_at(failed_place));
    _exit(1);
}

static inline void sweep(const use_t *use)
{
    signal(SIGSEGV, print_crash);
    signal(SIGABRT, print_crash);
    kiln_status_t warm = use->run(); // first a run for the objects that a process creates once
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
        print_live();
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
    print_message("%s: %ld of %ld allocations failed one by one, of %zu places\n", use->name, runs,
                  total, place_count);
}

#endif
