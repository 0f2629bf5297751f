// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln layout: prints which thread holds which element, for a type given as text, or for each type
// in a program as Kiln compiles it.
//
// A program's layouts are those of its ttg stage after all passes; to see the effect of one pass,
// compile with --passes and pass the result to this verb.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinTypes.h>

#include "analysis/waves/waves.h"
#include "base/array.h"
#include "base/json.h"
#include "base/string.h"
#include "builder/ir.h"
#include "cli/input.h"
#include "cli/launch/call.h"
#include "cli/layout/colour.h"
#include "cli/layout/show.h"
#include "cli/option_flags.h"
#include "cli/pages.h"
#include "cli/report/page_write.h"
#include "cli/verbs.h"
#include "diagnostics/value_text.h"
#include "driver/compile_internal.h"
#include "driver/session.h"

typedef struct layout_flags {
    kiln_layout_view_t view;
    bool has_view;
    const char *svg, *html; // files; NULL: text to stdout
    const char *to;         // the type that a type is converted to; NULL: none
    const char *access;     // the type that reads or writes a buffer; NULL: none
    kiln_lds_direction_t direction;
    bool conversions, accesses; // only these of a program
    const char *value;          // only values of this name; NULL: all
    const char *colour;         // of --color; NULL: not given
    kiln_launch_flags_t launch; // for a program: its kernel and compile options
} layout_flags_t;

typedef struct output {
    const layout_flags_t *flags;
    kiln_layout_output_t to;
} output_t;

// One type ----------------------------------------------------------------------------------------

static kiln_status_t parse_type(kiln_session_t *session, const char *text, MlirType *out_type)
{
    const kiln_source_t source = {
        .stage = KILN_STAGE_TT, .name = text, .text = text, .length = strlen(text)};
    kiln_status_t status = kiln_compile_check_source(&source);
    if (status)
        return kiln_session_report(session, status);
    kiln_diagnostics_t diagnostics = {0};
    kiln_session_begin(session, &diagnostics, &source); // for the caret
    const MlirType type = mlirTypeParseGet(session->mlir, mlirStringRefCreate(text, source.length));
    kiln_session_end(session);
    kiln_diagnostics_free(&diagnostics);
    if (mlirTypeIsNull(type))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "expected a type, got '%s'", text);
    if (mlirTypeIsARankedTensor(type) && mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "'%s' has no layout; expected one after the element type, as in "
                                "'tensor<16x16xf16, #ttg.blocked<{...}>>'",
                                text);
    *out_type = type;
    return KILN_OK;
}

static kiln_status_t check_conversion(MlirType from, MlirType to)
{
    if (!mlirTypeIsARankedTensor(from) || !mlirTypeIsARankedTensor(to))
        return kiln_status_make(KILN_STATUS_USAGE, "--to converts tensors, not buffers in LDS");
    bool same = mlirShapedTypeGetRank(from) == mlirShapedTypeGetRank(to) &&
                mlirTypeEqual(kiln_type_element(from), kiln_type_element(to));
    for (intptr_t i = 0; same && i < mlirShapedTypeGetRank(from); i++)
        same = mlirShapedTypeGetDimSize(from, i) == mlirShapedTypeGetDimSize(to, i);
    return same ? KILN_OK
                : kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                   "the types of a conversion differ only in their layouts, but "
                                   "these differ in shape or element");
}

static kiln_status_t check_access(MlirType buffer, MlirType value)
{
    if (!kiln_type_is_memdesc(buffer) || !mlirTypeIsARankedTensor(value))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--read-by and --written-by take a tensor, for a buffer in LDS");
    return mlirTypeEqual(kiln_memdesc_element(buffer), kiln_type_element(value))
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                  "an access needs a value of the buffer's element type");
}

// A type alone does not contain the number of warps, but its layout fits only one number. The most
// if it fits none, for the error.
static int warps_of(MlirType type)
{
    int num_warps = 1;
    for (; num_warps < 16; num_warps *= 2) {
        kiln_layout_t layout;
        kiln_status_t status = kiln_layout_of_type(type, num_warps, &layout);
        const bool fits = !status;
        kiln_status_free(status);
        if (fits)
            break;
    }
    return num_warps;
}

