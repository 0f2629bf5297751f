// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kiln's compiler: tile programs in, gfx942 code objects out.
//
// Conventions, stated once for this header:
//
// Nouns       A session holds the compiler's state (an MLIR and an LLVM context, a target machine,
//             device libraries). A source is text. A kernel is the result: a code object, a
//             manifest and, on request, the text of earlier stages.
// Ownership   The caller owns the result of *_create and kiln_compile functions and frees it with
//             the matching *_release. Strings and arrays that a getter returns belong to the object
//             and are valid as long as it. Inputs are only read during the call.
// Threads     A session may be used by one thread at a time; any number of sessions may be used
//             concurrently. A kernel is immutable and may be read by any thread.
// Errors      Functions return kiln_status_t (kiln/status.h); out parameters are NULL after a
//             failure. A failure carries file, line and column if known. All diagnostics, including
//             warnings and further errors of the same run, go to the session's handler as they
//             occur.
// Versions    Initialize structs that have a struct_size with their *_initialize function, or set
//             it if there is none. Later versions add fields at the end; only fields known to both
//             sides are exchanged.
// Environment The library reads none; the command maps its variables to options.
#ifndef KILN_KILN_H
#define KILN_KILN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kiln/element.h"
#include "kiln/program.h"
#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

KILN_API const char *kiln_version(void);      // "0.2.0"
KILN_API const char *kiln_llvm_version(void); // "22.1.8"
// Versions of Triton whose IR is supported, as text and as bytecode: "3.3 to 3.9".
KILN_API const char *kiln_triton_versions(void);
// Changes whenever the compiler may produce different code, so it is part of cache keys. Derived
// from the linker's build IDs; "" if the library was linked without one, which disables on-disk
// caches.
KILN_API const char *kiln_build_id(void);
// Hash, as 32 hexadecimal digits, of the compiler's sources and of the LLVM and device libraries
// that it was built with. Equal in the command, in libkiln.so and in all other binaries of one
// build.
KILN_API const char *kiln_code_id(void);

// Sessions ----------------------------------------------------------------------------------------

typedef enum kiln_severity {
    KILN_SEVERITY_ERROR,
    KILN_SEVERITY_WARNING,
    KILN_SEVERITY_REMARK,
    KILN_SEVERITY_NOTE
} kiln_severity_t;

typedef struct kiln_diagnostic_mark { // columns to underline in addition to the caret, for example
                                      // operands; length 0: none
    unsigned column, length;
} kiln_diagnostic_mark_t;

// Include stack of a diagnostic's file, innermost first.
typedef struct kiln_includer {
    const char *file;
    unsigned line;
    const struct kiln_includer *outer; // NULL: the source itself
} kiln_includer_t;

typedef struct kiln_diagnostic {
    kiln_severity_t severity;
    const char *file;      // NULL where unknown
    unsigned line, column; // from 1; 0 unknown
    const char *message;
    const char *source_line; // the text of the line without its newline; NULL if unavailable
    unsigned range;          // columns to underline from `column` on; at least 1
    kiln_diagnostic_mark_t marks[2];
    const char *flag; // flag of a warning or remark, or of one turned into an error: "-Wspills",
                      // "-Werror,-Wspills"; else NULL
    const kiln_includer_t
        *includer; // of an error, warning or remark in an included file; else NULL
} kiln_diagnostic_t;

// "In file included from file:line:\nfile:line:col: error: message\n<line>\n<caret>\n" to a stream,
// as the command does.
KILN_API void kiln_diagnostic_print(const kiln_diagnostic_t *diagnostic, FILE *stream);

typedef void (*kiln_diagnostic_handler_t)(const kiln_diagnostic_t *diagnostic, void *user);

// Serializes a diagnostic: appends it to *text, which is from malloc or NULL initially.
KILN_API kiln_status_t kiln_diagnostic_serialize(const kiln_diagnostic_t *diagnostic, char **text);
// Replays serialized diagnostics; NULL is none. INVALID_INPUT if the text is corrupt; diagnostics
// before that are replayed.
KILN_API kiln_status_t kiln_diagnostics_replay(const char *text, kiln_diagnostic_handler_t handler,
                                               void *user);

