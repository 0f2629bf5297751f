// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of one step of an expanded loop share: loop_step.c copies operations, loop_step_values.c finds what
// their operands are, loop_step_branch.c has the branches in which some of them go.
//
// The thing one gets wrong: what is made in a branch and remembered (a slot, an index) is not there behind it.
#ifndef KILN_LOOP_STEP_H
#define KILN_LOOP_STEP_H

#include "passes/loop_expand.h"

typedef struct kiln_step {
    kiln_expansion_t *e;
    const kiln_loop_schedule_t *schedule;
    kiln_ir_t ir; // where copies go
    kiln_step_phase_t phase;
    int number;
    MlirValue induction; // of the new loop
    const MlirValue *before;
    kiln_clones_t made;            // values of the loop → their copies in this step
    MlirValue *next;               // carried values that were made
    MlirValue *guards;             // of each stage: whether there is its iteration; null where that is sure
    MlirValue *inductions, *slots; // remembered: of each stage; of each buffer and stage
    // The branch that is open
    bool is_open;
    int open_stage;
    kiln_ir_t outside;
    MlirBlock then;
    bool *is_inside; // of each operation
    bool *has_begun; // of each stage
    bool *is_passed; // of each carried value: passed on in it
    MlirValue *kept; // inductions and slots as they were
} kiln_step_t;

// Does the step have an iteration for this stage?
bool kiln_step_is_active(const kiln_step_t *s, int stage);

// The iteration that the stage does: before the loop as it is, behind it of the last S that there are.
int kiln_step_iteration(const kiln_step_t *s, int stage);

// Whether there is an iteration `number`; null where that is sure.
MlirValue kiln_step_guard(const kiln_step_t *s, int number);

// (slot + by) mod slots, for slot < slots and by < slots. membar_pieces.c knows the form where by is 1.
MlirValue kiln_step_slot_after(const kiln_ir_t *ir, MlirValue slot, int by, int slots);

// A buffer's slot for the stage's iteration.
MlirValue kiln_step_slot(kiln_step_t *s, int buffer, int stage);

// What a value of the old loop is for the stage's iteration.
MlirValue kiln_step_resolve(kiln_step_t *s, MlirValue value, int stage);

// The carried value that the next iteration begins with: the first begins with what the loop is given.
MlirValue kiln_step_next(kiln_step_t *s, int carried);

// How many values are remembered: s->inductions and s->slots, one behind the other.
size_t kiln_step_remembered(const kiln_step_t *s);

// Copies go into a branch that is taken where the stage has its iteration, until it is closed.
void kiln_step_open_branch(kiln_step_t *s, int stage);
void kiln_step_close_branch(kiln_step_t *s); // nothing where none is open

#endif