static kiln_status_t show_text(kiln_session_t *session, const char *text, output_t *out)
{
    MlirType type, to;
    KILN_TRY(parse_type(session, text, &type));
    if (out->flags->access) {
        int64_t buffers;
        type = kiln_layout_buffer_type(type, &buffers);
        KILN_TRY(parse_type(session, out->flags->access, &to));
        KILN_TRY(check_access(type, to));
        return kiln_layout_show_access(type, to, out->flags->direction, warps_of(to), &out->to, "");
    }
    const int num_warps = warps_of(type);
    if (!out->flags->to)
        return kiln_layout_show_type(type, num_warps, &out->to, "");
    KILN_TRY(parse_type(session, out->flags->to, &to));
    KILN_TRY(check_conversion(type, to));
    if (warps_of(to) != num_warps)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "the types of a conversion need the same number of warps, but "
                                "these are for %d and %d",
                                num_warps, warps_of(to));
    return kiln_layout_show_conversion(type, to, num_warps, &out->to, "");
}

// A program ---------------------------------------------------------------------------------------

typedef struct found {
    MlirType type, to;              // to: of conversions; of accesses, the value's
    kiln_lds_direction_t direction; // of accesses
    MlirOperation first;            // with a result of this type
    size_t count;
} found_t;

typedef struct collection {
    bool conversions, accesses; // not layouts
    found_t *items;
    size_t count, capacity;
    bool failed;
    const char *value; // only values of this name; NULL: all
} collection_t;

// A memdesc of several buffers has no layout; the type of each buffer, from memdesc_index, has one.
static bool has_layout(MlirType type)
{
    kiln_layout_t layout;
    if (mlirTypeIsARankedTensor(type))
        return !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type));
    kiln_status_t status = kiln_type_is_memdesc(type)
                               ? kiln_layout_of_type(type, 1, &layout)
                               : kiln_status_make(KILN_STATUS_NOT_FOUND, "no layout");
    bool good = !status;
    kiln_status_free(status);
    return good;
}

static void note_type(collection_t *collection, MlirType type, MlirOperation op)
{
    if (collection->failed || !has_layout(type))
        return;
    for (size_t i = 0; i < collection->count; i++)
        if (mlirTypeEqual(collection->items[i].type, type)) {
            collection->items[i].count++;
            return;
        }
    if (KILN_ARRAY_RESERVE(&collection->items, &collection->capacity, collection->count + 1))
        collection->items[collection->count++] = (found_t){.type = type, .first = op, .count = 1};
    else
        collection->failed = true;
}

// Names have quotes, as messages show them: "'acc' (f32[128][64])".
static bool is_named(MlirValue value, const char *name)
{
    kiln_string_t text = {0};
    kiln_append_value(&text, value);
    const size_t length = strlen(name);
    const bool same = kiln_value_text_named(value) && text.data && text.length > length + 1 &&
                      memcmp(text.data + 1, name, length) == 0 && text.data[length + 1] == '\'';
    kiln_string_free(&text);
    return same;
}

static void note_pair(collection_t *collection, const found_t *pair)
{
    for (size_t i = 0; i < collection->count; i++) {
        found_t *known = &collection->items[i];
        if (mlirTypeEqual(known->type, pair->type) && mlirTypeEqual(known->to, pair->to) &&
            known->direction == pair->direction) {
            known->count++;
            return;
        }
    }
    if (KILN_ARRAY_RESERVE(&collection->items, &collection->capacity, collection->count + 1))
        collection->items[collection->count++] = *pair;
    else
        collection->failed = true;
}

static void note_conversion(collection_t *collection, MlirOperation op)
{
    const found_t pair = {.type = mlirValueGetType(mlirOperationGetOperand(op, 0)),
                          .to = mlirValueGetType(mlirOperationGetResult(op, 0)),
                          .first = op,
                          .count = 1};
    note_pair(collection, &pair);
}

static bool is_op(MlirOperation op, const char *name)
{
    return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)),
                              mlirStringRefCreateFromCString(name));
}