typedef struct kiln_session kiln_session_t;
KILN_API kiln_status_t kiln_session_create(kiln_session_t **out_session);
KILN_API void kiln_session_set_diagnostic_handler(kiln_session_t *session,
                                                  kiln_diagnostic_handler_t handler, void *user);
KILN_API void kiln_session_release(kiln_session_t *session);

// Compiling ---------------------------------------------------------------------------------------

// Called around each pass and for LLVM IR and ISA; `text` is the IR. Of KILN_DUMP_REGISTERS it has
// a line "VGPRS AGPRS FILE:LINE" for each source line: the most vector and accumulation registers
// that are alive there. Of KILN_DUMP_LDS it is a map of LDS over positions in the order of ttg's
// operations: lines "at POSITION FILE:LINE" where the place changes, "loop FIRST LAST" of loops,
// and "buffer OFFSET BYTES FIRST LAST FILE:LINE NAME" of buffers and of scratch that operations
// use. FILE:LINE is "-" if it is unknown.
typedef enum kiln_dump_point {
    KILN_DUMP_BEFORE_PASS,
    KILN_DUMP_AFTER_PASS,
    KILN_DUMP_LLVM_IR,
    KILN_DUMP_ISA,
    KILN_DUMP_REGISTERS,
    KILN_DUMP_LDS
} kiln_dump_point_t;
typedef void (*kiln_dump_handler_t)(kiln_dump_point_t point, const char *pass, const char *text,
                                    size_t length, void *user);

// Options of a compilation; kiln/options.def documents each field, its values and its default.
// Lists are only read and belong to the caller.
typedef struct kiln_compile_options {
    size_t struct_size;
#define KILN_OPTION(type, name, effect, values, initial, what) KILN_FIELD_##type name;
#define KILN_OPTION_LIST(type, name, count, effect, what)                                          \
    KILN_FIELD_##type name;                                                                        \
    size_t count;
#define KILN_FIELD_INT int
#define KILN_FIELD_FLAG bool
#define KILN_FIELD_TEXT const char *
#define KILN_FIELD_STAGE kiln_stage_t
#define KILN_FIELD_STAGES uint32_t
#define KILN_FIELD_POINTS uint32_t
#define KILN_FIELD_LIMIT uint32_t
#define KILN_FIELD_DUMP kiln_dump_handler_t
#define KILN_FIELD_USER void *
#define KILN_FIELD_DEFINES const kiln_setting_t *
#define KILN_FIELD_HINTS const kiln_arg_hint_t *
#define KILN_FIELD_RANGES const kiln_arg_range_t *
#define KILN_FIELD_NAMES const char *const *
#define KILN_FIELD_HEADERS const kiln_header_t *
#include "kiln/options.def"
#undef KILN_OPTION
#undef KILN_OPTION_LIST
#undef KILN_FIELD_INT
#undef KILN_FIELD_FLAG
#undef KILN_FIELD_TEXT
#undef KILN_FIELD_STAGE
#undef KILN_FIELD_STAGES
#undef KILN_FIELD_POINTS
#undef KILN_FIELD_LIMIT
#undef KILN_FIELD_DUMP
#undef KILN_FIELD_USER
#undef KILN_FIELD_DEFINES
#undef KILN_FIELD_HINTS
#undef KILN_FIELD_RANGES
#undef KILN_FIELD_NAMES
#undef KILN_FIELD_HEADERS
} kiln_compile_options_t;

KILN_VERSIONED(kiln_compile_options)

// Optional passes, which only make code faster, for disabled_passes: code compiled without them is
// a reference for code compiled with them. Ids may repeat.
KILN_API const char *const *kiln_optimize_passes(size_t *out_count);

// An option that can be written as text: "num_warps" = "8".
typedef struct kiln_option {
    const char *name, *values, *what; // as in kiln/options.def
    bool is_flag;                     // 0 or 1; 1 if given without a value on the command line
    int initial;
} kiln_option_t;
KILN_API const kiln_option_t *kiln_compile_option(size_t index); // NULL past the last
KILN_API const kiln_option_t *kiln_compile_option_find(const char *name,
                                                       size_t length); // NULL where there is none

