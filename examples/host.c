// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common code of the examples' host programs (host.h).
#include "host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(kiln_status_t status)
{
    if (!status)
        return;
    char *text = kiln_status_format(status);
    fprintf(stderr, "%s\n", text ? text : "out of memory");
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        check(kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for %zu elements", count));
    return memory;
}

static kiln_source_t read_source(const char *tile_file)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", KILN_EXAMPLES_DIR, tile_file);
    FILE *file = fopen(path, "rb");
    if (!file)
        check(kiln_status_make(KILN_STATUS_NOT_FOUND, "cannot read %s", path));
    char *text = allocate(1 << 20, 1);
    size_t length = fread(text, 1, 1 << 20, file);
    fclose(file);
    return (kiln_source_t){KILN_STAGE_TILE, tile_file, text, length};
}

static void show(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)user;
    kiln_diagnostic_print(diagnostic, stderr);
}

void host_use(host_t *host, const char *tile_file)
{
    free((char *)(uintptr_t)host->source.text);
    host->source = read_source(tile_file);
}

host_t host_open(const char *tile_file)
{
    static kiln_jit_compiler_t compiler = {.struct_size = sizeof compiler, .diagnostic = show};
    host_t host = {.source = read_source(tile_file)};
    kiln_device_options_t device;
    kiln_device_options_initialize(&device);
    const char *kind = getenv("KILN_DEVICE");
    if (kind)
        check(kiln_device_kind_parse(kind, &device.kind));
    check(kiln_device_open(&device, &host.device));
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    options.compile = kiln_jit_compile;
    options.identify = kiln_jit_identify;
    options.depend = kiln_jit_depend;
    options.replay_diagnostics = kiln_jit_replay_diagnostics;
    options.compile_user = &compiler;
    check(kiln_jit_create(host.device, &options, &host.jit));
    return host;
}

int host_close(host_t *host)
{
    for (array_t *array = host->arrays, *next; array; array = next) {
        next = array->next;
        kiln_buffer_release(array->buffer);
        free(array->data);
        free(array);
    }
    kiln_jit_release(host->jit);
    kiln_device_release(host->device);
    free((char *)(uintptr_t)host->source.text);
    return host->wrong ? 1 : 0;
}

static array_t *make(host_t *host, kiln_element_type_t type, size_t count)
{
    array_t *array = allocate(1, sizeof *array);
    *array = (array_t){.type = type,
                       .count = count,
                       .data = allocate(count, kiln_element_size(type)),
                       .next = host->arrays};
    host->arrays = array;
    return array;
}

array_t *host_array(host_t *host, kiln_element_type_t type, size_t count)
{
    array_t *array = make(host, type, count);
    check(kiln_buffer_create(host->device, count * kiln_element_size(type), &array->buffer));
    host_upload(array);
    return array;
}

array_t *host_random(host_t *host, kiln_element_type_t type, size_t count, double low, double high,
                     unsigned seed)
{
    array_t *array = host_array(host, type, count);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        double value = low + (high - low) * (double)(seed >> 8) / (1 << 24);
        host_set(array, i, kiln_element_is_float(type) ? value : floor(value));
    }
    host_upload(array);
    return array;
}

void host_upload(array_t *array)
{
    check(kiln_buffer_write(array->buffer, 0, array->data, kiln_buffer_size(array->buffer)));
}

void host_download(array_t *array)
{
    check(kiln_buffer_read(array->buffer, 0, array->data, kiln_buffer_size(array->buffer)));
}

double host_get(const array_t *array, size_t index)
{
    return kiln_element_to_double(array->type, (const char *)array->data +
                                                   index * kiln_element_size(array->type));
}

void host_set(array_t *array, size_t index, double value)
{
    kiln_element_from_double(array->type, value,
                             (char *)array->data + index * kiln_element_size(array->type));
}

void host_launch(host_t *host, const char *kernel, unsigned x, unsigned y, unsigned z,
                 const kiln_setting_t *settings, size_t setting_count,
                 const kiln_jit_argument_t *arguments, size_t argument_count)
{
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    call.source = host->source;
    call.kernel = kernel;
    call.settings = settings;
    call.setting_count = setting_count;
    call.arguments = arguments;
    call.argument_count = argument_count;
    call.grid[0] = x;
    call.grid[1] = y;
    call.grid[2] = z;
    check(kiln_jit_launch(host->jit, &call));
    check(kiln_device_synchronize(host->device));
    check(kiln_device_checked(host->device));
}

void host_check(host_t *host, const char *what, array_t *array, const double *reference)
{
    size_t size = kiln_element_size(array->type);
    char *expected = allocate(array->count, size);
    double error;
    host_download(array);
    for (size_t i = 0; i < array->count; i++)
        kiln_element_from_double(array->type, reference[i], expected + i * size);
    kiln_status_t status = kiln_compare(array->type, array->data, expected, array->count, &error);
    printf("%-28s %s, error %.1e\n", what, status ? "WRONG" : "right", error);
    if (status) {
        char *text = kiln_status_format(status);
        fprintf(stderr, "%s\n", text ? text : "out of memory");
        free(text);
        kiln_status_free(status);
        host->wrong++;
    }
    free(expected);
}

double *host_doubles(host_t *host, size_t count)
{
    return make(host, KILN_ELEMENT_F64, count)->data;
}

double *host_product(host_t *host, const array_t *a, const array_t *b, size_t m, size_t n, size_t k)
{
    double *c = host_doubles(host, m * n);
    for (size_t i = 0; i < m; i++)
        for (size_t p = 0; p < k; p++) {
            double left = host_get(a, i * k + p);
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += left * host_get(b, p * n + j);
        }
    return c;
}