// ttg.local_load, ttg.local_store, and ttg.local_alloc of a value.
static void note_access(collection_t *collection, MlirOperation op)
{
    const bool loads = is_op(op, "ttg.local_load"), stores = is_op(op, "ttg.local_store"),
               fills = is_op(op, "ttg.local_alloc") && mlirOperationGetNumOperands(op) > 0;
    if (!loads && !stores && !fills)
        return;
    const MlirValue buffer = fills ? mlirOperationGetResult(op, 0)
                                   : mlirOperationGetOperand(op, loads ? 0 : 1),
                    value = loads ? mlirOperationGetResult(op, 0) : mlirOperationGetOperand(op, 0);
    if (collection->value && !is_named(value, collection->value))
        return;
    const found_t pair = {.type = mlirValueGetType(buffer),
                          .to = mlirValueGetType(value),
                          .direction = loads ? KILN_LDS_READ : KILN_LDS_WRITE,
                          .first = op,
                          .count = 1};
    if (has_layout(pair.type) && has_layout(pair.to))
        note_pair(collection, &pair);
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    collection_t *collection = user;
    if (collection->accesses) {
        note_access(collection, op);
        return MlirWalkResultAdvance;
    }
    if (collection->conversions) {
        if (is_op(op, "ttg.convert_layout") &&
            (!collection->value || is_named(mlirOperationGetOperand(op, 0), collection->value)))
            note_conversion(collection, op);
        return MlirWalkResultAdvance;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        const MlirValue value = mlirOperationGetResult(op, i);
        if (!collection->value || is_named(value, collection->value))
            note_type(collection, mlirValueGetType(value), op);
    }
    return MlirWalkResultAdvance;
}

static kiln_status_t show_pair(const found_t *found, int num_warps, output_t *out)
{
    const bool is_access = out->flags->accesses;
    unsigned line, column;
    char *file = kiln_session_place(mlirOperationGetLocation(found->first), &line, &column),
         *where = kiln_string_print("  // %zu %s%s, first at %s:%u", found->count,
                                    is_access ? "access" : "conversion",
                                    found->count == 1 ? ""
                                    : is_access       ? "es"
                                                      : "s",
                                    file ? file : "unknown", line);
    free(file);
    kiln_status_t status =
        !where ? kiln_status_out_of_memory()
        : is_access
            ? kiln_layout_show_access(found->type, found->to, found->direction, num_warps, &out->to,
                                      where)
            : kiln_layout_show_conversion(found->type, found->to, num_warps, &out->to, where);
    free(where);
    return status;
}

// Says that there is nothing to show, or fails if there is nothing of the requested name.
static kiln_status_t report_none(const layout_flags_t *flags)
{
    const char *what = flags->accesses      ? "accesses of LDS"
                       : flags->conversions ? "conversions of layouts"
                                            : "values with a layout";
    if (!flags->value) {
        fprintf(stderr, "kiln: the kernel's ttg has no %s\n", what);
        return KILN_OK;
    }
    return flags->accesses || flags->conversions
               ? kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                  "the kernel's ttg has no %s of a value named '%s'", what,
                                  flags->value)
               : kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                  "no value with a layout is named '%s' in the kernel's ttg",
                                  flags->value);
}

static kiln_status_t show_module(MlirOperation module, output_t *out)
{
    const bool pairs = out->flags->conversions || out->flags->accesses;
    collection_t collection = {.conversions = out->flags->conversions,
                               .accesses = out->flags->accesses,
                               .value = out->flags->value};
    int num_warps;
    KILN_TRY(kiln_waves_of_module(mlirModuleFromOperation(module), &num_warps));
    kiln_walk(module, MlirWalkPreOrder, visit, &collection);
    kiln_status_t status = collection.failed ? kiln_status_out_of_memory() : KILN_OK;
    if (!status && !collection.count)
        status = report_none(out->flags);
    for (size_t i = 0; i < collection.count && !status && pairs; i++)
        status = show_pair(&collection.items[i], num_warps, out);
    for (size_t i = 0; i < collection.count && !status && !pairs; i++) {
        MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(collection.items[i].first));
        char *users = kiln_string_print(
            "  // %zu value%s, first of %.*s", collection.items[i].count,
            collection.items[i].count == 1 ? "" : "s", (int)name.length, name.data);
        status = kiln_layout_show_type(collection.items[i].type, num_warps, &out->to,
                                       users ? users : "");
        free(users);
    }
    free(collection.items);
    return status;
}

