// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types shared by compiler and JIT that describe a tile program: its text, its compile settings,
// and the known properties of its arguments.
//
// These structs are used in arrays and in other structs, so their size is fixed in all versions of
// Kiln. Their strings must outlive them.
#ifndef KILN_PROGRAM_H
#define KILN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kiln_stage {
    KILN_STAGE_TILE,
    KILN_STAGE_TT,
    KILN_STAGE_TTG,
    KILN_STAGE_LLVM,
    KILN_STAGE_ASM,
    KILN_STAGE_HSACO
} kiln_stage_t;

typedef struct kiln_source {
    kiln_stage_t stage; // TILE, TT or TTG
    const char *name;   // for diagnostics and debug information, usually the file name
    const char *text;
    size_t length;
} kiln_source_t;

// An in-memory file for #include: #include "NAME" and #include <NAME> find it before files in
// directories.
typedef struct kiln_header {
    const char *name; // "kernels/softmax.tile.h"
    const char *text;
    size_t length;
} kiln_header_t;

// The value of a constexpr parameter of a Tile C kernel (an integer, float, bool or type name, as
// -D takes it), or of a compile option by name, for functions that accept both.
typedef struct kiln_setting {
    const char *name, *value;
} kiln_setting_t;

// Maximum size in bytes of the allocation of a pointer with tt.pointer_range = 32. The pointer may
// point anywhere into it: accesses are at most this many bytes before it, and less than 2 GiB after
// it. Its address is 2 GiB or above, as those of device allocations are.
#define KILN_POINTER_RANGE_LIMIT INT64_C(0x7fe00000)

// Properties of a runtime argument, for Tile C; TTIR contains them itself.
typedef struct kiln_arg_hint {
    const char *name;
    const char *type;      // NULL keeps the declared type
    unsigned divisibility; // 16, or 0 for unknown: of the integer's value or the pointer's address
    bool pointer_range_32; // all memory accessed through the pointer is within
                           // KILN_POINTER_RANGE_LIMIT bytes
    bool type_is_offered;  // `type` applies only to `auto` parameters
} kiln_arg_hint_t;

// Range of an integer argument, inclusive.
typedef struct kiln_arg_range {
    const char *name;
    int64_t min, max;
} kiln_arg_range_t;

#ifdef __cplusplus
}
#endif
#endif
