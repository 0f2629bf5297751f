// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kiln's JIT: given a kernel's source and its arguments, it specializes and compiles the kernel or
// finds it in its cache, loads and launches it.
//
// Conventions are those of kiln/runtime.h with these additions:
//
// Compiler    The runtime contains none. The creator of a JIT supplies functions that compile and
//             that identify the dependencies of code; the compiler's kiln/jit_compile.h has
//             suitable ones.
// Threads     A JIT may be used by any number of threads at once. It calls the compile and tuning
//             functions from all of them; if two threads need the same kernel, it is compiled once.
// Cache       One file per kernel in a directory that must belong to the user and be writable by
//             nobody else. A file is complete and intact or it is a miss; corrupt ones are deleted.
//             Files hold code that the device will run: whoever can write the directory can run
//             code on the device.
#ifndef KILN_JIT_H
#define KILN_JIT_H

#include "kiln/element.h"
#include "kiln/program.h"
#include "kiln/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

// Compile requests --------------------------------------------------------------------------------

typedef struct kiln_jit_request {
    size_t struct_size;
    kiln_source_t source;
    const char *kernel; // NULL: the only one
    const char *arch;
    const kiln_setting_t
        *settings; // constexpr parameters and compile options, sorted by name, each name once
    size_t setting_count;
    const kiln_arg_hint_t *arguments; // in the order of the call
    size_t argument_count;
    const char *dependencies; // result of kiln_jit_depend_fn; NULL: none, or no such function
    char **out_diagnostics; // diagnostics of the compilation for kiln_jit_replay_diagnostics_fn, as
                            // text from malloc; NULL: not needed
} kiln_jit_request_t;

// Compiles. On success the JIT takes ownership of *out_code_object and *out_manifest (JSON,
// NUL-terminated), from malloc.
typedef kiln_status_t (*kiln_jit_compile_fn)(const kiln_jit_request_t *request, void *user,
                                             void **out_code_object, size_t *out_code_object_size,
                                             char **out_manifest);

// Returns the dependencies of compiled code other than the request, as text from malloc. The first
// line has the compiler's build ID, which an on-disk cache requires, and after a blank the
// dependencies that are stored with code but do not affect it. The following lines have everything
// in `user` that affects code. The text is part of every key and must not change during the JIT's
// lifetime: kiln_jit_create calls this function, and so does each compilation, which fails if the
// result differs.
typedef kiln_status_t (*kiln_jit_identify_fn)(void *user, char **out_identity);

// Returns the dependencies of code other than the request and the identity, such as the contents of
// included files, as text from malloc; NULL: none. The text is part of the key. The function is
// called for new calls, and again after kiln_jit_refresh.
typedef kiln_status_t (*kiln_jit_depend_fn)(const kiln_jit_request_t *request, void *user,
                                            char **out_dependencies);

// Repeats the warnings that the compiler stored in request->out_diagnostics, for a kernel loaded
// from disk.
typedef void (*kiln_jit_replay_diagnostics_fn)(const char *diagnostics, void *user);

// Hashes the dependencies of a call's code except the tunable settings, as 32 hexadecimal digits
// and a NUL: the source's text and the files that it includes, the compiler's options (`identity`
// after its first line), the architecture, and argument types and properties. It uses the same
// function as the keys of kernels, so that JIT and tuner agree. Settings are ignored;
// `dependencies` must be those with the settings that are not tuned.
KILN_API kiln_status_t kiln_jit_problem(const kiln_jit_request_t *request, const char *identity,
                                        char out_problem[33]);

// Key of a lookup of tuned settings.
typedef struct kiln_jit_tune_request {
    size_t struct_size;
    const char *kernel;             // NULL: the only one
    const char *problem;            // kiln_jit_problem's
    const char *device;             // kiln_device_key's
    const char *arguments;          // the call's tuning_arguments
    const kiln_setting_t *settings; // the call's, sorted by name, each name once
    size_t setting_count;
    const struct kiln_jit_call *call; // NULL if the request is not a JIT's
} kiln_jit_tune_request_t;

// Looks up tuned settings, as "NAME=VALUE NAME=VALUE" from malloc in *out_config.
// KILN_STATUS_NOT_FOUND means none; the call then proceeds without them.
typedef kiln_status_t (*kiln_jit_tune_fn)(const kiln_jit_tune_request_t *request, void *user,
                                          char **out_config);