static kiln_status_t compile(kiln_session_t *session, const kiln_source_t *source,
                             const layout_flags_t *flags, kiln_kernel_t **out_kernel)
{
    kiln_setting_t defines[KILN_LAUNCH_MAX_SETTINGS];
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.last_stage = KILN_STAGE_TTG;
    options.kernel = flags->launch.kernel;
    options.no_line_info =
        !flags->value && !flags->conversions && !flags->accesses; // names are in locations, too
    KILN_TRY(kiln_launch_set_options(&flags->launch, defines, &options));
    return kiln_compile(session, source, &options, out_kernel);
}

static kiln_status_t show_file(kiln_session_t *session, const char *path, output_t *out)
{
    char *text;
    kiln_source_t source;
    kiln_kernel_t *kernel = NULL;
    KILN_TRY(kiln_input_read_source(path, "", &text, &source));
    kiln_status_t status = compile(session, &source, out->flags, &kernel);
    if (!status) {
        const char *ttg = kiln_kernel_text(kernel, KILN_STAGE_TTG);
        MlirOperation module =
            mlirOperationCreateParse(session->mlir, mlirStringRefCreateFromCString(ttg),
                                     mlirStringRefCreateFromCString(path));
        status = mlirOperationIsNull(module)
                     ? kiln_status_make(KILN_STATUS_INTERNAL, "cannot parse the ttg of '%s'", path)
                     : show_module(module, out);
        if (!mlirOperationIsNull(module))
            mlirOperationDestroy(module);
    }
    kiln_kernel_release(kernel);
    free(text);
    return status;
}

// Words -------------------------------------------------------------------------------------------

static bool parse_view(const char *text, kiln_layout_view_t *out_view)
{
    static const char *const names[] = {"vectors", "elements", "threads"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *out_view = (kiln_layout_view_t)i;
            return true;
        }
    return false;
}

static bool is_type(const char *word)
{
    return strncmp(word, "tensor<", 7) == 0 || word[0] == '!';
}

// A given type is shown directly, without compilation.
static kiln_status_t refuse_unused_flags(const layout_flags_t *flags, bool type)
{
    const kiln_launch_flags_t *launch = &flags->launch;
    if (flags->svg && flags->html)
        return kiln_status_make(KILN_STATUS_USAGE, "give only one of --svg and --html");
    if ((flags->svg || flags->html) && flags->has_view)
        return kiln_status_make(KILN_STATUS_USAGE, "--view has no effect with --%s",
                                flags->svg ? "svg" : "html");
    if (type && flags->value)
        return kiln_status_make(KILN_STATUS_USAGE, "--value has no effect on a type");
    const char *of_program = flags->conversions ? "--conversions"
                             : flags->accesses  ? "--accesses"
                                                : NULL,
               *of_type = flags->to                           ? "--to"
                          : !flags->access                    ? NULL
                          : flags->direction == KILN_LDS_READ ? "--read-by"
                                                              : "--written-by";
    if (type ? of_program != NULL : of_type != NULL)
        return kiln_status_make(KILN_STATUS_USAGE, "%s has no effect on a %s",
                                type ? of_program : of_type, type ? "type" : "program");
    if ((flags->conversions && flags->accesses) || (flags->to && flags->access))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "conversions and accesses are shown one at a time");
    if ((flags->access || flags->accesses) && flags->has_view)
        return kiln_status_make(KILN_STATUS_USAGE, "--view shows a layout, not an access");
    if ((flags->to || flags->conversions) && flags->has_view && flags->view == KILN_LAYOUT_THREADS)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--view=threads shows a layout, not a conversion; expected "
                                "vectors or elements");
    if (launch->grid)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--grid has no effect here: nothing is launched");
    if (type && (launch->kernel || launch->setting_count))
        return kiln_status_make(KILN_STATUS_USAGE, "%s has no effect here: nothing is compiled",
                                launch->kernel ? "--kernel" : launch->settings[0].name);
    if (type && kiln_source_flags_given())
        return kiln_status_make(KILN_STATUS_USAGE, "%s has no effect here: nothing is compiled",
                                kiln_source_flags_given());
    return KILN_OK;
}

