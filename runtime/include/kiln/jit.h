// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kiln's JIT: a call names a kernel's source and its arguments; the JIT specialises, compiles or finds the code in its
// cache, loads and launches it.
//
// Conventions are those of kiln/runtime.h with these additions:
//
// Compiler    The runtime has none. Whoever creates a JIT gives it functions that compile and that tell what code
//             depends on; kiln/jit_compile.h of the compiler offers some that fit.
// Threads     A JIT may be used by any number of threads at once. It calls the compile and tuning functions from all
//             of them; two threads that want the same kernel compile it once.
// Cache       One file per kernel in a directory that must belong to the user and be writable by nobody else. A file
//             is complete and intact or it is a miss; a damaged one is deleted. Files hold code that the device will
//             run: whoever can write the directory can run code on the device.
#ifndef KILN_JIT_H
#define KILN_JIT_H

#include "kiln/element.h"
#include "kiln/program.h"
#include "kiln/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

// What is compiled --------------------------------------------------------------------------------------------------

typedef struct kiln_jit_request {
    size_t struct_size;
    kiln_source_t source;
    const char *kernel; // NULL: the only one
    const char *arch;
    const kiln_setting_t *settings; // constexpr parameters and compile options, sorted by name, each name once
    size_t setting_count;
    const kiln_arg_hint_t *arguments; // in the order of the call
    size_t argument_count;
    const char *dependencies; // what kiln_jit_depend_fn told; NULL: nothing, or there is no such function
    char **out_told; // what was told while compiling, for kiln_jit_retell_fn, as text from malloc; NULL: nobody asks
} kiln_jit_request_t;

// Compiles. On success *out_code_object and *out_manifest (JSON, NUL-terminated) are from malloc and become the JIT's.
typedef kiln_status_t (*kiln_jit_compile_fn)(const kiln_jit_request_t *request, void *user, void **out_code_object,
                                             size_t *out_code_object_size, char **out_manifest);

// Tells what compiled code depends on beside the request, as text from malloc: in its first line the build of the
// compiler, which a JIT with a cache on disk refuses to be without, and below it all that `user` sets. It is part of every key and must stay the same as long as the JIT lives: it is asked for when the JIT is made,
// and again before a kernel is made, which is refused where the answer is another.
typedef kiln_status_t (*kiln_jit_identify_fn)(void *user, char **out_identity);

// Tells what code depends on beside the request and the identity, such as the contents of files that the source includes,
// as text from malloc; NULL: nothing. It is part of the key, and is asked for when a call is new, and again after
// kiln_jit_refresh.
typedef kiln_status_t (*kiln_jit_depend_fn)(const kiln_jit_request_t *request, void *user, char **out_dependencies);

// Tells once more what a compiler put into request->out_told, its warnings: for a kernel that comes from the disk.
typedef void (*kiln_jit_retell_fn)(const char *told, void *user);

// Looks up tuned settings, as "NAME=VALUE NAME=VALUE" from malloc in *out_config. KILN_STATUS_NOT_FOUND means none and
// is no failure of the call. `source_hash` is XXH3-128 of the source text in hexadecimal, `device` is "arch:compute
// units:hip|sim".
typedef kiln_status_t (*kiln_jit_tune_fn)(const char *kernel, const char *source_hash, const char *device,
                                          const char *arguments, void *user, char **out_config);

// The JIT -----------------------------------------------------------------------------------------------------------

typedef enum kiln_cache_mode {
    KILN_CACHE_READWRITE,
    KILN_CACHE_READONLY,
    KILN_CACHE_REQUIRE, // a kernel that is not in the cache is an error: nothing is compiled
    KILN_CACHE_OFF,
} kiln_cache_mode_t;

KILN_API kiln_status_t kiln_cache_mode_parse(const char *text, kiln_cache_mode_t *out_mode); // "readwrite", …
KILN_API const char *kiln_cache_mode_name(kiln_cache_mode_t mode);

// Says why a directory that exists would be refused as a cache for writing.
KILN_API kiln_status_t kiln_cache_check(const char *directory);

// "1g" → 2^30: a number of bytes, or one with k, m, g or t.
KILN_API kiln_status_t kiln_cache_size_parse(const char *text, uint64_t *out_size);

// A cache is 1 GiB large unless its JIT is told another limit.
#define KILN_CACHE_DEFAULT_LIMIT (UINT64_C(1) << 30)

