// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the parts of one step of an expanded loop: step.c clones operations,
// step_values.c resolves their operands, step_branch.c builds the branches that contain
// some of them.
//
// Pitfall: a value created in a branch and cached (a slot, an index) is not available after it.
#ifndef KILN_LOOP_STEP_H
#define KILN_LOOP_STEP_H

#include "passes/pipelining/expand.h"

typedef struct kiln_step {
    kiln_expansion_t *e;
    const kiln_loop_schedule_t *schedule;
    kiln_ir_t ir; // insertion point of clones
    kiln_step_phase_t phase;
    int number;
    MlirValue induction; // of the new loop
    const MlirValue *before;
    kiln_clones_t made; // values of the loop → their clones in this step
    MlirValue *next;    // carried values defined so far
    MlirValue *guards;  // of each stage: whether its iteration exists; null if that is certain
    MlirValue *inductions, *slots; // caches: of each stage; of each buffer and stage
    // The open branch.
    bool is_open;
    int open_stage;
    kiln_ir_t outside;
    MlirBlock then_block;
    bool *is_inside; // of each operation
    bool *has_begun; // of each stage
    bool *is_passed; // of each carried value: passed on in the branch
    MlirValue *kept; // inductions and slots before the branch
} kiln_step_t;

// Whether the step executes this stage.
bool kiln_step_is_active(const kiln_step_t *s, int stage);

// Returns the iteration that the stage executes: counted from the first before the loop, and among
// the last S after it.
int kiln_step_iteration(const kiln_step_t *s, int stage);

// Whether iteration `number` exists; null if that is certain.
MlirValue kiln_step_guard(const kiln_step_t *s, int number);

// Returns (slot + by) mod slots, for slot < slots and by < slots. membar_pieces.c recognizes the
// form for by = 1.
MlirValue kiln_step_slot_after(const kiln_ir_t *ir, MlirValue slot, int by, int slots);

// Returns a buffer's slot for the stage's iteration.
MlirValue kiln_step_slot(kiln_step_t *s, int buffer, int stage);

// Returns the value that replaces a value of the old loop in the stage's iteration.
MlirValue kiln_step_resolve(kiln_step_t *s, MlirValue value, int stage);

// Returns the carried value at the start of the next iteration; the first iteration starts with the
// loop's initial value.
MlirValue kiln_step_next(kiln_step_t *s, int carried);

// Number of cached values: s->inductions followed by s->slots.
size_t kiln_step_remembered(const kiln_step_t *s);

// Clones go into a branch that is taken if the stage's iteration exists, until the branch is
// closed.
void kiln_step_open_branch(kiln_step_t *s, int stage);
void kiln_step_close_branch(kiln_step_t *s); // no effect if none is open

#endif
