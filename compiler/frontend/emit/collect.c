// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the variables that a piece of the program assigns and that are declared outside of it. A
// branch or loop must carry these and only these.
//
// An exit counts as an assignment to the flag that it sets; exits that leave only loops and helpers
// inside the piece do not count.
#include "frontend/emit/emit.h"

kiln_collection_t kiln_collection_begin(kiln_emitter_t *emitter)
{
    emitter->mark++;
    return (kiln_collection_t){.emitter = emitter};
}

void kiln_collect_variable(kiln_collection_t *collection, kiln_variable_t *variable)
{
    if (!variable || variable->mark == collection->emitter->mark || !variable->is_declared)
        return;
    variable->mark = collection->emitter->mark;
    KILN_ARENA_PUSH(collection->emitter->arena, collection->list, collection->count,
                    collection->capacity, variable);
}

void kiln_collect_node(kiln_collection_t *collection, const kiln_node_t *node)
{
    if (!node)
        return;
    if (node->kind == KILN_NODE_ASSIGN)
        kiln_collect_variable(collection, node->variable);
    kiln_collect_node(collection, node->a);
    kiln_collect_node(collection, node->b);
    kiln_collect_node(collection, node->c);
    for (int i = 0; i < 4; i++)
        kiln_collect_node(collection, node->arguments[i]);
    for (size_t i = 0; i < node->input_count; i++)
        kiln_collect_node(collection, node->inputs[i]);
    if (node->body) {
        unsigned loops = collection->loops;
        collection->loops = 0;
        collection->expansions++;
        kiln_collect_action(collection, node->body);
        collection->expansions--;
        collection->loops = loops;
    }
}

void kiln_collect_action(kiln_collection_t *collection, const kiln_action_t *action)
{
    if (!action)
        return;
    if (action->kind == KILN_ACTION_EXIT && !collection->expansions) {
        if (action->exit == KILN_EXIT_RETURN)
            kiln_collect_variable(collection, collection->emitter->returned);
        else if (!collection->loops)
            kiln_collect_variable(collection, action->exit == KILN_EXIT_BREAK
                                                  ? collection->emitter->broken
                                                  : collection->emitter->continued);
    }
    kiln_collect_node(collection, action->value);
    bool is_loop = action->kind == KILN_ACTION_LOOP;
    collection->loops += is_loop;
    kiln_collect_node(collection, action->step);
    kiln_collect_action(collection, action->body);
    collection->loops -= is_loop;
    kiln_collect_action(collection, action->otherwise);
    for (size_t i = 0; i < action->count; i++)
        kiln_collect_action(collection, action->list[i]);
}