// Sets an option from text, and reads it. The message of KILN_STATUS_USAGE lists the valid values.
KILN_API kiln_status_t kiln_compile_option_set(kiln_compile_options_t *options,
                                               const kiln_option_t *option, const char *value);
KILN_API int kiln_compile_option_get(const kiln_compile_options_t *options,
                                     const kiln_option_t *option);

// Applies settings: those named like options set them, all others become constexpr parameters.
// `out_defines` must have room for options->define_count + count; it receives the old and new
// parameters and must outlive the options.
KILN_API kiln_status_t kiln_compile_options_apply(kiln_compile_options_t *options,
                                                  const kiln_setting_t *settings, size_t count,
                                                  kiln_setting_t *out_defines);

// The options that affect code, as text from malloc: equal texts give equal code from equal
// sources.
KILN_API kiln_status_t kiln_compile_options_text(const kiln_compile_options_t *options,
                                                 char **out_text);

typedef struct kiln_kernel kiln_kernel_t;
KILN_API kiln_status_t kiln_compile(kiln_session_t *session, const kiln_source_t *source,
                                    const kiln_compile_options_t *options,
                                    kiln_kernel_t **out_kernel);
KILN_API void kiln_kernel_release(kiln_kernel_t *kernel);

// Results -----------------------------------------------------------------------------------------

typedef struct kiln_argument {
    const char *name;    // from the source; "argN" if unnamed
    const char *type;    // "*f16", "i32", "f32", …
    size_t offset, size; // in the kernarg segment, bytes
    unsigned divisibility;
    bool pointer_range_32;    // the pointer's allocation is assumed to be smaller than 2 GiB
    bool is_const;            // a pointer that the kernel only reads from
    kiln_integer_sign_t sign; // of an integer in Tile C
} kiln_argument_t;

typedef struct kiln_resources {
    unsigned vgprs, agprs, sgprs; // from the kernel descriptor: architectural, accumulation, scalar
    unsigned vgpr_spills, sgpr_spills;
    unsigned lds_bytes, scratch_bytes_per_lane;
    unsigned occupancy; // waves per SIMD, limited by vector and scalar registers and LDS
} kiln_resources_t;

KILN_API const char *kiln_kernel_name(const kiln_kernel_t *kernel); // the symbol
KILN_API const void *kiln_kernel_code_object(const kiln_kernel_t *kernel, size_t *out_size);
KILN_API const char *kiln_kernel_text(const kiln_kernel_t *kernel,
                                      kiln_stage_t stage);              // NULL if not kept
KILN_API const char *kiln_kernel_manifest(const kiln_kernel_t *kernel); // JSON
KILN_API unsigned
kiln_kernel_block_size(const kiln_kernel_t *kernel); // work-items in x: 64 · num_warps
KILN_API size_t kiln_kernel_argument_count(const kiln_kernel_t *kernel);
KILN_API const kiln_argument_t *kiln_kernel_argument(const kiln_kernel_t *kernel, size_t index);
// A constant of a Tile C kernel, set or default: its name, and its value as for -D; NULLs past the
// last.
KILN_API kiln_setting_t kiln_kernel_constant(const kiln_kernel_t *kernel, size_t index);
KILN_API const kiln_resources_t *kiln_kernel_resources(const kiln_kernel_t *kernel);
// The number of pipeline stages of the loop that has the most, as the result of num_stages. 1: no
// loop is pipelined; 0: the compilation ended before pipelining (last_stage).
KILN_API int kiln_kernel_pipeline_stages(const kiln_kernel_t *kernel);
// Whether programs of a grid can differ. If so, a launch of one program computes only a part.
KILN_API bool kiln_kernel_reads_program_id(const kiln_kernel_t *kernel);
// "X,Y,Z": the grid that Tile C source declares by [[grid(…)]], as expressions over integer
// arguments and constants; NULL if it declares none. It is in the manifest unless the option `grid`
// overrides it.
KILN_API const char *kiln_kernel_declared_grid(const kiln_kernel_t *kernel);

