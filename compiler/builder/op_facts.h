// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effects of operations, and what passes may do with them, from the rows of effects.def.
//
// Note that an operation without a row in ops.def is assumed to have every effect; only operations
// that are proved to have none may be removed, repeated or moved.
#ifndef KILN_OP_FACTS_H
#define KILN_OP_FACTS_H

#include <stdbool.h>

#include "kiln/dialects.h"

// Marks an scf.if whose branches are two versions of the whole kernel (version_strides.c).
#define KILN_IF_HAS_VERSIONS "kiln.versions"
// Marks a product that is rounded before it is added to another number (narrow_arithmetic.c).
#define KILN_PRODUCT_IS_ROUNDED "kiln.rounded"
// Of a scheduled loop: its operations' pipeline stages, its last stage, and that it does its last
// iterations itself (pipelining/expand.h). Of any loop: the steps in an iteration when unrolled.
#define KILN_LOOP_STAGE "loop.stage"
#define KILN_LOOP_LAST_STAGE "tt.scheduled_max_stage"
#define KILN_LOOP_IS_CLOSED "kiln.closed"
#define KILN_LOOP_UNROLL "tt.loop_unroll_factor"

typedef enum kiln_effect {
    KILN_READS_GLOBAL = 1,
    KILN_WRITES_GLOBAL = 2,
    KILN_READS_LDS = 4,
    KILN_WRITES_LDS = 8,
    KILN_ORDERED = 16, // with every other effect: barriers, prints, calls, atomics, unknown ones
    KILN_ASYNC = 32,   // commits a group of asynchronous copies, or waits for one
    KILN_CLAIMS = 64,  // a promise that must hold where it is executed; it may be removed
} kiln_effect_t;

typedef enum kiln_trait {
    KILN_ELEMENTWISE = 1,
    KILN_LEAF = 2,
    KILN_PLAIN = 4,
    KILN_DIVIDES = 8,
    KILN_LIBRARY = 16,
    KILN_NEAR = 32,
    KILN_VIEW = 64,
    KILN_REPEATS = 128,
    KILN_LOOPS = 256,
    KILN_TERMINATOR = 512,
    KILN_UNIFORM_OF_OPERANDS = 1024,
} kiln_trait_t;

// The cost of recomputing a result.
typedef enum kiln_remat {
    KILN_REMAT_NEVER, // not allowed
    KILN_REMAT_FREE,
    KILN_REMAT_CHEAP,
    KILN_REMAT_MATH,
    KILN_REMAT_DIVISION,
} kiln_remat_t;

// Operand groups of kiln_op_facts_t other than numbered ones.
enum { KILN_NO_OBJECT = -1, KILN_RESULT_OBJECT = -2 };

// A row of effects.def.
typedef struct kiln_op_facts {
    unsigned short effects; // with the conditions of the table
    signed char global, lds;
    kiln_remat_t remat;
    unsigned traits;
} kiln_op_facts_t;

const kiln_op_facts_t *kiln_op_facts(kiln_op_t kind);

// Whether the row has all of these traits.
bool kiln_op_has(kiln_op_t kind, unsigned traits);

// The effects of the operation under its attributes: without and with those of its regions.
int kiln_op_own_effects(MlirOperation op);
int kiln_op_effects(MlirOperation op);

// Whether the operation may be removed if its results are unused: it changes nothing.
bool kiln_op_may_be_erased(MlirOperation op);

// Whether the operation may be executed speculatively or repeatedly: it has no effects and
// terminates.
bool kiln_op_is_speculatable(MlirOperation op);

// A load of a tensor, or an scf.if that only loads and both sides of which yield loaded values, as
// linear_remainders creates it.
bool kiln_op_loads_tensor(MlirOperation op);
// The same of one tensor or several.
bool kiln_op_loads_tensors(MlirOperation op);

// Whether the operation, or one in it, may not terminate.
bool kiln_op_may_not_terminate(MlirOperation op);

#endif