// A kernel in a cache's directory. Its strings live as long as the call that shows it.
typedef struct kiln_cache_entry {
    size_t struct_size;
    char key[33];
    bool is_damaged;      // the checksum, the key or the manifest is wrong: for a JIT it isn't there
    const char *kernel;   // the symbol; NULL where it is damaged
    const char *manifest; // JSON; NULL likewise
    uint64_t size;        // of the file
    int64_t used;         // when it was made or found last, in seconds since 1970
} kiln_cache_entry_t;

// Reads and checks every entry, the last used first. A failure of `visit` ends it and is handed on. A directory that is
// not there is empty.
KILN_API kiln_status_t kiln_cache_visit(const char *directory,
                                        kiln_status_t (*visit)(const kiln_cache_entry_t *entry, void *user),
                                        void *user);

// Deletes what was not used for longest until an eighth of the limit is free again; nothing where all entries are within
// the limit. A JIT does this by itself. The out parameters may be NULL.
KILN_API kiln_status_t kiln_cache_trim(const char *directory, uint64_t limit, size_t *out_count, uint64_t *out_bytes);

// Deletes all kernels, and nothing else that lies in the directory. JITs that are running compile again.
KILN_API kiln_status_t kiln_cache_clear(const char *directory, size_t *out_count, uint64_t *out_bytes);

typedef struct kiln_jit_options {
    size_t struct_size;
    kiln_jit_compile_fn compile;   // NULL only with KILN_CACHE_REQUIRE
    kiln_jit_identify_fn identify; // never NULL
    void *compile_user;            // of both
    kiln_jit_tune_fn tune;         // NULL: none
    void *tune_user;
    const char *cache_directory; // NULL: KILN_CACHE_OFF
    kiln_cache_mode_t cache_mode;
    // Told of what is worth knowing but fails nothing, such as a cache file that could not be written. NULL: nobody.
    void (*log)(const char *message, void *user);
    void *log_user;
    uint64_t cache_limit;      // bytes of all files of the cache; 0: none
    kiln_jit_depend_fn depend; // with compile_user; NULL: nothing
    kiln_jit_retell_fn retell; // with compile_user; NULL: warnings are told by compiling alone
} kiln_jit_options_t;
KILN_VERSIONED(kiln_jit_options)

typedef struct kiln_jit kiln_jit_t;

// Fails where the cache directory cannot be made or is not safe to use, saying why.
KILN_API kiln_status_t kiln_jit_create(kiln_device_t *device, const kiln_jit_options_t *options, kiln_jit_t **out_jit);
KILN_API void kiln_jit_release(kiln_jit_t *jit); // unloads its kernels: nothing launched may still run

typedef struct kiln_jit_statistics {
    size_t struct_size; // the caller's to set
    uint64_t memory_hits, disk_hits, compiles;
    uint64_t corrupt_entries, write_failures;
} kiln_jit_statistics_t;
KILN_API kiln_status_t kiln_jit_get_statistics(kiln_jit_t *jit, kiln_jit_statistics_t *out_statistics);

// Has each call look its tuned settings and its dependencies up again, once: for programs that tune while they run, or
// whose included files change.
KILN_API void kiln_jit_refresh(kiln_jit_t *jit);

// Calls -------------------------------------------------------------------------------------------------------------

typedef enum kiln_jit_argument_kind { KILN_JIT_POINTER, KILN_JIT_INTEGER, KILN_JIT_REAL } kiln_jit_argument_kind_t;

// A runtime argument by the name of its parameter. The value is converted to the parameter's type; an integer that does
// not fit, a real for an integer parameter, and a scalar for a pointer are errors.
typedef struct kiln_jit_argument {
    const char *name;
    kiln_jit_argument_kind_t kind;
    uint64_t address;    // on the device
    size_t address_size; // bytes behind it; 0 unknown
    int64_t integer;     // of a pointer: 1 + the kiln_element_type_t that it points to; 0 unknown
    double real;
} kiln_jit_argument_t;

static inline kiln_jit_argument_t kiln_jit_buffer(const char *name, const kiln_buffer_t *buffer)
{
    kiln_jit_argument_t argument = {name, KILN_JIT_POINTER, kiln_buffer_address(buffer), kiln_buffer_size(buffer), 0,
                                    0};
    return argument;
}

// Memory on the device by its address, as of a part of a buffer; `size` bytes are behind it, 0: unknown.
static inline kiln_jit_argument_t kiln_jit_address(const char *name, uint64_t address, size_t size)
{
    kiln_jit_argument_t argument = {name, KILN_JIT_POINTER, address, size, 0, 0};
    return argument;
}

