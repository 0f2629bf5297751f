// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes blocks and functions, finds memory, and reports errors.
//
// Note that an error names the operation's location, which for Triton's files is a line of Python,
// and also the element's index and the program's id, which identify the data.
#include "interp/machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"

// Failures ----------------------------------------------------------------------------------------

static kiln_status_t annotate(const kiln_iframe_t *frame, const kiln_iop_t *op,
                              kiln_status_t status)
{
    const unsigned *id = frame->instance->id;
    if (op)
        status = kiln_status_at_op(status, op->mlir);
    if (op && !kiln_status_file(status)) {
        MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op->mlir));
        status = kiln_status_annotate(status, "in %.*s", (int)name.length, name.data);
    }
    return kiln_status_annotate(status, "in program (%u, %u, %u)", id[0], id[1], id[2]);
}

kiln_status_t kiln_fail(const kiln_iframe_t *frame, const kiln_iop_t *op, kiln_status_code_t code,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = kiln_string_vprint(format, args);
    va_end(args);
    kiln_status_t status = text ? kiln_status_make(code, "%s", text) : kiln_status_out_of_memory();
    free(text);
    return annotate(frame, op, status);
}

static kiln_status_t at_element(kiln_status_t status, const kiln_itype_t *type, size_t index)
{
    kiln_string_t text = {0};
    if (!type || type->kind == KILN_ITYPE_SCALAR)
        return status;
    size_t below = type->count;
    for (int d = 0; d < type->rank; d++) {
        below /= type->dims[d];
        kiln_string_appendf(&text, "%s%zu", d ? ", " : "", index / below % type->dims[d]);
    }
    status =
        kiln_status_annotate(status, "at element [%s] of the tile", text.data ? text.data : "");
    kiln_string_free(&text);
    return status;
}

kiln_status_t kiln_fail_without_code(const kiln_iframe_t *frame, const kiln_iop_t *op)
{
    return kiln_fail(frame, op, KILN_STATUS_INTERNAL, "the interpreter has no code for '%s'",
                     kiln_op_name(op->kind));
}

kiln_status_t kiln_fail_element(const kiln_iframe_t *frame, const kiln_iop_t *op,
                                const kiln_itype_t *type, size_t index, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = kiln_string_vprint(format, args);
    va_end(args);
    kiln_status_t status = text ? kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s", text)
                                : kiln_status_out_of_memory();
    free(text);
    return at_element(annotate(frame, op, status), type, index);
}

kiln_status_t kiln_fail_undefined(const kiln_iframe_t *frame, const kiln_iop_t *op,
                                  const kiln_itype_t *type, size_t index, uint8_t reason_id,
                                  const char *what)
{
    const kiln_iop_t *origin = frame->machine->reasons[reason_id - 1].op;
    kiln_status_t status = kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s is undefined", what);
    status = at_element(annotate(frame, op, status), type, index);
    kiln_status_t place =
        kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT, "place"), origin->mlir);
    const char *reason = frame->machine->reasons[reason_id - 1].what;
    if (kiln_status_file(place))
        status = kiln_status_annotate(status, "it comes from %s at %s:%u:%u", reason,
                                      kiln_status_file(place), kiln_status_line(place),
                                      kiln_status_column(place));
    else
        status = kiln_status_annotate(status, "it comes from %s", reason);
    kiln_status_free(place);
    return kiln_status_annotate(status, "set `lenient` to continue with an arbitrary value");
}

kiln_status_t kiln_scalar(const kiln_iframe_t *frame, const kiln_iop_t *op, int operand,
                          const char *what, int64_t *out)
{
    const kiln_itile_t *tile = kiln_in(frame, op, operand);
    if (tile->undefined && tile->undefined[0])
        return kiln_fail_undefined(frame, op, NULL, 0, tile->undefined[0], what);
    *out = kiln_number_signed(op->operand_types[operand]->number, tile->bits[0]);
    return KILN_OK;
}

// Memory ------------------------------------------------------------------------------------------

unsigned char *kiln_machine_locate(kiln_machine_t *machine, uint64_t address, size_t size)
{
    const kiln_interp_launch_t *launch = machine->launch;
    if (!launch->buffer_count)
        return NULL;
    const kiln_interp_buffer_t *buffer = &launch->buffers[machine->last_buffer];
    if (address < buffer->address || address - buffer->address >= buffer->size) {
        size_t low = 0,
               high = launch->buffer_count; // the last one that begins at or before the address
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (launch->buffers[middle].address <= address)
                low = middle;
            else
                high = middle;
        }
        buffer = &launch->buffers[machine->last_buffer = low];
    }
    uint64_t offset = address - buffer->address;
    if (address < buffer->address || offset > buffer->size || buffer->size - offset < size)
        return NULL;
    return (unsigned char *)buffer->data + offset;
}

