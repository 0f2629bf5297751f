// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a launcher's header, from its top to its end, for plain HIP or for Kiln's runtime; what differs between the two
// is in dialects[].
//
// What is easily got wrong: a kernel's arguments may be called like anything, so what the functions call their own ends
// in '_' and begins with kiln_; and a header is read by compilers with all their warnings on, as C and as C++.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "base/string.h"
#include "header_names.h"
#include "identifier.h"
#include "kiln/ahead.h"
#include "kiln/kiln.h"

typedef struct header {
    kiln_string_t text;
    const kiln_description_t *d;
    const kiln_c_argument_t *arguments;
    const struct dialect *dialect;
    const char *symbol, *kernel; // kernel: as a C string
    const unsigned char *code;
    size_t code_size;
} header_t;

typedef struct dialect {
    const char *include, *status, *ok, *stream, *module, *function, *load_parameter, *load_use, *load_comment;
    bool takes_buffers; // pointers are kiln_buffer_t, else addresses
} dialect_t;

static const dialect_t dialects[] = {
    [KILN_LAUNCHER_HIP] = {.include = "hip/hip_runtime_api.h",
                           .status = "hipError_t",
                           .ok = "hipSuccess",
                           .stream = "hipStream_t",
                           .module = "hipModule_t",
                           .function = "hipFunction_t",
                           .load_parameter = "",
                           .load_use = "",
                           .load_comment = "on the current device"},
    [KILN_LAUNCHER_KILN] = {.include = "kiln/runtime.h",
                            .status = "kiln_status_t",
                            .ok = "KILN_OK",
                            .stream = "kiln_stream_t *",
                            .module = "kiln_module_t *",
                            .function = "kiln_function_t *",
                            .load_parameter = ", kiln_device_t *kiln_device_",
                            .load_use = ", device",
                            .load_comment = "on a device of kiln_device_open",
                            .takes_buffers = true},
};

void kiln_launcher_options_initialize_sized(kiln_launcher_options_t *options, size_t struct_size)
{
    static const kiln_launcher_options_t defaults = {.launcher = KILN_LAUNCHER_HIP};
    kiln_struct_initialize(options, struct_size, &defaults, sizeof defaults);
}

// Appends with $ standing for the symbol.
static void add(header_t *h, const char *text)
{
    for (size_t length; *text; text += length) {
        length = strcspn(text, "$");
        kiln_string_append_bytes(&h->text, text, length);
        if (text[length] == '$') {
            kiln_string_append(&h->text, h->symbol);
            length++;
        }
    }
}

#define addf(h, ...) kiln_string_appendf(&(h)->text, __VA_ARGS__)

// Parts --------------------------------------------------------------------------------------------------------------

static void add_names(header_t *h)
{
    if (!h->d->has_grid)
        add(h, ", x, y, z");
    for (size_t i = 0; i < h->d->argument_count; i++)
        addf(h, ", %s", h->arguments[i].name);
}

static void add_top(header_t *h)
{
    const kiln_description_t *d = h->d;
    addf(h, "// Made by Kiln %s for %s; source %s, compiler %s.\n//\n", kiln_version(), d->arch, d->source_hash,
         d->build_id);
    addf(h, "//     %s_kernel_t kernel;\n//     %s_load(&kernel%s);  // %s\n//     %s_launch(&kernel, stream",
         h->symbol, h->symbol, h->dialect->load_use, h->dialect->load_comment, h->symbol);
    add_names(h);
    add(h, ");  // any number of times, by any thread\n//     $_unload(&kernel);\n//\n");
    add(h,
        h->dialect->takes_buffers
            ? "// A launch whose arguments are not what the code was made for is refused, and says why.\n"
            : "// A launch whose arguments are not what the code was made for is hipErrorInvalidValue; $_refuses says "
              "why.\n");
    if (!d->has_grid)
        add(h, "// x, y and z are workgroups.\n");
    add(h, "// Define $_LINKED before including this to take the code from the object that kiln compile --emit=object "
           "makes.\n#ifndef KILN_LAUNCHER_$\n#define KILN_LAUNCHER_$\n\n");
    addf(h, "#include <%s>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n", h->dialect->include);
}

