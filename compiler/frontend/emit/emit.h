// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared declarations of the emitter: emit.c (kernel, expressions), emit_builtin.c, emit_control.c,
// collect.c, count_loop.c, emit_counted_for.c.
//
// SSA form results from tracking the current value of each variable: a branch or loop collects the
// variables that are assigned inside and declared outside, and carries exactly those.
#ifndef KILN_FRONTEND_EMIT_H
#define KILN_FRONTEND_EMIT_H

#include "builder/builder_internal.h"
#include "frontend/parse/tree.h"

typedef struct kiln_emitter {
    kiln_reporter_t *reporter;
    kiln_arena_t *arena;
    kiln_builder_t *builder;
    MlirContext context;
    const char *name; // the variable whose value is being computed; used to name operations
    unsigned mark;    // of the current collection
    // Flags of the innermost loop and function, set by early exits; NULL if there are none.
    kiln_variable_t *broken, *continued, *returned;
} kiln_emitter_t;

// Returns the null value for void.
kiln_value_t kiln_emit_node(kiln_emitter_t *emitter, const kiln_node_t *node);
void kiln_emit_action(kiln_emitter_t *emitter, const kiln_action_t *action);
kiln_value_t kiln_emit_builtin(kiln_emitter_t *emitter, const kiln_node_t *node);
kiln_value_t kiln_emit_conditional(kiln_emitter_t *emitter, const kiln_node_t *node);
kiln_value_t kiln_emit_convert(kiln_emitter_t *emitter, kiln_value_t value,
                               const kiln_tile_type_t *from, const kiln_tile_type_t *to);
kiln_value_t kiln_emit_int(kiln_emitter_t *emitter, const kiln_tile_type_t *type, int64_t value);
kiln_value_t kiln_emit_bool(kiln_emitter_t *emitter, bool value);
kiln_variable_t *kiln_emit_flag(kiln_emitter_t *emitter); // a new bool variable that is false
void kiln_emit_locate(kiln_emitter_t *emitter, kiln_span_t at, const kiln_call_site_t *site);

// The variables that a piece of the program assigns and that are declared outside of it
// (collect.c). They carry the emitter's mark until the next collection begins.
typedef struct kiln_collection {
    kiln_emitter_t *emitter;
    kiln_variable_t **list;
    size_t count, capacity;
    unsigned loops, expansions; // entered so far; their exits do not count
} kiln_collection_t;
kiln_collection_t kiln_collection_begin(kiln_emitter_t *emitter);
void kiln_collect_variable(kiln_collection_t *collection, kiln_variable_t *variable); // NULL: none
void kiln_collect_node(kiln_collection_t *collection, const kiln_node_t *node);
void kiln_collect_action(kiln_collection_t *collection, const kiln_action_t *action);

// The header of a counted loop (count_loop.c): for (T i = low; i < high; i += step).
typedef struct kiln_counted {
    const kiln_node_t *bound, *step;
    kiln_operator_t comparison; // LT, LE, GT or GE
    bool is_downward;           // the step is subtracted
    int64_t constant_step;      // if known, else 0
    kiln_tile_type_t type;      // of the comparison
} kiln_counted_t;
bool kiln_loop_is_counted(kiln_emitter_t *emitter, const kiln_action_t *loop, kiln_counted_t *out);

// The scf.for of a counted loop (emit_counted_for.c), and how its counter is computed from the
// induction variable.
typedef struct kiln_counted_for {
    kiln_value_t low, high, step;
    bool is_unsigned;
    bool is_counter;           // the induction variable is the counter; else
    kiln_value_t start, scale; // start ± induction · scale; scale may be null: 1
} kiln_counted_for_t;
kiln_counted_for_t kiln_emit_counted_for(kiln_emitter_t *emitter, const kiln_action_t *loop,
                                         const kiln_counted_t *counted);
kiln_value_t kiln_emit_counter(kiln_emitter_t *emitter, const kiln_counted_t *counted,
                               const kiln_counted_for_t *counted_for, kiln_value_t induction);

// Emits a checked program into the builder.
void kiln_emit_program(kiln_emitter_t *emitter, const kiln_program_t *program);

#endif
