// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile program as its work is counted (kiln/work.h): the nodes that give its integers and
// addresses, its loops and branches, and its steps. It does not refer to the module it was read
// from.
#ifndef KILN_ANALYSIS_WORK_PROGRAM_H
#define KILN_ANALYSIS_WORK_PROGRAM_H

#include <mlir-c/IR.h>

#include "analysis/program_order.h"
#include "analysis/work/points.h"
#include "kiln/work.h"

typedef struct kiln_work_item {
    kiln_work_step_t step; // what does not depend on the launch
    int pointer, mask;     // nodes of an access; −1: none
    int made_in;           // OPERAND: the place where the operand is computed
    int loaded_by;         // OPERAND: the item of the load that it is; −1: another value
    bool is_flipped;       // its last two dimensions are those of the load in reverse order
} kiln_work_item_t;

// The type of a kernel argument, as it lies in memory.
typedef struct kiln_work_argument {
    int bits;
    bool is_integer; // or a pointer
} kiln_work_argument_t;

typedef struct kiln_work_program {
    kiln_node_t *nodes;
    size_t node_count, node_capacity;
    kiln_place_node_t *places; // the first is the program
    size_t place_count, place_capacity;
    kiln_work_item_t *items;
    size_t item_count, item_capacity;
    kiln_work_argument_t *arguments;
    size_t argument_count;
    int default_warps; // what num_warps = 0 means
    kiln_program_order_t order;
} kiln_work_program_t;

// Reads the function of a tt module without calls and tensor descriptors. Fails if memory is
// exhausted or the module's order of programs is invalid; free the program in either case.
kiln_status_t kiln_work_program_read(MlirModule module, MlirOperation function,
                                     kiln_work_program_t *out_program);
void kiln_work_program_free(kiln_work_program_t *program);

// live.c: the largest number of bits that tiles of data take at a time in the block or in a
// block inside it, besides `outside`. `is_data(value, user)` selects the values that count.
typedef bool (*kiln_work_counts_t)(MlirValue value, void *user);
bool kiln_work_live_bits(MlirBlock block, double outside, kiln_work_counts_t counts, void *user,
                         void (*report)(MlirBlock block, double bits, void *user), double *out_max);

// Counts a launch.
kiln_status_t kiln_work_program_measure(const kiln_work_program_t *program,
                                        const kiln_work_launch_t *launch,
                                        kiln_workload_t **out_workload);

#endif