// The JIT -----------------------------------------------------------------------------------------

typedef enum kiln_cache_mode {
    KILN_CACHE_READWRITE,
    KILN_CACHE_READONLY,
    KILN_CACHE_REQUIRE, // a cache miss is an error; nothing is compiled
    KILN_CACHE_OFF,
} kiln_cache_mode_t;

KILN_API kiln_status_t kiln_cache_mode_parse(const char *text,
                                             kiln_cache_mode_t *out_mode); // "readwrite", …
KILN_API const char *kiln_cache_mode_name(kiln_cache_mode_t mode);

// Fails with the reason if an existing directory is unsafe as a writable cache.
KILN_API kiln_status_t kiln_cache_check(const char *directory);

// "1g" → 2^30: a number of bytes, or one with suffix k, m, g or t.
KILN_API kiln_status_t kiln_cache_size_parse(const char *text, uint64_t *out_size);

// Default limit of a cache's size.
#define KILN_CACHE_DEFAULT_LIMIT (UINT64_C(1) << 30)

// A kernel in a cache's directory. Its strings are valid during the visit callback.
typedef struct kiln_cache_entry {
    size_t struct_size;
    char key[33];
    bool is_damaged; // invalid checksum, key or manifest, or unreadable file; `why` has the reason
    const char *kernel;   // the symbol; NULL if corrupt
    const char *manifest; // JSON; NULL likewise
    uint64_t size;        // of the file
    int64_t used;         // time of the last use, in seconds since 1970
    const char *why;      // reason if corrupt; else NULL
} kiln_cache_entry_t;

// Reads and checks every entry, most recently used first. A failure of `visit` ends it and is
// returned. A missing directory counts as empty.
KILN_API kiln_status_t kiln_cache_visit(const char *directory,
                                        kiln_status_t (*visit)(const kiln_cache_entry_t *entry,
                                                               void *user),
                                        void *user);

// If the cache exceeds the limit, deletes the least recently used entries until an eighth of the
// limit is free. A JIT calls this function itself. The out parameters may be NULL.
KILN_API kiln_status_t kiln_cache_trim(const char *directory, uint64_t limit, size_t *out_count,
                                       uint64_t *out_bytes);

// Deletes all kernels, but no other files in the directory. Running JITs recompile.
KILN_API kiln_status_t kiln_cache_clear(const char *directory, size_t *out_count,
                                        uint64_t *out_bytes);

typedef struct kiln_jit_options {
    size_t struct_size;
    kiln_jit_compile_fn compile;   // NULL only with KILN_CACHE_REQUIRE
    kiln_jit_identify_fn identify; // never NULL
    void *compile_user;            // of both
    kiln_jit_tune_fn tune;         // NULL: none
    void *tune_user;
    const char *cache_directory; // NULL: KILN_CACHE_OFF
    kiln_cache_mode_t cache_mode;
    // Called with non-fatal problems, such as a cache file that cannot be written. NULL: not
    // called.
    void (*log)(const char *message, void *user);
    void *log_user;
    uint64_t cache_limit;      // maximum bytes of all files in the cache; 0: unlimited
    kiln_jit_depend_fn depend; // with compile_user; NULL: nothing
    kiln_jit_replay_diagnostics_fn
        replay_diagnostics; // called with compile_user; NULL: cached kernels repeat no warnings
} kiln_jit_options_t;
KILN_VERSIONED(kiln_jit_options)

typedef struct kiln_jit kiln_jit_t;

// Fails with the reason if the cache directory cannot be created or is unsafe.
KILN_API kiln_status_t kiln_jit_create(kiln_device_t *device, const kiln_jit_options_t *options,
                                       kiln_jit_t **out_jit);
KILN_API void kiln_jit_release(kiln_jit_t *jit); // unloads its kernels; none may still be running

typedef struct kiln_jit_statistics {
    size_t struct_size; // set by the caller
    uint64_t memory_hits, disk_hits, compiles;
    uint64_t corrupt_entries, write_failures;
    uint64_t unreadable_entries; // that exist, but cannot be read
} kiln_jit_statistics_t;
KILN_API kiln_status_t kiln_jit_get_statistics(kiln_jit_t *jit,
                                               kiln_jit_statistics_t *out_statistics);

