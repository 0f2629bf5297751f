// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows types by the layout library's texts and pictures. A page draws layouts itself, and has
// pictures of conversions and accesses.
#include "show.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "builder/ir.h"
#include "builder/ir_text.h"
#include "cli/report/layouts.h"
#include "colour.h"
#include "inspect/layout_access.h"
#include "inspect/layout_moves.h"

static kiln_status_t print_text(const kiln_string_t *text)
{
    return text->failed || fwrite(text->data, 1, text->length, stdout) != text->length ||
                   fflush(stdout)
               ? kiln_status_make(KILN_STATUS_IO, "cannot write to stdout")
               : KILN_OK;
}

// Adds to the page; takes `layout`.
static kiln_status_t add_layout(kiln_layout_output_t *out, const char *title, json_t *layout)
{
    if (!layout)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "'%s' is too large to be drawn; choose a smaller shape", title);
    json_t *entry = json_pack("{s:o,s:o}", "title", kiln_json_text(title), "layout", layout);
    return json_array_append_new(out->entries, entry) ? kiln_status_out_of_memory() : KILN_OK;
}

// Adds text, whose first lines are the title, and a picture, which it frees.
static kiln_status_t add_picture(kiln_layout_output_t *out, const char *title, const char *text,
                                 kiln_layout_picture_t *picture)
{
    kiln_string_t svg = {0};
    kiln_layout_picture_write(picture, &svg);
    kiln_layout_picture_free(picture);
    json_t *entry = svg.failed ? NULL
                               : json_pack("{s:o,s:o,s:o}", "title", kiln_json_text(title), "text",
                                           kiln_json_text(text), "svg", kiln_json_text(svg.data));
    kiln_string_free(&svg);
    return json_array_append_new(out->entries, entry) ? kiln_status_out_of_memory() : KILN_OK;
}

// Prints a layout, in colours if these are wanted.
static kiln_status_t print_layout(const kiln_string_t *text, const kiln_layout_output_t *out,
                                  unsigned lds_bits)
{
    kiln_string_t coloured = {0};
    if (!out->is_coloured || text->failed)
        return print_text(text);
    kiln_layout_colour(text->data, lds_bits, &coloured);
    kiln_status_t status = print_text(&coloured);
    kiln_string_free(&coloured);
    return status;
}

kiln_status_t kiln_layout_show_type(MlirType given, int num_warps, kiln_layout_output_t *out,
                                    const char *users)
{
    int64_t buffers;
    const MlirType type = kiln_layout_buffer_type(given, &buffers);
    kiln_layout_t layout;
    kiln_string_t text = {0};
    const bool in_lds = kiln_type_is_memdesc(type);
    const kiln_layout_memory_t memory = in_lds ? KILN_LAYOUT_IN_LDS : KILN_LAYOUT_IN_REGISTERS;
    mlirTypePrint(given, kiln_ir_append, &text);
    if (buffers > 1)
        kiln_string_appendf(&text, " // %lld buffers, each:", (long long)buffers);
    kiln_string_append(&text, users);
    kiln_status_t status = kiln_layout_of_type(type, num_warps, &layout);
    const MlirType element = in_lds ? kiln_memdesc_element(type) : kiln_type_element(type);
    const kiln_padding_t padding = kiln_type_padding(type);
    if (!status && out->kind == KILN_LAYOUT_OUT_HTML && !text.failed) {
        status = add_layout(out, text.data,
                            kiln_layout_json(&layout, in_lds, &padding, kiln_type_bits(element)));
    } else if (!status && out->kind == KILN_LAYOUT_OUT_SVG && !text.failed) {
        status = kiln_layout_picture_add(&out->picture, &layout, memory, &padding,
                                         kiln_type_bits(element), text.data);
    } else if (!status) {
        kiln_string_append_char(&text, '\n');
        status = kiln_layout_write(&layout, memory, &padding, out->view, &text);
        if (!status)
            status = print_layout(&text, out, in_lds ? (unsigned)kiln_type_bits(element) : 0);
    }
    kiln_string_free(&text);
    return status;
}

// The layouts of both sides and between them what moves.
static kiln_status_t draw_conversion(MlirType from, MlirType to, const kiln_layout_t *source,
                                     const kiln_layout_t *destination, int num_warps,
                                     const char *title, kiln_layout_output_t *out)
{
    KILN_TRY(kiln_layout_show_type(from, num_warps, out, ""));
    KILN_TRY(kiln_layout_picture_add_moves(&out->picture, source, destination, title));
    return kiln_layout_show_type(to, num_warps, out, "");
}

