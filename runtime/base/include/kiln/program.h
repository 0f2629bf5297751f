// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a tile program is named, to the compiler and to the JIT alike: its text, the settings it is compiled with, and what
// may be assumed of its arguments.
//
// These structs stand in arrays and in other structs, so they keep their size in all versions of Kiln. Whoever fills one
// keeps the strings alive as long as the struct that it stands in.
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

// A file for #include that is at hand in memory: #include "NAME" and #include <NAME> find it before any folder's.
typedef struct kiln_header {
    const char *name; // "kernels/softmax.tile.h"
    const char *text;
    size_t length;
} kiln_header_t;

// The value of a constexpr parameter of a Tile C kernel (an integer, float, bool or type name, as -D takes it), or of a
// compile option by its name, where a function says that it takes both.
typedef struct kiln_setting {
    const char *name, *value;
} kiln_setting_t;

// What is known of a runtime argument. TTIR carries this itself, so it is for Tile C.
typedef struct kiln_arg_hint {
    const char *name;
    const char *type;      // NULL keeps the declared type
    unsigned divisibility; // 16, or 0 for unknown: of the integer's value or the pointer's address
    bool pointer_range_32; // the pointer's memory is below 2 GiB
    bool type_is_offered;  // `type` counts only where the source leaves it to the caller (`auto`)
} kiln_arg_hint_t;

// Values of an integer argument, both ends included.
typedef struct kiln_arg_range {
    const char *name;
    int64_t least, most;
} kiln_arg_range_t;

#ifdef __cplusplus
}
#endif
#endif