static void add_code(header_t *h)
{
    add(h, "#ifdef $_LINKED\n#ifdef __cplusplus\nextern \"C\" {\n#endif\nextern const unsigned char $_hsaco[];\n"
           "extern const uint64_t $_hsaco_size;\n#ifdef __cplusplus\n}\n#endif\n#else\n");
    addf(h, "static const uint64_t %s_hsaco_size = %zu;\n", h->symbol, h->code_size);
    addf(h, "static const unsigned char %s_hsaco[%zu] __attribute__((aligned(64))) = {", h->symbol, h->code_size);
    for (size_t i = 0; i < h->code_size; i++)
        addf(h, "%s%u,", i % 32 ? "" : "\n    ", h->code[i]);
    add(h, "\n};\n#endif\n\n");
}

// For grids: what overflows, or divides by zero, sets *bad.
static const char arithmetic[] =
    "#ifndef KILN_LAUNCHER_OP\n"
    "#define KILN_LAUNCHER_OP\n"
    "static inline int64_t kiln_launcher_op(char op, int64_t a, int64_t b, int *bad)\n"
    "{\n"
    "    int64_t value = 0;\n"
    "    switch (op) {\n"
    "    case '+': *bad |= __builtin_add_overflow(a, b, &value); return value;\n"
    "    case '-': *bad |= __builtin_sub_overflow(a, b, &value); return value;\n"
    "    case '*': *bad |= __builtin_mul_overflow(a, b, &value); return value;\n"
    "    case '<': return a < b ? a : b;\n"
    "    case '>': return a > b ? a : b;\n"
    "    case 'c': *bad |= __builtin_add_overflow(a, b, &a) || __builtin_sub_overflow(a, 1, &a); break;\n"
    "    default: break;\n"
    "    }\n"
    "    if (b == 0 || (a == INT64_MIN && b == -1)) {\n"
    "        *bad = 1;\n"
    "        return 0;\n"
    "    }\n"
    "    return op == '%' ? a % b : a / b;\n"
    "}\n"
    "#endif\n\n";

static void add_parameters(header_t *h)
{
    if (!h->d->has_grid)
        add(h, ", uint32_t kiln_x_, uint32_t kiln_y_, uint32_t kiln_z_");
    for (size_t i = 0; i < h->d->argument_count; i++) {
        const kiln_described_argument_t *from = &h->d->arguments[i];
        const kiln_c_argument_t *to = &h->arguments[i];
        if (!from->is_pointer)
            addf(h, ", %s %s", to->type, to->name);
        else if (h->dialect->takes_buffers)
            addf(h, ", const kiln_buffer_t *%s", to->name);
        else
            addf(h, ", %s%s *%s", from->is_const ? "const " : "", to->type, to->name);
    }
}

static void add_notes(header_t *h)
{
    for (size_t i = 0; i < h->d->argument_count; i++) {
        const kiln_described_argument_t *from = &h->d->arguments[i];
        const kiln_c_argument_t *to = &h->arguments[i];
        if (from->is_pointer && h->dialect->takes_buffers)
            addf(h, "// %s: %s%s\n", to->name, from->type + 1, from->is_const ? ", only read" : "");
        else if (to->note)
            addf(h, "// %s: the bits of %s\n", to->name, to->note);
        if (from->is_pointer && from->is_below_2g && !h->dialect->takes_buffers)
            addf(h, "// %s: its memory has to be below 2 GiB, which nobody checks\n", to->name);
    }
}

static void add_address(header_t *h, size_t index)
{
    const char *name = h->arguments[index].name;
    if (h->dialect->takes_buffers)
        addf(h, "(%s ? kiln_buffer_address(%s) : 0)", name, name);
    else
        addf(h, "(uintptr_t)%s", name);
}