// Facts about the tt program of a kernel.
typedef struct kiln_program_facts {
    unsigned dots, chained_dots; // tt.dot and tt.dot_scaled; those that use another dot's result
                                 // or whose result another dot uses, as in attention
    unsigned loops, loads_in_loops;
    unsigned reductions;    // tt.reduce and tt.scan
    int64_t min_dot_extent; // the smallest M, N or K of a dot; 0: no dots
    int64_t largest_tile;   // elements
    int64_t tile_elements;  // of all values
} kiln_program_facts_t;
// NULL unless the kernel was compiled with the option last_stage KILN_STAGE_TT.
KILN_API const kiln_program_facts_t *kiln_kernel_program_facts(const kiln_kernel_t *kernel);

// Files read by #include, each once, in order of first use, without in-memory headers.
KILN_API size_t kiln_kernel_include_count(const kiln_kernel_t *kernel);
KILN_API const char *kiln_kernel_include(const kiln_kernel_t *kernel,
                                         size_t index); // NULL past the last

// Compile time per pass or phase, in order of execution.
typedef struct kiln_timing {
    const char *phase;
    double milliseconds;
} kiln_timing_t;
KILN_API size_t kiln_kernel_timing_count(const kiln_kernel_t *kernel);
KILN_API const kiln_timing_t *kiln_kernel_timing(const kiln_kernel_t *kernel, size_t index);

// Declared tuning ---------------------------------------------------------------------------------

// A parameter to vary: a compile option (kiln/options.def) by name, or else a constexpr parameter
// of the kernel.
typedef struct kiln_tune_axis {
    const char *name;
    const char *const *values;
    size_t value_count;
} kiln_tune_axis_t;

// The tuning declarations of a Tile C kernel: [[tune(NAME = V1, V2, …)]] and [[where(A <= B)]].
typedef struct kiln_tuning kiln_tuning_t;

// Parses the source and reads the declarations of the kernel that the options select. No constant
// needs a value. Errors in declarations and in the syntax go to the handler (NULL: none); the
// status is the first. A source of another stage declares nothing. Thread-safe.
KILN_API kiln_status_t kiln_tuning_read(const kiln_source_t *source,
                                        const kiln_compile_options_t *options,
                                        kiln_diagnostic_handler_t handler, void *user,
                                        kiln_tuning_t **out_tuning);
KILN_API void kiln_tuning_release(kiln_tuning_t *tuning);
// In source order, with ranges expanded.
KILN_API const kiln_tune_axis_t *kiln_tuning_axes(const kiln_tuning_t *tuning, size_t *out_count);
// "BLOCK_M*BLOCK_N<=32768": comparisons of expressions over axes and scalar arguments.
KILN_API const char *const *kiln_tuning_conditions(const kiln_tuning_t *tuning, size_t *out_count);
// Where a condition is written: the file, and the line and column, from 1. NULL and 0 for an index
// past the last condition.
KILN_API const char *kiln_tuning_condition_place(const kiln_tuning_t *tuning, size_t index,
                                                 unsigned *out_line, unsigned *out_column);
// The kernel's name, and the names of its arguments and of the constants that settings can set, in
// source order, global ones last. NULL past the last, and for a source of another stage.
KILN_API const char *kiln_tuning_kernel(const kiln_tuning_t *tuning);
// The text of [[grid(…)]], NULL without it.
KILN_API const char *kiln_tuning_grid(const kiln_tuning_t *tuning);
KILN_API const char *kiln_tuning_argument(const kiln_tuning_t *tuning, size_t index);
// What [[arguments(…)]] declares, in source order, as kiln_arguments_add takes it: "a=f16[M,K]".
// A name that is none of the kernel's arguments is a size that other texts use. NULL past the last.
KILN_API const char *kiln_tuning_declared_argument(const kiln_tuning_t *tuning, size_t index);
KILN_API const char *kiln_tuning_constant(const kiln_tuning_t *tuning, size_t index);

#ifdef __cplusplus
}
#endif
#endif
