// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the backend_config of XLA's Triton call with MLIR's attribute parser, as XLA itself does.
//
// Note that waves_per_eu is in the dictionary or, from ROCm's XLA and Pallas, in a string inside it
// (serialized_metadata), which is JSON or a protobuf in text format; other metadata strings are
// ignored.
#include "kiln/xla.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include "base/json.h"
#include "base/number.h"
#include "base/require.h"
#include "base/string.h"
#include "builder/ir_text.h"
#include "driver/compile_internal.h"
#include "driver/options.h"

struct kiln_xla_call {
    kiln_source_t source;
    char *source_name, *ir, *kernel, *grid;
    int num_stages, num_warps, waves_per_eu;
    unsigned *zeroed_outputs; // from malloc
    size_t zeroed_output_count;
};

// The state of reading one call.
typedef struct reader {
    kiln_session_t *session;
    const char *file; // NULL: unknown
    kiln_xla_call_t *call;
    MlirAttribute fields;
} reader_t;

static kiln_status_t wrong(const reader_t *reader, kiln_status_t status)
{
    return !status ? KILN_OK : kiln_status_at(status, reader->file, 0, 0);
}

// Fields ------------------------------------------------------------------------------------------

static MlirAttribute field(const reader_t *reader, const char *name)
{
    return mlirDictionaryAttrGetElementByName(reader->fields, mlirStringRefCreateFromCString(name));
}

static bool get_integer(MlirAttribute value, int64_t *out)
{
    MlirType type = mlirAttributeGetType(value);
    if (!mlirAttributeIsAInteger(value) || !mlirTypeIsAInteger(type) ||
        mlirIntegerTypeGetWidth(type) > 64)
        return false;
    *out = mlirIntegerTypeIsUnsigned(type) ? (int64_t)mlirIntegerAttrGetValueUInt(value)
           : mlirIntegerTypeIsSigned(type) ? mlirIntegerAttrGetValueSInt(value)
                                           : mlirIntegerAttrGetValueInt(value);
    return true;
}

// If the field is absent and optional, *out is unchanged.
static kiln_status_t read_integer(const reader_t *reader, const char *name, bool is_needed,
                                  int64_t min, int64_t max, int64_t *out)
{
    MlirAttribute value = field(reader, name);
    if (mlirAttributeIsNull(value))
        return is_needed ? wrong(reader, kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                                          "the call has no `%s`", name))
                         : KILN_OK;
    int64_t number;
    if (!get_integer(value, &number))
        return wrong(reader,
                     kiln_status_make(KILN_STATUS_INVALID_INPUT, "`%s` is not an integer", name));
    if (number < min || number > max)
        return wrong(reader, kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                              "`%s` is %lld; expected %lld to %lld", name,
                                              (long long)number, (long long)min, (long long)max));
    *out = number;
    return KILN_OK;
}

// A copy from malloc, followed by a NUL.
static kiln_status_t read_text(const reader_t *reader, const char *name, bool is_needed, char **out,
                               size_t *out_length)
{
    MlirAttribute value = field(reader, name);
    if (mlirAttributeIsNull(value) && !is_needed)
        return KILN_OK;
    if (mlirAttributeIsNull(value))
        return wrong(reader,
                     kiln_status_make(KILN_STATUS_INVALID_INPUT, "the call has no `%s`", name));
    if (!mlirAttributeIsAString(value))
        return wrong(reader,
                     kiln_status_make(KILN_STATUS_INVALID_INPUT, "`%s` is not a string", name));
    MlirStringRef text = mlirStringAttrGetValue(value);
    *out = kiln_ir_copy(text);
    if (!*out)
        return kiln_status_out_of_memory();
    *out_length = text.length;
    return KILN_OK;
}