static kiln_status_t write_picture(const kiln_layout_picture_t *picture, const char *path)
{
    kiln_string_t text = {0};
    kiln_layout_picture_write(picture, &text);
    FILE *file = text.failed ? NULL : fopen(path, "w");
    bool good = file && fwrite(text.data, 1, text.length, file) == text.length;
    good = file && fclose(file) == 0 && good;
    kiln_status_t status = good          ? KILN_OK
                           : text.failed ? kiln_status_out_of_memory()
                                         : kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s",
                                                            path, strerror(errno));
    kiln_string_free(&text);
    return status;
}

static int show(const char *word, const layout_flags_t *flags)
{
    bool shown = false;
    kiln_session_t *session;
    kiln_status_t status = kiln_session_create(&session);
    if (status)
        return kiln_cli_report(status);
    kiln_session_set_diagnostic_handler(session, kiln_launch_diagnostic, &shown);
    output_t out = {.flags = flags,
                    .to = {.kind = flags->svg    ? KILN_LAYOUT_OUT_SVG
                                   : flags->html ? KILN_LAYOUT_OUT_HTML
                                                 : KILN_LAYOUT_OUT_TEXT,
                           .view = flags->view,
                           .is_coloured = kiln_layout_is_coloured(flags->colour),
                           .entries = flags->html ? json_array() : NULL}};
    status = is_type(word) ? show_text(session, word, &out) : show_file(session, word, &out);
    if (!status && flags->svg)
        status = write_picture(&out.to.picture, flags->svg);
    if (!status && flags->html) {
        json_t *page =
            json_pack("{s:o,s:O}", "title", kiln_json_text(word), "entries", out.to.entries);
        status = kiln_page_write(kiln_page_layout, page, flags->html);
        json_decref(page);
    }
    json_decref(out.to.entries);
    kiln_layout_picture_free(&out.to.picture);
    kiln_session_release(session);
    return kiln_launch_report(status, shown);
}

int kiln_verb_layout(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "layout");
    layout_flags_t flags = {0};
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "layout");
        bool taken = true;
        if (flag == KILN_FLAG_layout_SVG)
            flags.svg = optarg;
        else if (flag == KILN_FLAG_layout_HTML)
            flags.html = optarg;
        else if (flag == KILN_FLAG_layout_TO)
            flags.to = optarg;
        else if (flag == KILN_FLAG_layout_READ_BY || flag == KILN_FLAG_layout_WRITTEN_BY) {
            flags.access = optarg;
            flags.direction = flag == KILN_FLAG_layout_READ_BY ? KILN_LDS_READ : KILN_LDS_WRITE;
        } else if (flag == KILN_FLAG_layout_ACCESSES)
            flags.accesses = true;
        else if (flag == KILN_FLAG_layout_CONVERSIONS)
            flags.conversions = true;
        else if (flag == KILN_FLAG_layout_VALUE)
            flags.value = optarg;
        else if (flag == KILN_FLAG_layout_COLOR)
            flags.colour = optarg;
        else if (flag == KILN_FLAG_layout_VIEW)
            taken = flags.has_view = parse_view(optarg, &flags.view);
        else
            taken = kiln_launch_flag_take(&flags.launch, flag, optarg);
        if (!taken)
            return kiln_words_refuse(&words, flag);
    }
    if (argc - optind != 1)
        return kiln_usage(stderr, "layout");
    kiln_status_t idle = refuse_unused_flags(&flags, is_type(argv[optind]));
    if (idle)
        return kiln_cli_report(idle);
    return show(argv[optind], &flags);
}
