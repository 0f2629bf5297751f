// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch of a tile program does, counted without compiling it: loops with their trip counts,
// dots, arithmetic, reductions, and loads and stores with their widths and what programs share. A
// cost model (kiln/tune_model.h) turns these counts into time.
//
//     kiln_work_create(session, &source, &options, &work);         the front end: milliseconds
//     kiln_work_measure(work, &launch, &workload);                 under a millisecond
//     … workload->steps …
//
// A work depends on the values of the program's constants, but not on compile options such as
// num_warps. Integers and addresses are computed exactly, at a few elements of a few programs. What
// depends on data in memory is unknown and is assumed: see `assumed` in kiln_workload_t.
//
// Conventions are those of kiln/kiln.h. A work is immutable: any number of threads may measure it.
#ifndef KILN_WORK_H
#define KILN_WORK_H

#include "kiln/kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_work kiln_work_t;

// Reads a program (Tile C or tt; UNSUPPORTED for later stages), and inlines and folds it. Only the
// options that a source's meaning depends on matter: kernel, defines, args, includes.
KILN_API kiln_status_t kiln_work_create(kiln_session_t *session, const kiln_source_t *source,
                                        const kiln_compile_options_t *options,
                                        kiln_work_t **out_work);
KILN_API void kiln_work_release(kiln_work_t *work);

// The kernel as far as it is known without compiling: name, arguments (without offsets), constants,
// the declared grid. Belongs to the work.
KILN_API const kiln_kernel_t *kiln_work_kernel(const kiln_work_t *work);

// The launch to count, and where its workgroups go.
typedef struct kiln_work_launch {
    size_t struct_size;
    unsigned grid[3];
    void *const *args;  // the values of the kernel's arguments, in order; they are only read
    unsigned dies;      // XCDs that take workgroups in turn
    unsigned die_units; // compute units of each
} kiln_work_launch_t;
KILN_VERSIONED(kiln_work_launch) // one program on a device of 8 dies with 38 compute units

// Programs ----------------------------------------------------------------------------------------

typedef enum kiln_work_kind {
    KILN_WORK_VECTOR,   // elementwise arithmetic on data
    KILN_WORK_DOT,      // tt.dot
    KILN_WORK_OPERAND,  // an operand of a dot, which waves usually read through LDS
    KILN_WORK_REDUCE,   // tt.reduce, tt.scan
    KILN_WORK_EXCHANGE, // elements that move between lanes: gathers, transpositions, histograms
    KILN_WORK_LOAD,
    KILN_WORK_STORE,
    KILN_WORK_ATOMIC
} kiln_work_kind_t;

// A matrix instruction as a dot uses it for a number of waves and a matrix_instr_nonkdim.
typedef struct kiln_work_matrix {
    int m, n, k; // of the instruction; 0: there is none, multiply-adds compute the dot
    int cycles;  // that the instruction occupies the matrix unit
    int warps_m, warps_n, warps_batch; // grid of waves over the result
} kiln_work_matrix_t;

enum {
    KILN_WORK_WAVE_CHOICES = 5, // 1, 2, 4, 8, 16 waves
    KILN_WORK_SIDE_CHOICES = 3, // matrix_instr_nonkdim 0, 16, 32
    KILN_WORK_WINDOWS = 4       // 1, 2, 4, 8 programs on each compute unit of an XCD
};

// A step is an operation on a tile. All bytes and elements are of one execution by one program.
typedef struct kiln_work_step {
    kiln_work_kind_t kind;
    unsigned region;  // where it is executed
    double count;     // mean number of executions by a program
    int64_t elements; // of the tile; of a reduction: its operand
    unsigned bits;    // of an element
    double units;     // VECTOR, REDUCE: vector instructions for each 64 elements, in units of a
                      // simple instruction's time
    int64_t results;  // REDUCE: elements of the result
    // DOT, and OPERAND, whose `dot` is the index of the step with the dot:
    int64_t m, n, k, batch;
    unsigned operand_bits[2];
    bool is_chained; // the waves share its rows, as in attention
    kiln_work_matrix_t matrix[KILN_WORK_WAVE_CHOICES][KILN_WORK_SIDE_CHOICES];
    unsigned dot, operand;
    bool is_prefetched; // OPERAND: loaded in the dot's loop; a pipelined loop issues it ahead
    bool is_result; // OPERAND: of another dot, whose waves keep it in registers if they share rows
    bool is_transposed; // OPERAND: elements along k are not contiguous in memory
    int argument;       // index of the pointer argument; −1: unknown
    unsigned width;     // bytes that a lane may access at once, at most 16
    double run;         // number of contiguous bytes in memory
    int fast_dim;       // the dimension along which they are contiguous; −1: none
    double share;       // fraction of elements that the mask enables
    double unique;      // fraction of the accessed bytes that are distinct
    double fetches;     // executions by a program that access other bytes than the previous one
    double footprint;   // bytes that all programs together access
    double die_tiles[KILN_WORK_WINDOWS]; // different tiles that the programs of one XCD access at
                                         // the same time, if there are 1, 2, 4 or 8 of them on
                                         // each compute unit
    bool feeds_dot;                      // LOAD: its value only goes to dots
    bool is_masked;                      // the mask differs between elements of the tile
    bool is_repeat; // LOAD: an earlier load of the program accesses the same bytes
    double lines;   // LOAD: bytes of the lines of the L2 that programs of one XCD access at the
                    // same time, relative to those that they access there; at least 1
} kiln_work_step_t;

// The program, a loop of it, or a side of a branch.
typedef struct kiln_work_region {
    int parent; // index of the region around it, which comes earlier; −1 for the program
    bool is_loop;
    bool has_dot;        // directly, not in inner loops
    double entries;      // mean number of times that a program enters it
    double trips;        // iterations each time; 1 if it is not a loop
    double live_bits;    // the most data that is held in tiles at a time, except operands of dots
                         // that are loaded for them
    unsigned load_depth; // length of the longest chain of its loads that depend on each other
} kiln_work_region_t;

// Belongs to the caller, and does not refer to the work.
typedef struct kiln_workload {
    double programs;
    const kiln_work_region_t *regions; // the first is the program itself
    size_t region_count;
    const kiln_work_step_t *steps; // in the order of the program
    size_t step_count;
    double imbalance;  // work of the largest program relative to the mean
    int default_warps; // what num_warps = 0 means
    // A trip count or a branch depends on data in memory, and so was assumed: a `for` covers 1024
    // values of its index, a `while` has 16 iterations, a branch whose other side does nothing is
    // taken, others are taken half of the time. A `while` whose test is computed from numbers that
    // each iteration changes by the same amount is counted; other tests are taken for data.
    bool assumed;
    bool longest_first; // programs start in the order of their work (pass order_programs)
} kiln_workload_t;

// Counts what a launch does. INVALID_INPUT for a grid without programs or of more than 2^48.
KILN_API kiln_status_t kiln_work_measure(const kiln_work_t *work, const kiln_work_launch_t *launch,
                                         kiln_workload_t **out_workload);
KILN_API void kiln_workload_release(kiln_workload_t *workload);

#ifdef __cplusplus
}
#endif
#endif