static kiln_status_t read_names(const reader_t *reader)
{
    kiln_xla_call_t *call = reader->call;
    size_t name_length = 0, ir_length = 0;
    KILN_TRY(read_text(reader, "name", true, &call->kernel, &name_length));
    KILN_TRY(read_text(reader, "ir", true, &call->ir, &ir_length));
    call->source_name = kiln_string_print("%s:ir", reader->file ? reader->file : "call");
    call->source = (kiln_source_t){KILN_STAGE_TT, call->source_name, call->ir, ir_length};
    return call->source_name ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t read_grid(const reader_t *reader)
{
    int64_t x = 0, y = 0, z = 0;
    KILN_TRY(read_integer(reader, "grid_x", true, 1, INT32_MAX, &x));
    KILN_TRY(read_integer(reader, "grid_y", true, 1, INT32_MAX, &y));
    KILN_TRY(read_integer(reader, "grid_z", true, 1, INT32_MAX, &z));
    reader->call->grid =
        kiln_string_print("%lld,%lld,%lld", (long long)x, (long long)y, (long long)z);
    return reader->call->grid ? KILN_OK : kiln_status_out_of_memory();
}

// `waves_per_eu` as text: in JSON a number or its digits in a string, in a protobuf's text the word
// after "waves_per_eu:". *out is from malloc, NULL if it is not there.
static kiln_status_t find_waves(const char *metadata, char **out)
{
    static const char name[] = "waves_per_eu";
    json_t *root = NULL;
    kiln_status_t no_json =
        kiln_json_parse("serialized_metadata", metadata, strlen(metadata), &root);
    if (kiln_status_is_out_of_memory(no_json))
        return no_json;
    if (!no_json) {
        const json_t *value = json_object_get(root, name);
        const bool is_there = value && !json_is_null(value);
        if (is_there)
            *out = json_is_string(value) ? kiln_string_print("%s", json_string_value(value))
                                         : kiln_json_print_line(value);
        json_decref(root);
        return !is_there || *out ? KILN_OK : kiln_status_out_of_memory();
    }
    kiln_status_free(no_json);
    const char *at = strstr(metadata, name);
    for (at = at ? at + strlen(name) : ""; kiln_is_blank(*at); at++)
        continue;
    if (*at != ':')
        return KILN_OK;
    for (at++; kiln_is_blank(*at); at++)
        continue;
    *out = kiln_string_print("%.*s", (int)strcspn(at, " \t\r\n,;}"), at);
    return *out ? KILN_OK : kiln_status_out_of_memory();
}

// *out is unchanged if the metadata has no waves_per_eu.
static kiln_status_t read_waves(const reader_t *reader, const char *metadata, int64_t *out)
{
    char *text = NULL;
    KILN_TRY(find_waves(metadata, &text));
    kiln_status_t status = KILN_OK;
    if (text && (!kiln_integer_parse_all(text, 10, out) || *out < 0 || *out > INT_MAX))
        status = wrong(reader, kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                                "`waves_per_eu` of `serialized_metadata` is '%s'; "
                                                "expected 0 to %d",
                                                text, INT_MAX));
    free(text);
    return status;
}

static kiln_status_t read_options(const reader_t *reader)
{
    kiln_xla_call_t *call = reader->call;
    int64_t stages = 0, warps = 0, ctas = 1, waves = 0;
    KILN_TRY(read_integer(reader, "num_stages", true, 0, INT_MAX, &stages));
    KILN_TRY(read_integer(reader, "num_warps", true, 1, INT_MAX, &warps));
    KILN_TRY(read_integer(reader, "num_ctas", false, INT_MIN, INT_MAX, &ctas));
    if (ctas != 1)
        return wrong(reader, kiln_status_make(
                                 KILN_STATUS_UNSUPPORTED,
                                 "`num_ctas` is %lld; expected 1, because gfx942 has no clusters",
                                 (long long)ctas));
    char *metadata = NULL;
    size_t length;
    KILN_TRY(read_text(reader, "serialized_metadata", false, &metadata, &length));
    kiln_status_t status = metadata ? read_waves(reader, metadata, &waves) : KILN_OK;
    free(metadata);
    KILN_TRY(status);
    KILN_TRY(read_integer(reader, "waves_per_eu", false, 0, INT_MAX, &waves));
    call->num_stages = (int)stages;
    call->num_warps = (int)warps;
    // The option's table rejects -1.
    call->waves_per_eu = waves < 0 || waves > INT_MAX ? -1 : (int)waves;
    return KILN_OK;
}

static kiln_status_t read_zeroed_outputs(const reader_t *reader)
{
    static const char name[] = "zeroed_outputs";
    kiln_xla_call_t *call = reader->call;
    MlirAttribute list = field(reader, name);
    if (mlirAttributeIsNull(list))
        return KILN_OK;
    intptr_t count = mlirAttributeIsAArray(list) ? mlirArrayAttrGetNumElements(list) : -1;
    call->zeroed_outputs = calloc(count > 0 ? (size_t)count : 1, sizeof *call->zeroed_outputs);
    if (!call->zeroed_outputs)
        return kiln_status_out_of_memory();
    for (intptr_t i = 0; i < count; i++) {
        int64_t number = -1;
        if (!get_integer(mlirArrayAttrGetElement(list, i), &number) || number < 0 ||
            number > INT_MAX)
            count = -1;
        else
            call->zeroed_outputs[call->zeroed_output_count++] = (unsigned)number;
    }
    return count >= 0
               ? KILN_OK
               : wrong(reader, kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                                "`%s` is not an array of result indices", name));
}

// Fields without effect: NVIDIA's, printing, and a scratch buffer that Kiln's kernels do not take.
static bool is_known(MlirStringRef name)
{
    static const char *const names[] = {
        "name",           "ir",
        "num_stages",     "num_warps",
        "grid_x",         "grid_y",
        "grid_z",         "waves_per_eu",
        "zeroed_outputs", "serialized_metadata",
        "debug",          "num_ctas",
        "is_tma_allowed", "global_scratch_memory_size",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == name.length && memcmp(names[i], name.data, name.length) == 0)
            return true;
    return false;
}

