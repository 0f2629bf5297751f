// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the map of LDS over the program's order (driver/lds_map.h).
//
// Time is the order of the text: a buffer that is created before a loop and used in it lives
// throughout the loop, as for the allocation.
#include "driver/lds_map.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/plan/allocation.h"
#include "analysis/waves/waves.h"
#include "builder/ir.h"
#include "diagnostics/value_text.h"
#include "driver/session.h"

typedef struct writer {
    const kiln_allocation_t *allocation;
    kiln_string_t *out;
    char *last; // place of the latest line "at"; NULL: none
} writer_t;

static char *place_of(MlirOperation op)
{
    unsigned line, column;
    char *file = kiln_session_place(mlirOperationGetLocation(op), &line, &column),
         *place = file ? kiln_string_print("%s:%u", file, line) : strdup("-");
    free(file);
    return place;
}

static void write_place(writer_t *writer, MlirOperation op, int position)
{
    char *place = place_of(op);
    if (!place) {
        writer->out->failed = true;
        return;
    }
    if (writer->last && strcmp(writer->last, place) == 0) {
        free(place);
        return;
    }
    kiln_string_appendf(writer->out, "at %d %s\n", position, place);
    free(writer->last);
    writer->last = place;
}

static void write_buffer(const writer_t *writer, MlirOperation op)
{
    uint32_t offset, bytes;
    kiln_positions_t live;
    if (!kiln_allocation_offset(writer->allocation, op, &offset, &bytes) ||
        !kiln_allocation_live(writer->allocation, op, &live))
        return;
    char *place = place_of(op);
    kiln_string_appendf(writer->out, "buffer %u %u %d %d %s ", offset, bytes, live.first, live.last,
                        place ? place : "-");
    free(place);
    if (kiln_op_kind(op) == KILN_OP_TTG_LOCAL_ALLOC) {
        kiln_append_buffer(writer->out, mlirOperationGetResult(op, 0));
    } else {
        const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
        kiln_string_appendf(writer->out, "scratch of '%.*s'", (int)name.length, name.data);
    }
    kiln_string_append_char(writer->out, '\n');
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    writer_t *writer = user;
    const kiln_op_t kind = kiln_op_kind(op);
    kiln_positions_t place;
    if (!kiln_allocation_place(writer->allocation, op, &place))
        return MlirWalkResultAdvance; // the module and its functions
    write_place(writer, op, place.first);
    if (kind == KILN_OP_SCF_FOR || kind == KILN_OP_SCF_WHILE)
        kiln_string_appendf(writer->out, "loop %d %d\n", place.first, place.last);
    write_buffer(writer, op);
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_lds_map_write(MlirModule module, kiln_string_t *out)
{
    int waves;
    kiln_allocation_t *allocation = NULL;
    KILN_TRY(kiln_waves_of_module(module, &waves));
    kiln_status_t status = kiln_allocation_create(module, waves, &allocation);
    if (!status)
        status = kiln_allocation_read_offsets(allocation);
    writer_t writer = {allocation, out, NULL};
    if (!status)
        kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, visit, &writer);
    free(writer.last);
    kiln_allocation_destroy(allocation);
    return status ? status : out->failed ? kiln_status_out_of_memory() : KILN_OK;
}