kiln_status_t kiln_layout_show_conversion(MlirType from, MlirType to, int num_warps,
                                          kiln_layout_output_t *out, const char *where)
{
    kiln_layout_t source, destination;
    kiln_string_t text = {0};
    const int bits = kiln_type_bits(kiln_type_element(from));
    KILN_TRY(kiln_layout_of_type(from, num_warps, &source));
    KILN_TRY(kiln_layout_of_type(to, num_warps, &destination));
    kiln_status_t status = KILN_OK;
    if (out->kind == KILN_LAYOUT_OUT_HTML) {
        kiln_layout_picture_t picture = {0};
        mlirTypePrint(from, kiln_ir_append, &text);
        kiln_string_append(&text, " to ");
        mlirTypePrint(to, kiln_ir_append, &text);
        kiln_string_append(&text, where);
        kiln_string_t how = {0};
        kiln_layout_conversion_describe(&source, &destination, bits, &how);
        status = text.failed || how.failed
                     ? kiln_status_out_of_memory()
                     : kiln_layout_picture_add_moves(&picture, &source, &destination, how.data);
        if (!status)
            status = add_picture(out, text.data, how.data, &picture);
        kiln_layout_picture_free(&picture);
        kiln_string_free(&how);
    } else if (out->kind == KILN_LAYOUT_OUT_SVG) {
        kiln_layout_conversion_describe(&source, &destination, bits, &text);
        kiln_string_append(&text, where);
        status = text.failed
                     ? kiln_status_out_of_memory()
                     : draw_conversion(from, to, &source, &destination, num_warps, text.data, out);
    } else {
        mlirTypePrint(from, kiln_ir_append, &text);
        kiln_string_append(&text, where);
        kiln_string_append(&text, "\nto ");
        mlirTypePrint(to, kiln_ir_append, &text);
        kiln_string_append_char(&text, '\n');
        status = kiln_layout_moves_write(&source, &destination, bits, out->view, &text);
        if (!status)
            status = print_text(&text);
    }
    kiln_string_free(&text);
    return status;
}

kiln_status_t kiln_layout_show_access(MlirType buffer, MlirType value,
                                      kiln_lds_direction_t direction, int num_warps,
                                      kiln_layout_output_t *out, const char *where)
{
    kiln_layout_t registers;
    kiln_string_t text = {0};
    kiln_lds_buffer_t lds = {.padding = kiln_type_padding(buffer),
                             .element_bits = kiln_type_bits(kiln_memdesc_element(buffer))};
    KILN_TRY(kiln_layout_of_type(buffer, num_warps, &lds.layout));
    KILN_TRY(kiln_layout_of_type(value, num_warps, &registers));
    mlirTypePrint(buffer, kiln_ir_append, &text);
    kiln_string_append(&text, where);
    kiln_string_append(&text, direction == KILN_LDS_READ ? "\nread by " : "\nwritten by ");
    mlirTypePrint(value, kiln_ir_append, &text);
    kiln_string_append_char(&text, '\n');
    kiln_status_t status = KILN_OK;
    if (out->kind == KILN_LAYOUT_OUT_HTML && !text.failed) {
        kiln_layout_picture_t picture = {0};
        kiln_string_t how = {0};
        status = kiln_layout_access_write(&registers, &lds, direction, &how);
        if (!status)
            status = kiln_layout_picture_add_access(&picture, &registers, &lds, direction,
                                                    "elements of the first lanes' instruction");
        if (!status)
            status = add_picture(out, text.data, how.data, &picture);
        kiln_layout_picture_free(&picture);
        kiln_string_free(&how);
    } else if (out->kind == KILN_LAYOUT_OUT_SVG && !text.failed) {
        for (char *c = text.data; *c; c++) // a picture's title is one line
            *c = *c == '\n' ? ' ' : *c;
        status =
            kiln_layout_picture_add_access(&out->picture, &registers, &lds, direction, text.data);
    } else if (!text.failed) {
        status = kiln_layout_access_write(&registers, &lds, direction, &text);
    }
    if (!status && (text.failed || !(out->kind != KILN_LAYOUT_OUT_TEXT)))
        status = print_text(&text);
    kiln_string_free(&text);
    return status;
}