static void report_unknown_fields(const reader_t *reader)
{
    for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(reader->fields); i++) {
        MlirStringRef name =
            mlirIdentifierStr(mlirDictionaryAttrGetElement(reader->fields, i).name);
        char *message = is_known(name)
                            ? NULL
                            : kiln_string_print("unknown attribute `%.*s` of the call is ignored",
                                                (int)name.length, name.data);
        kiln_diagnostic_t warning = {
            .severity = KILN_SEVERITY_WARNING, .file = reader->file, .message = message};
        if (message)
            kiln_session_emit(reader->session, &warning);
        free(message);
    }
}

// Use ---------------------------------------------------------------------------------------------

const kiln_source_t *kiln_xla_call_source(const kiln_xla_call_t *call)
{
    return call ? &call->source : NULL;
}

static kiln_status_t set_number(kiln_compile_options_t *options, const char *name, int value)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", value);
    return kiln_compile_option_set(options, kiln_compile_option_find(name, strlen(name)), digits);
}

kiln_status_t kiln_xla_call_apply(const kiln_xla_call_t *call, kiln_compile_options_t *options)
{
    KILN_REQUIRE(call);
    KILN_REQUIRE(options);
    kiln_compile_options_t checked;
    KILN_TRY(kiln_options_take(__func__, "options", options, &checked));
    KILN_TRY(set_number(options, "num_warps", call->num_warps));
    KILN_TRY(set_number(options, "num_stages", call->num_stages));
    KILN_TRY(set_number(options, "waves_per_eu", call->waves_per_eu));
    options->kernel = call->kernel;
    options->grid = call->grid;
    return KILN_OK;
}

const unsigned *kiln_xla_call_zeroed_outputs(const kiln_xla_call_t *call, size_t *out_count)
{
    if (out_count)
        *out_count = call ? call->zeroed_output_count : 0;
    return call && call->zeroed_output_count ? call->zeroed_outputs : NULL;
}

// Reading -----------------------------------------------------------------------------------------

// MLIR names the buffer of an attribute by its text; the first error gets the file's name instead.
static void catch_error(const kiln_diagnostic_t *diagnostic, void *user)
{
    kiln_status_t *error = user;
    if (!*error && diagnostic->severity == KILN_SEVERITY_ERROR)
        *error =
            kiln_status_at(kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s", diagnostic->message),
                           NULL, diagnostic->line, diagnostic->column);
}

static kiln_status_t parse(reader_t *reader, const kiln_source_t *text)
{
    kiln_session_t *session = reader->session;
    KILN_TRY(kiln_compile_check_source(text));
    kiln_status_t caught = KILN_OK;
    kiln_diagnostic_handler_t handler = session->handler;
    void *user = session->user;
    kiln_session_set_diagnostic_handler(session, catch_error, &caught);
    reader->fields =
        mlirAttributeParseGet(session->mlir, mlirStringRefCreate(text->text, text->length));
    kiln_session_set_diagnostic_handler(session, handler, user);
    kiln_status_free(session->diagnostics->first_error);
    session->diagnostics->first_error = KILN_OK;
    if (caught) {
        kiln_status_t placed = kiln_status_at(
            kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s", kiln_status_message(caught)),
            reader->file, kiln_status_line(caught), kiln_status_column(caught));
        kiln_status_free(caught);
        return placed;
    }
    if (mlirAttributeIsNull(reader->fields) || !mlirAttributeIsADictionary(reader->fields))
        return kiln_status_at(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                               "expected a dictionary {name = …, ir = …}, "
                                               "the backend_config of an XLA Triton call"),
                              reader->file, 1, 1);
    return KILN_OK;
}

static kiln_status_t read_call(reader_t *reader, const kiln_source_t *text)
{
    KILN_TRY(parse(reader, text));
    KILN_TRY(read_names(reader));
    KILN_TRY(read_grid(reader));
    KILN_TRY(read_options(reader));
    KILN_TRY(read_zeroed_outputs(reader));
    report_unknown_fields(reader);
    kiln_compile_options_t trial;
    kiln_compile_options_initialize(&trial);
    return wrong(reader, kiln_xla_call_apply(reader->call, &trial));
}

kiln_status_t kiln_xla_call_read(kiln_session_t *session, const char *name, const char *text,
                                 size_t length, kiln_xla_call_t **out_call)
{
    KILN_REQUIRE_OUT(out_call);
    KILN_REQUIRE(session);
    KILN_REQUIRE_ARRAY(text, length);
    kiln_xla_call_t *call = calloc(1, sizeof *call);
    if (!call)
        return kiln_status_out_of_memory();
    const kiln_source_t source = {KILN_STAGE_TT, name, text, length};
    reader_t reader = {.session = session, .file = name, .call = call};
    kiln_diagnostics_t diagnostics = {0};
    kiln_session_begin(session, &diagnostics, &source);
    kiln_status_t status = kiln_session_report(session, read_call(&reader, &source));
    kiln_session_end(session);
    kiln_diagnostics_free(&diagnostics);
    if (status)
        kiln_xla_call_release(call);
    else
        *out_call = call;
    return status;
}

void kiln_xla_call_release(kiln_xla_call_t *call)
{
    if (!call)
        return;
    free(call->source_name);
    free(call->ir);
    free(call->kernel);
    free(call->grid);
    free(call->zeroed_outputs);
    free(call);
}
