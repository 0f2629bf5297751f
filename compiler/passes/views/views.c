// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of block pointers and tensor descriptors, and the map from values to them.
#include "passes/views/views.h"

#include <stdlib.h>

#include "base/array.h"

// Types and their parts ---------------------------------------------------------------------------

static bool is_block_pointer(MlirType type)
{
    return kiln_type_is_ptr(type) && kiln_type_is_tensor(kiln_ptr_pointee(type));
}

bool kiln_type_is_view(MlirType type)
{
    return is_block_pointer(type) || kiln_type_is_tensordesc(type);
}

MlirType kiln_view_block(MlirType view)
{
    return kiln_type_is_tensordesc(view) ? kiln_tensordesc_block_type(view)
                                         : kiln_ptr_pointee(view);
}

MlirType kiln_type_signless(MlirType element)
{
    if (mlirTypeIsAInteger(element))
        return mlirIntegerTypeGet(mlirTypeGetContext(element), mlirIntegerTypeGetWidth(element));
    return element;
}

int kiln_view_part_types(MlirType view, MlirType out[KILN_VIEW_PARTS])
{
    MlirContext mlir = mlirTypeGetContext(view);
    MlirType block = kiln_view_block(view), i64 = mlirIntegerTypeGet(mlir, 64);
    int space = kiln_type_is_tensordesc(view) ? 1 : kiln_ptr_address_space(view), count = 0;
    int lists = kiln_type_is_tensordesc(view) ? 2 : 3;
    out[count++] = kiln_ptr_type(kiln_type_signless(kiln_type_element(block)), space);
    for (int i = 0; i < lists * kiln_type_rank(block); ++i)
        out[count++] = i64;
    if (kiln_type_is_tensordesc(view))
        out[count++] = mlirIntegerTypeGet(mlir, 1);
    return count;
}

int kiln_view_parts(const kiln_tensor_view_t *view, MlirType type, MlirValue out[KILN_VIEW_PARTS])
{
    int count = 0;
    out[count++] = view->base;
    for (int i = 0; i < view->rank; ++i)
        out[count++] = view->sizes[i];
    for (int i = 0; i < view->rank; ++i)
        out[count++] = view->strides[i];
    if (kiln_type_is_tensordesc(type))
        out[count++] = view->pad_nan;
    else
        for (int i = 0; i < view->rank; ++i)
            out[count++] = view->offsets[i];
    return count;
}

kiln_tensor_view_t kiln_view_of_parts(MlirType type, const MlirValue *parts)
{
    kiln_tensor_view_t view = {.block = kiln_view_block(type), .base = *parts++};
    view.rank = kiln_type_rank(view.block);
    for (int i = 0; i < view.rank; ++i)
        view.sizes[i] = *parts++;
    for (int i = 0; i < view.rank; ++i)
        view.strides[i] = *parts++;
    if (kiln_type_is_tensordesc(type))
        view.pad_nan = *parts;
    else
        for (int i = 0; i < view.rank; ++i)
            view.offsets[i] = *parts++;
    return view;
}

kiln_status_t kiln_views_put(kiln_views_t *r, MlirValue value, const kiln_tensor_view_t *view)
{
    kiln_tensor_view_t *copy = malloc(sizeof *copy);
    if (!copy || !KILN_ARRAY_RESERVE(&r->owned, &r->owned_capacity, r->owned_count + 1)) {
        free(copy);
        return kiln_status_out_of_memory();
    }
    *copy = *view;
    r->owned[r->owned_count++] = copy;
    return kiln_value_map_put(&r->map, value, (MlirAttribute){NULL}, copy)
               ? KILN_OK
               : kiln_status_out_of_memory();
}

kiln_status_t kiln_views_get(const kiln_views_t *r, MlirOperation user, MlirValue value,
                             kiln_tensor_view_t *out)
{
    const kiln_tensor_view_t *view = kiln_value_map_get(&r->map, value, (MlirAttribute){NULL});
    if (!view)
        return kiln_status_at_op(
            kiln_status_make(KILN_STATUS_UNSUPPORTED,
                             "cannot determine the definition of this block pointer or descriptor"),
            user);
    *out = *view;
    return KILN_OK;
}

kiln_status_t kiln_views_mark_dead(kiln_views_t *r, MlirOperation op)
{
    if (!KILN_ARRAY_RESERVE(&r->dead, &r->dead_capacity, r->dead_count + 1))
        return kiln_status_out_of_memory();
    r->dead[r->dead_count++] = op;
    return KILN_OK;
}

kiln_status_t kiln_views_mark_dead_argument(kiln_views_t *r, MlirBlock block, MlirValue argument)
{
    if (!KILN_ARRAY_RESERVE(&r->dead_arguments, &r->argument_capacity, r->argument_count + 1))
        return kiln_status_out_of_memory();
    r->dead_arguments[r->argument_count++] = (struct kiln_dead_argument){block, argument};
    return KILN_OK;
}

// Users come after their operands, so erase from the last to the first.
void kiln_views_erase_dead(kiln_views_t *r)
{
    for (size_t i = r->dead_count; i-- > 0;)
        kiln_op_erase(r->dead[i]);
    for (size_t i = r->argument_count; i-- > 0;) {
        struct kiln_dead_argument *dead = &r->dead_arguments[i];
        mlirBlockEraseArgument(dead->block, (unsigned)mlirBlockArgumentGetArgNumber(dead->value));
    }
}

void kiln_views_free(kiln_views_t *r)
{
    for (size_t i = 0; i < r->owned_count; ++i)
        free(r->owned[i]);
    free(r->owned);
    free(r->dead);
    free(r->dead_arguments);
    kiln_value_map_free(&r->map);
}