// Describes an address: "4 bytes past the end of 'x' (1024 bytes)". The caller frees the text.
static char *describe_address(const kiln_machine_t *machine, uint64_t address)
{
    const kiln_interp_launch_t *launch = machine->launch;
    const kiln_interp_buffer_t *nearest = NULL;
    uint64_t min = UINT64_MAX;
    bool is_past = false;
    for (size_t i = 0; i < launch->buffer_count; i++) {
        const kiln_interp_buffer_t *buffer = &launch->buffers[i];
        uint64_t end = buffer->address + buffer->size;
        uint64_t distance = address < buffer->address ? buffer->address - address
                            : address >= end          ? address - end
                                                      : 0;
        if (distance < min) {
            min = distance;
            nearest = buffer;
            is_past = address >= buffer->address;
        }
    }
    if (!nearest)
        return kiln_string_print("the program has no buffers");
    if (min == 0 && address == nearest->address + nearest->size)
        return kiln_string_print("that is just past the end of '%s' (%zu bytes)", nearest->name,
                                 nearest->size);
    if (address - nearest->address < nearest->size)
        return kiln_string_print("it begins at byte %" PRIu64
                                 " of '%s', which ends after %zu bytes",
                                 address - nearest->address, nearest->name, nearest->size);
    return kiln_string_print("that is %" PRIu64 " bytes %s '%s' (%zu bytes)", min,
                             is_past ? "past the end of" : "before", nearest->name, nearest->size);
}

kiln_status_t kiln_access(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                          size_t index, uint64_t address, unsigned bytes, const char *verb,
                          unsigned char **out_host)
{
    if ((*out_host = kiln_machine_locate(frame->machine, address, bytes)))
        return KILN_OK;
    char *text = describe_address(frame->machine, address);
    kiln_status_t status =
        kiln_fail_element(frame, op, type, index, "%s %u bytes at 0x%" PRIx64 ", out of bounds: %s",
                          verb, bytes, address, text ? text : "out of memory");
    free(text);
    return status;
}

// Blocks ------------------------------------------------------------------------------------------

static kiln_status_t run_op(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    kiln_machine_t *machine = frame->machine;
    machine->operations++;
    if (machine->launch->limit && machine->operations > machine->launch->limit)
        return kiln_fail(frame, op, KILN_STATUS_DEVICE, "more than %" PRIu64 " executed operations",
                         machine->launch->limit);
    KILN_TRY(op->run(frame, op));
    for (int i = 0; i < op->release_count; i++)
        kiln_set(frame, op->releases[i], NULL);
    return KILN_OK;
}

// Copies the operands of a branch to the arguments of its target block.
static kiln_status_t branch(kiln_iframe_t *frame, const kiln_iop_t *op, int successor,
                            const kiln_iblock_t **out_block)
{
    const kiln_iblock_t *block = op->successors[successor];
    int first = op->kind != KILN_OP_CF_BR; // operand 0 is the condition or the flag
    for (int s = 0; s < successor; s++)
        first += op->successor_operand_counts[s];
    kiln_itile_t **values = malloc(((size_t)block->argument_count + 1) * sizeof(kiln_itile_t *));
    if (!values)
        return kiln_status_out_of_memory();
    for (int i = 0; i < block->argument_count; i++)
        values[i] = kiln_itile_retain(frame->slots[op->operands[first + i]]);
    for (int i = 0; i < block->argument_count; i++)
        kiln_set(frame, block->arguments[i], values[i]);
    free(values);
    *out_block = block;
    return KILN_OK;
}

static kiln_status_t choose_successor(kiln_iframe_t *frame, const kiln_iop_t *op, int *out)
{
    int64_t flag = 0;
    *out = 0;
    if (op->kind == KILN_OP_CF_BR)
        return KILN_OK;
    KILN_TRY(kiln_scalar(frame, op, 0, "the condition of a branch", &flag));
    if (op->kind == KILN_OP_CF_COND_BR) {
        *out = !flag;
        return KILN_OK;
    }
    MlirAttribute cases =
        kiln_ir_attr(op->mlir, "case_values"); // of cf.switch, whose first successor is the default
    for (int i = 1; i < op->successor_count && !*out; i++) {
        int64_t wanted = mlirIntegerAttrGetValueInt(
            mlirElementsAttrGetValue(cases, 1, &(uint64_t){(uint64_t)i - 1}));
        if (((uint64_t)(wanted ^ flag) & kiln_number_mask(op->operand_types[0]->number)) == 0)
            *out = i;
    }
    return KILN_OK;
}

kiln_status_t kiln_run_region(kiln_iframe_t *frame, const kiln_iregion_t *region,
                              const kiln_iop_t **out_end)
{
    const kiln_iblock_t *block = &region->blocks[0];
    uint64_t jumps = 0;
    if (!kiln_instance_has_room(frame->instance))
        return kiln_fail(frame, block->ops, KILN_STATUS_UNSUPPORTED,
                         "calls and regions are nested too deep for the interpreter");
    for (;;) {
        const kiln_iop_t *op = block->ops, *end = op + block->op_count;
        for (; op < end && op->run; op++)
            KILN_TRY(run_op(frame, op));
        *out_end = op < end ? op : NULL;
        if (op == end || !op->successor_count)
            return KILN_OK;
        int successor;
        KILN_TRY(choose_successor(frame, op, &successor));
        KILN_TRY(branch(frame, op, successor, &block));
        if (++jumps % 1024 == 0)
            KILN_TRY(kiln_instance_yield(frame, op));
    }
}