static void add_bound(header_t *h, const kiln_described_argument_t *from, const char *name)
{
    // A bound that the type keeps anyway would make compilers warn.
    const unsigned bits = from->element == KILN_ELEMENT_I1 ? 1 : 8 * (unsigned)kiln_element_size(from->element);
    const bool is_unsigned = bits == 1 || kiln_element_kind(from->element) == KILN_ELEMENT_UNSIGNED;
    const int64_t least = is_unsigned ? 0 : bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
    const int64_t most =
        is_unsigned ? (bits == 64 ? INT64_MAX : (INT64_C(1) << bits) - 1) : (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
    if (from->least > least && from->least <= most)
        addf(h, "    if ((int64_t)%s < %" PRId64 ")\n        return \"%s is below %" PRId64 "\";\n", name, from->least,
             name, from->least);
    if (from->most < most && from->most >= least)
        addf(h, "    if ((int64_t)%s > %" PRId64 ")\n        return \"%s is above %" PRId64 "\";\n", name, from->most,
             name, from->most);
    if (from->least > most || from->most < least)
        addf(h, "    return \"%s can have no value that the code was made for\";\n", name);
}

static void add_checks(header_t *h)
{
    for (size_t i = 0; i < h->d->argument_count; i++) {
        const kiln_described_argument_t *from = &h->d->arguments[i];
        const char *name = h->arguments[i].name;
        addf(h, "    (void)%s;\n", name);
        if (from->divisibility > 1) {
            add(h, "    if (");
            if (from->is_pointer)
                add_address(h, i);
            else
                addf(h, "(int64_t)%s", name);
            addf(h, " %% %u)\n        return \"%s is not a multiple of %u\";\n", from->divisibility, name,
                 from->divisibility);
        }
        if (from->is_below_2g && h->dialect->takes_buffers)
            addf(h, "    if (%s && kiln_buffer_size(%s) > INT32_MAX)\n        return \"%s is not below 2 GiB\";\n",
                 name, name, name);
        if (from->has_range)
            add_bound(h, from, name);
    }
}

// SYMBOL_refuses, which computes the grid on its way.
static kiln_status_t add_refuses(header_t *h)
{
    if (h->d->has_grid)
        kiln_string_append(&h->text, arithmetic);
    add(h, "// NULL, and the grid in workgroups; or why these arguments are not what the code was made for.\n");
    add_notes(h);
    add(h, "static inline const char *$_refuses(uint32_t kiln_grid_[3]");
    add_parameters(h);
    add(h, ")\n{\n");
    add_checks(h);
    if (!h->d->has_grid) {
        add(h, "    kiln_grid_[0] = kiln_x_;\n    kiln_grid_[1] = kiln_y_;\n    kiln_grid_[2] = kiln_z_;\n");
    } else {
        add(h, "    int kiln_bad_ = 0;\n    int64_t kiln_extents_[3];\n");
        for (int axis = 0; axis < 3; axis++) {
            char *extent = kiln_c_expression(&h->d->grid[axis], h->d, h->arguments);
            if (!extent)
                return kiln_status_out_of_memory();
            addf(h, "    kiln_extents_[%d] = %s;\n", axis, extent);
            free(extent);
        }
        add(h, "    for (int kiln_i_ = 0; kiln_i_ < 3; kiln_i_++) {\n"
               "        if (kiln_bad_ || kiln_extents_[kiln_i_] < 0 || kiln_extents_[kiln_i_] > INT32_MAX)\n"
               "            return \"the grid does not fit\";\n"
               "        kiln_grid_[kiln_i_] = (uint32_t)kiln_extents_[kiln_i_];\n"
               "    }\n");
    }
    add(h, "    return NULL;\n}\n\n");
    return KILN_OK;
}

static void add_load(header_t *h)
{
    const dialect_t *dialect = h->dialect;
    addf(h, "typedef struct %s_kernel {\n    %s module;\n    %s function;\n} %s_kernel_t;\n\n", h->symbol,
         dialect->module, dialect->function, h->symbol);
    addf(h, "static inline %s %s_load(%s_kernel_t *kiln_kernel_%s)\n{\n", dialect->status, h->symbol, h->symbol,
         dialect->load_parameter);
    if (dialect->takes_buffers) {
        add(h,
            "    kiln_status_t kiln_status_ =\n        kiln_module_load(kiln_device_, $_hsaco, (size_t)$_hsaco_size, "
            "&kiln_kernel_->module);\n"
            "    if (kiln_status_)\n        return kiln_status_;\n");
        addf(h,
             "    kiln_status_ = kiln_module_function(kiln_kernel_->module, %s, &kiln_kernel_->function);\n"
             "    if (kiln_status_)\n        kiln_module_release(kiln_kernel_->module);\n    return "
             "kiln_status_;\n}\n\n",
             h->kernel);
        add(h, "static inline void $_unload($_kernel_t *kiln_kernel_)\n{\n"
               "    kiln_module_release(kiln_kernel_->module);\n}\n\n");
        return;
    }
    add(h, "    hipError_t kiln_error_ = hipModuleLoadData(&kiln_kernel_->module, $_hsaco);\n"
           "    if (kiln_error_ != hipSuccess)\n        return kiln_error_;\n");
    addf(h,
         "    kiln_error_ = hipModuleGetFunction(&kiln_kernel_->function, kiln_kernel_->module, %s);\n"
         "    if (kiln_error_ != hipSuccess)\n        (void)hipModuleUnload(kiln_kernel_->module);\n"
         "    return kiln_error_;\n}\n\n",
         h->kernel);
    add(h, "static inline hipError_t $_unload($_kernel_t *kiln_kernel_)\n{\n"
           "    return hipModuleUnload(kiln_kernel_->module);\n}\n\n");
}

static void add_call(header_t *h)
{
    const kiln_description_t *d = h->d;
    if (h->dialect->takes_buffers) {
        for (size_t i = 0; i < d->argument_count; i++)
            if (d->arguments[i].is_pointer) {
                addf(h, "    uint64_t kiln_address_%zu_ = ", i);
                add_address(h, i);
                add(h, ";\n");
            }
    }
    addf(h, "    void *kiln_arguments_[%zu] = {", d->argument_count ? d->argument_count : 1);
    for (size_t i = 0; i < d->argument_count; i++) {
        if (h->dialect->takes_buffers && d->arguments[i].is_pointer)
            addf(h, "%s(void *)&kiln_address_%zu_", i ? ", " : "", i);
        else
            addf(h, "%s(void *)&%s", i ? ", " : "", h->arguments[i].name);
    }
    add(h, d->argument_count ? "};\n" : "NULL};\n");
    if (h->dialect->takes_buffers) {
        add(h, "    kiln_launch_t kiln_launch_;\n    kiln_launch_initialize(&kiln_launch_);\n"
               "    for (int kiln_i_ = 0; kiln_i_ < 3; kiln_i_++)\n"
               "        kiln_launch_.grid[kiln_i_] = kiln_grid_[kiln_i_];\n");
        for (int i = 0; i < 3; i++)
            addf(h, "    kiln_launch_.block[%d] = %u;\n", i, d->block[i]);
        addf(h, "    kiln_launch_.dynamic_lds_bytes = %u;\n", d->dynamic_lds_bytes);
        add(h, "    kiln_launch_.stream = kiln_stream_;\n    kiln_launch_.args = kiln_arguments_;\n"
               "    return kiln_function_launch(kiln_kernel_->function, &kiln_launch_);\n}\n");
        return;
    }
    add(h, "    if (!kiln_grid_[0] || !kiln_grid_[1] || !kiln_grid_[2])\n        return hipSuccess;\n");
    addf(
        h,
        "    return hipModuleLaunchKernel(kiln_kernel_->function, kiln_grid_[0], kiln_grid_[1], kiln_grid_[2], %u, %u, "
        "%u, %u,\n                                 kiln_stream_, kiln_arguments_, NULL);\n}\n",
        d->block[0], d->block[1], d->block[2], d->dynamic_lds_bytes);
}

static void add_launch(header_t *h)
{
    const char *stream = h->dialect->stream;
    addf(h, "static inline %s %s_launch(const %s_kernel_t *kiln_kernel_, %s%skiln_stream_", h->dialect->status,
         h->symbol, h->symbol, stream, stream[strlen(stream) - 1] == '*' ? "" : " ");
    add_parameters(h);
    add(h, ")\n{\n    uint32_t kiln_grid_[3];\n    const char *kiln_reason_ = $_refuses(kiln_grid_");
    if (!h->d->has_grid)
        add(h, ", kiln_x_, kiln_y_, kiln_z_");
    for (size_t i = 0; i < h->d->argument_count; i++)
        addf(h, ", %s", h->arguments[i].name);
    if (h->dialect->takes_buffers)
        addf(h,
             ");\n    if (kiln_reason_)\n        return kiln_status_make(KILN_STATUS_INVALID_INPUT, \"kernel '%%s': "
             "%%s\", %s, kiln_reason_);\n",
             h->kernel);
    else
        add(h, ");\n    if (kiln_reason_)\n        return hipErrorInvalidValue;\n");
    add_call(h);
}

// The whole ----------------------------------------------------------------------------------------------------------

static kiln_status_t write_header(header_t *h, char **out_text)
{
    add_top(h);
    add_code(h);
    add_load(h);
    KILN_TRY(add_refuses(h));
    add_launch(h);
    add(h, "\n#endif\n");
    *out_text = kiln_string_take(&h->text);
    return *out_text ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t make(header_t *h, const kiln_description_t *d, const char *symbol, char **out_text)
{
    kiln_c_argument_t *arguments = NULL;
    char *own = symbol ? NULL : kiln_symbol_of(d->name), *kernel = kiln_c_string(d->kernel);
    h->d = d;
    h->symbol = symbol ? symbol : own;
    h->kernel = kernel;
    kiln_status_t status = h->symbol && kernel ? kiln_c_arguments_make(d, &arguments) : kiln_status_out_of_memory();
    h->arguments = arguments;
    if (!status)
        status = write_header(h, out_text);
    kiln_string_free(&h->text);
    kiln_c_arguments_free(arguments, d->argument_count);
    free(own);
    free(kernel);
    return status;
}

kiln_status_t kiln_launcher_make(const void *code_object, size_t code_object_size, const char *manifest,
                                 const kiln_launcher_options_t *options, char **out_text)
{
    KILN_REQUIRE_OUT(out_text);
    KILN_REQUIRE(code_object);
    KILN_REQUIRE(manifest);
    kiln_launcher_options_t taken;
    kiln_launcher_options_initialize(&taken);
    if (options)
        KILN_REQUIRE_STRUCT(kiln_launcher_options_t, &taken, options);
    if ((unsigned)taken.launcher > KILN_LAUNCHER_KILN)
        return kiln_status_make(KILN_STATUS_USAGE, "there is no launcher %d", (int)taken.launcher);
    if (taken.symbol && !kiln_is_identifier(taken.symbol))
        return kiln_status_make(KILN_STATUS_USAGE, "'%s' can't begin the names of a header: it is no C identifier",
                                taken.symbol);
    kiln_description_t description;
    kiln_status_t status = kiln_description_read("manifest", manifest, strlen(manifest), &description);
    header_t header = {.dialect = &dialects[taken.launcher], .code = code_object, .code_size = code_object_size};
    if (!status)
        status = make(&header, &description, taken.symbol, out_text);
    kiln_description_free(&description);
    return status;
}