// kiln_jit_buffer of known elements, which an `auto *` parameter takes its type from; elsewhere they say nothing.
static inline kiln_jit_argument_t kiln_jit_elements(const char *name, const kiln_buffer_t *buffer,
                                                    kiln_element_type_t element)
{
    kiln_jit_argument_t argument = kiln_jit_buffer(name, buffer);
    argument.integer = 1 + (int64_t)element;
    return argument;
}

static inline kiln_jit_argument_t kiln_jit_integer(const char *name, int64_t value)
{
    kiln_jit_argument_t argument = {name, KILN_JIT_INTEGER, 0, 0, value, 0};
    return argument;
}

static inline kiln_jit_argument_t kiln_jit_real(const char *name, double value)
{
    kiln_jit_argument_t argument = {name, KILN_JIT_REAL, 0, 0, 0, value};
    return argument;
}

// What the JIT lets the compiler assume of an argument: a multiple of 16 or not, memory below 2 GiB or not; and the type
// of an `auto` parameter: a pointer to the elements, i32 or (where the value needs it) i64, f32.
KILN_API kiln_arg_hint_t kiln_jit_argument_hint(const kiln_jit_argument_t *argument);

typedef struct kiln_parameter {
    const char *name, *type; // as a manifest tells them: "*f16", "i32", "f32", …
} kiln_parameter_t;

// Fills one 8-byte cell per parameter from the arguments of the same names, converted: every parameter must be given, and
// nothing else. `kernel` is for errors.
KILN_API kiln_status_t kiln_jit_bind(const char *kernel, const kiln_parameter_t *parameters, size_t parameter_count,
                                     const kiln_jit_argument_t *arguments, size_t argument_count, uint64_t *out_cells);

// Computes the grid from the settings that were chosen, tuned ones included, and from the kernel's other constants, which
// have their defaults.
typedef kiln_status_t (*kiln_jit_grid_fn)(const kiln_setting_t *settings, size_t setting_count, unsigned out_grid[3],
                                          void *user);

typedef struct kiln_jit_call {
    size_t struct_size;
    kiln_source_t source;           // its name is "kernel" by default
    const char *kernel;             // NULL: the only one
    const kiln_setting_t *settings; // constexpr parameters and compile options; they win over tuned ones
    size_t setting_count;
    const kiln_jit_argument_t *arguments; // every runtime parameter once, in any order; the order is part of the key
    size_t argument_count;
    const char *tuning_arguments; // what distinguishes problems for the tuner, "M=512,N=512"; NULL: no tuned settings
    unsigned grid[3];             // default 1
    kiln_jit_grid_fn grid_of;     // NULL: `grid` as it is
    void *grid_user;
    kiln_stream_t *stream;
} kiln_jit_call_t;
KILN_VERSIONED(kiln_jit_call)

typedef enum kiln_jit_origin { KILN_JIT_FROM_MEMORY, KILN_JIT_FROM_DISK, KILN_JIT_COMPILED } kiln_jit_origin_t;

// A loaded kernel; belongs to the JIT.
typedef struct kiln_jit_kernel kiln_jit_kernel_t;

// Specialises, compiles or finds, and loads, but does not launch. `out_origin` may be NULL.
KILN_API kiln_status_t kiln_jit_prepare(kiln_jit_t *jit, const kiln_jit_call_t *call, kiln_jit_kernel_t **out_kernel,
                                        kiln_jit_origin_t *out_origin);
// A call like an earlier one (the same source text, names, settings, and properties that specialise) allocates nothing
// and asks neither the compiler nor the tuner, up to 64 arguments and about 1000 bytes of names and settings.
KILN_API kiln_status_t kiln_jit_launch(kiln_jit_t *jit, const kiln_jit_call_t *call);

// Launches what kiln_jit_prepare gave for this call, without looking it up again.
KILN_API kiln_status_t kiln_jit_launch_kernel(const kiln_jit_kernel_t *kernel, const kiln_jit_call_t *call);

KILN_API const char *kiln_jit_kernel_name(const kiln_jit_kernel_t *kernel);     // the symbol
KILN_API const char *kiln_jit_kernel_key(const kiln_jit_kernel_t *kernel);      // 32 hexadecimal digits
KILN_API const char *kiln_jit_kernel_manifest(const kiln_jit_kernel_t *kernel); // JSON
KILN_API unsigned kiln_jit_kernel_block_size(const kiln_jit_kernel_t *kernel);  // work-items in x
KILN_API size_t kiln_jit_kernel_setting_count(const kiln_jit_kernel_t *kernel); // tuned ones included
KILN_API const kiln_setting_t *kiln_jit_kernel_settings(const kiln_jit_kernel_t *kernel);

#ifdef __cplusplus
}
#endif
#endif