// Makes each call look up its tuned settings and dependencies once more, for programs that tune
// while running or whose included files change.
KILN_API void kiln_jit_refresh(kiln_jit_t *jit);

// Calls -------------------------------------------------------------------------------------------

typedef enum kiln_jit_argument_kind {
    KILN_JIT_POINTER,
    KILN_JIT_INTEGER,
    KILN_JIT_REAL,
    KILN_JIT_UNSIGNED // an integer of 2^63 or more
} kiln_jit_argument_kind_t;

// A runtime argument, by parameter name. The value is converted to the parameter's type; an integer
// out of range, a floating-point value for an integer parameter, and a scalar for a pointer are
// errors.
typedef struct kiln_jit_argument {
    const char *name;
    kiln_jit_argument_kind_t kind;
    uint64_t address;    // on the device
    size_t address_size; // bytes from there on, or with KILN_JIT_STORAGE of the storage; 0 unknown
    int64_t integer;     // of a pointer: 1 + the kiln_element_type_t that it points to, or 0; and
                         // KILN_JIT_STORAGE
    double real;
} kiln_jit_argument_t;

// Flag in `integer` of a pointer: address_size is the size of the whole allocation that kernels may
// access through the pointer, which may point anywhere into it. Without the flag the size before
// the pointer is unknown, and code that requires allocations below 2 GiB (KILN_POINTER_RANGE_LIMIT)
// is not used.
#define KILN_JIT_STORAGE (INT64_C(1) << 32)

// A pointer to the start of, or anywhere into, a device allocation of `size` bytes.
static inline kiln_jit_argument_t kiln_jit_storage(const char *name, uint64_t address, size_t size)
{
    kiln_jit_argument_t argument = {name, KILN_JIT_POINTER, address, size, KILN_JIT_STORAGE, 0};
    return argument;
}

static inline kiln_jit_argument_t kiln_jit_buffer(const char *name, const kiln_buffer_t *buffer)
{
    return kiln_jit_storage(name, kiln_buffer_address(buffer), kiln_buffer_size(buffer));
}

// Device memory by address, for example a part of a buffer, of `size` bytes; 0: unknown. The
// allocation's start is unknown, so kiln_jit_storage can give faster code.
static inline kiln_jit_argument_t kiln_jit_address(const char *name, uint64_t address, size_t size)
{
    kiln_jit_argument_t argument = {name, KILN_JIT_POINTER, address, size, 0, 0};
    return argument;
}

// kiln_jit_buffer with an element type, which determines the type of an `auto *` parameter and is
// ignored elsewhere.
static inline kiln_jit_argument_t kiln_jit_elements(const char *name, const kiln_buffer_t *buffer,
                                                    kiln_element_type_t element)
{
    kiln_jit_argument_t argument = kiln_jit_buffer(name, buffer);
    argument.integer += 1 + (int64_t)element;
    return argument;
}

static inline kiln_jit_argument_t kiln_jit_integer(const char *name, int64_t value)
{
    kiln_jit_argument_t argument = {name, KILN_JIT_INTEGER, 0, 0, value, 0};
    return argument;
}

// Of numbers below 2^63 the same as kiln_jit_integer.
static inline kiln_jit_argument_t kiln_jit_unsigned(const char *name, uint64_t value)
{
    kiln_jit_argument_t argument = kiln_jit_integer(name, (int64_t)value);
    if (argument.integer < 0)
        argument.kind = KILN_JIT_UNSIGNED; // `integer` has the same bits
    return argument;
}

static inline kiln_jit_argument_t kiln_jit_real(const char *name, double value)
{
    kiln_jit_argument_t argument = {name, KILN_JIT_REAL, 0, 0, 0, value};
    return argument;
}

// The properties of an argument by which the JIT specializes: divisibility by 16, memory below 2
// GiB, and the type of an `auto` parameter: a pointer to the elements, i32 or (if needed for the
// value) i64, f32.
KILN_API kiln_arg_hint_t kiln_jit_argument_hint(const kiln_jit_argument_t *argument);

typedef struct kiln_parameter {
    const char *name, *type;  // as in a manifest: "*f16", "i32", "f32", …
    kiln_integer_sign_t sign; // of an integer
} kiln_parameter_t;

