// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block pointers and tensor descriptors as rewrite_tensor_pointers represents them: each is a view
// (access.h), whose parts replace it in operands, results and arguments.
#ifndef KILN_TENSOR_VIEWS_H
#define KILN_TENSOR_VIEWS_H

#include "passes/rewrite/value_map.h"
#include "passes/views/access.h"

enum { KILN_VIEW_PARTS = 1 + 3 * KILN_MAX_RANK };

typedef struct kiln_views {
    MlirContext mlir;
    kiln_value_map_t map;       // value → kiln_tensor_view_t
    kiln_tensor_view_t **owned; // owns the views in `map`
    size_t owned_count, owned_capacity;
    MlirOperation *dead; // rewritten operations, in order of appearance
    size_t dead_count, dead_capacity;
    struct kiln_dead_argument {
        MlirBlock block;
        MlirValue value;
    } *dead_arguments;
    size_t argument_count, argument_capacity;
} kiln_views_t;

bool kiln_type_is_view(MlirType type);   // a block pointer or a tensor descriptor
MlirType kiln_view_block(MlirType view); // its block as a ranked tensor
// Only descriptors distinguish signed and unsigned elements.
MlirType kiln_type_signless(MlirType type);

// A view's parts in order: base, sizes, strides, then the offsets of a block pointer or the padding
// of a descriptor.
int kiln_view_part_types(MlirType view, MlirType out[KILN_VIEW_PARTS]);
int kiln_view_parts(const kiln_tensor_view_t *view, MlirType type, MlirValue out[KILN_VIEW_PARTS]);
kiln_tensor_view_t kiln_view_of_parts(MlirType type, const MlirValue *parts);

kiln_status_t kiln_views_put(kiln_views_t *views, MlirValue value, const kiln_tensor_view_t *view);
kiln_status_t kiln_views_get(const kiln_views_t *views, MlirOperation user, MlirValue value,
                             kiln_tensor_view_t *out);

// Records an operation to erase after all operations are rewritten.
kiln_status_t kiln_views_mark_dead(kiln_views_t *views, MlirOperation op);
kiln_status_t kiln_views_mark_dead_argument(kiln_views_t *views, MlirBlock block,
                                            MlirValue argument);
void kiln_views_erase_dead(kiln_views_t *views);
void kiln_views_free(kiln_views_t *views);

// Rewrites an operation that creates, moves or accesses a view. Sets *out_done to false for any
// other.
kiln_status_t kiln_rewrite_tensor_access(kiln_views_t *views, MlirOperation op, bool *out_done);

#endif