// Fills one 8-byte cell per parameter with the converted argument of the same name; every parameter
// must have exactly one argument. `kernel` is used in error messages.
KILN_API kiln_status_t kiln_jit_bind(const char *kernel, const kiln_parameter_t *parameters,
                                     size_t parameter_count, const kiln_jit_argument_t *arguments,
                                     size_t argument_count, uint64_t *out_cells);

// Computes the grid from the selected settings, including tuned ones, and from the defaults of the
// kernel's other constants.
typedef kiln_status_t (*kiln_jit_grid_fn)(const kiln_setting_t *settings, size_t setting_count,
                                          unsigned out_grid[3], void *user);

typedef struct kiln_jit_call {
    size_t struct_size;
    kiln_source_t source; // its name is "kernel" by default
    const char *kernel;   // NULL: the only one
    const kiln_setting_t
        *settings; // constexpr parameters and compile options; they override tuned ones
    size_t setting_count;
    const kiln_jit_argument_t *arguments; // one per runtime parameter, in any order; the order is
                                          // part of the key of code, not of tuned settings
    size_t argument_count;
    const char
        *tuning_arguments; // the tuner's key of the problem, "M=512,N=512"; NULL: no tuned settings
    unsigned grid[3];      // default 1
    kiln_jit_grid_fn grid_of; // NULL: `grid` as it is
    void *grid_user;
    kiln_stream_t *stream;
    // Launch on the grid that the source declares ([[grid(…)]]) instead of `grid` and `grid_of`;
    // NOT_FOUND if it declares none. A pointer of which it uses elements(NAME) needs a size; tuned
    // settings are then found if that number is in tuning_arguments, as
    // kiln_arguments_tuning_key_of has it.
    bool uses_declared_grid;
} kiln_jit_call_t;
KILN_VERSIONED(kiln_jit_call)

typedef enum kiln_jit_origin {
    KILN_JIT_FROM_MEMORY,
    KILN_JIT_FROM_DISK,
    KILN_JIT_COMPILED
} kiln_jit_origin_t;

// A loaded kernel; belongs to the JIT.
typedef struct kiln_jit_kernel kiln_jit_kernel_t;

// Specializes, compiles or finds, and loads the kernel without launching it. `out_origin` may be
// NULL.
KILN_API kiln_status_t kiln_jit_prepare(kiln_jit_t *jit, const kiln_jit_call_t *call,
                                        kiln_jit_kernel_t **out_kernel,
                                        kiln_jit_origin_t *out_origin);
// A call that matches an earlier one (source text, names, settings, and specialized properties)
// allocates nothing and calls neither the compiler nor the tuner, for up to 64 arguments and about
// 1000 bytes of names and settings.
KILN_API kiln_status_t kiln_jit_launch(kiln_jit_t *jit, const kiln_jit_call_t *call);

// Launches a kernel that kiln_jit_prepare returned for this call, without another lookup.
KILN_API kiln_status_t kiln_jit_launch_kernel(const kiln_jit_kernel_t *kernel,
                                              const kiln_jit_call_t *call);

// The grid on which kiln_jit_launch_kernel would launch it for this call. With an extent of 0
// nothing is launched.
KILN_API kiln_status_t kiln_jit_kernel_grid(const kiln_jit_kernel_t *kernel,
                                            const kiln_jit_call_t *call, unsigned out_grid[3]);

KILN_API const char *kiln_jit_kernel_name(const kiln_jit_kernel_t *kernel); // the symbol
KILN_API const char *kiln_jit_kernel_key(const kiln_jit_kernel_t *kernel);  // 32 hexadecimal digits
KILN_API const char *kiln_jit_kernel_manifest(const kiln_jit_kernel_t *kernel); // JSON
KILN_API unsigned kiln_jit_kernel_block_size(const kiln_jit_kernel_t *kernel);  // work-items in x
KILN_API size_t
kiln_jit_kernel_setting_count(const kiln_jit_kernel_t *kernel); // tuned ones included
KILN_API const kiln_setting_t *kiln_jit_kernel_settings(const kiln_jit_kernel_t *kernel);

#ifdef __cplusplus
}
#endif
#endif
