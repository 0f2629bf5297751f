// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine connects graphs to Kiln. From top to bottom: compiling or loading kernels, uploading
// parameters, binding launches to memory, capturing, and running.
//
// A captured graph keeps the arguments of its launches. Everything that changes between runs is
// therefore read from memory that the host writes: inputs, and the number of tokens in the cache.
#include "engine.h"

#include <kiln/compile_program.h>
#include <kiln/load.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels.h"

// A parameter or state on the device, shared by all graphs that name it.
typedef struct resident {
    const node_t *node;
    kiln_buffer_t *buffer;
} resident_t;

typedef struct bound { // a launch with its memory
    launch_t launch;
    kiln_typed_argument_t arguments[ARGUMENTS];
    kiln_program_call_t call;
} bound_t;

typedef struct ready { // a graph
    const graph_t *graph;
    place_t *places;
    size_t arena_size;
    kiln_buffer_t *arena;
    bound_t *launches;
    int launch_count;
    kiln_graph_t *captured; // NULL: launched one by one
} ready_t;

struct engine {
    kiln_device_t *device;
    kiln_stream_t *stream;
    kiln_event_t *start, *stop;
    kiln_program_t *program;
    kernel_t *kernels; // without duplicates
    int kernel_count;
    resident_t *residents;
    int resident_count;
    ready_t *graphs;
    int graph_count;
    engine_report_t report; // the times
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

// Kernels -----------------------------------------------------------------------------------------

static kiln_status_t lower_graph(engine_t *engine, ready_t *ready)
{
    for (value_t x = 0; x < ready->graph->count; x++) {
        bool has_launch, is_known = false;
        launch_t *launch = &ready->launches[ready->launch_count].launch;
        KILN_TRY(lower_node(ready->graph, x, launch, &has_launch));
        if (!has_launch)
            continue;
        ready->launch_count++;
        for (int i = 0; i < engine->kernel_count; i++)
            is_known |= strcmp(engine->kernels[i].name, launch->kernel.name) == 0;
        if (!is_known)
            engine->kernels[engine->kernel_count++] = launch->kernel;
    }
    return KILN_OK;
}

static kiln_status_t save(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool is_good = file && fwrite(data, 1, size, file) == size;
    is_good = file && fclose(file) == 0 && is_good;
    return is_good ? KILN_OK : kiln_status_make(KILN_STATUS_IO, "%s: cannot be written", path);
}

// A kernel's source, which must live until it is compiled.
typedef struct source {
    kiln_builder_t *builder;
    kiln_compile_options_t options;
    char grid[64];
} source_t;

static kiln_status_t build_sources(engine_t *engine, source_t *sources, kiln_program_unit_t *units)
{
    double began = now();
    for (int i = 0; i < engine->kernel_count; i++) {
        source_t *source = &sources[i];
        KILN_TRY(kiln_builder_create(&source->builder));
        KILN_TRY(
            kernel_build(&engine->kernels[i], source->builder, &units[i].source, source->grid));
        kiln_compile_options_initialize(&source->options);
        source->options.grid = source->grid;
        units[i].options = &source->options;
    }
    engine->report.build_ms = now() - began;
    return KILN_OK;
}

// Compiles all kernels on as many threads as there are cores.
static kiln_status_t compile(engine_t *engine, void **out_bundle, size_t *out_size)
{
    size_t count = (size_t)engine->kernel_count;
    source_t *sources = calloc(count, sizeof *sources);
    kiln_program_unit_t *units = calloc(count, sizeof *units);
    kiln_status_t status =
        sources && units ? build_sources(engine, sources, units) : kiln_status_out_of_memory();
    double began = now();
    if (!status)
        status = kiln_program_compile(units, count, NULL, out_bundle, out_size);
    engine->report.compile_ms = now() - began;
    for (size_t i = 0; sources && i < count; i++)
        kiln_builder_release(sources[i].builder);
    free(sources);
    free(units);
    return status;
}

static kiln_status_t get_program(engine_t *engine, const engine_options_t *options)
{
    kiln_program_part_t bundle = {0};
    void *bytes = NULL;
    if (!options->load)
        KILN_TRY(compile(engine, &bytes, &bundle.size));
    bundle.data = bytes;
    kiln_status_t status =
        options->save && bytes ? save(options->save, bytes, bundle.size) : KILN_OK;
    double began = now();
    if (!status)
        status = options->load
                     ? kiln_program_load(engine->device, &options->load, 1, &engine->program)
                     : kiln_program_load_memory(engine->device, &bundle, 1, &engine->program);
    free(bytes);
    if (!status)
        status = kiln_program_prepare(engine->program); // code can't be loaded during a capture
    engine->report.load_ms = now() - began;
    return status;
}

// Memory ------------------------------------------------------------------------------------------

static size_t count_of(const node_t *node)
{
    return (size_t)node->rows * (size_t)node->columns;
}

// A parameter's tensors, concatenated, as f16.
static kiln_status_t convert(const tensors_t *tensors, const node_t *node, _Float16 *halfs)
{
    size_t count = count_of(node), done = 0, length;
    for (const char *names = node->name; *names; names += length + (names[length] == ' ')) {
        char name[NAME_SIZE];
        length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        const tensor_t *tensor = tensors_find(tensors, name);
        if (!tensor || !kiln_element_is_float(tensor->element) || !tensor->rank)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s: missing float tensor '%s'",
                                    tensors_path(tensors), name);
        size_t bytes = kiln_element_size(tensor->element), elements = tensor->size / bytes;
        bool is_shaped = node->rows == 1 || tensor->shape[tensor->rank - 1] == node->columns;
        if (!is_shaped || elements > count - done || (!names[length] && elements != count - done))
            return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                    "%s: tensor '%s' does not have the shape that the model needs",
                                    tensors_path(tensors), name);
        for (size_t k = 0; k < elements; k++)
            halfs[done++] = (_Float16)kiln_element_to_double(
                tensor->element, (const char *)tensor->data + k * bytes);
    }
    return KILN_OK;
}

static kiln_status_t upload(const tensors_t *tensors, const node_t *node, kiln_buffer_t *buffer)
{
    size_t size = count_of(node) * sizeof(_Float16);
    _Float16 *halfs = malloc(size);
    kiln_status_t status = halfs ? convert(tensors, node, halfs) : kiln_status_out_of_memory();
    if (!status)
        status = kiln_buffer_write(buffer, 0, halfs, size);
    free(halfs);
    return status;
}

static resident_t *find_resident(engine_t *engine, const node_t *node)
{
    for (int i = 0; i < engine->resident_count; i++)
        if (engine->residents[i].node->op == node->op &&
            strcmp(engine->residents[i].node->name, node->name) == 0)
            return &engine->residents[i];
    return NULL;
}

static kiln_status_t make_resident(engine_t *engine, const tensors_t *tensors, const node_t *node)
{
    const resident_t *known = find_resident(engine, node);
    if (known && count_of(known->node) != count_of(node))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "graphs need '%s' in different sizes",
                                node->name);
    if (known)
        return KILN_OK;
    resident_t *made = &engine->residents[engine->resident_count++];
    size_t size = count_of(node) * sizeof(_Float16);
    made->node = node;
    KILN_TRY(kiln_buffer_create(engine->device, size, &made->buffer));
    return node->op == OP_STATE ? kiln_buffer_fill(made->buffer, 0, 0, size)
                                : upload(tensors, node, made->buffer);
}

static kiln_status_t make_memory(engine_t *engine, ready_t *ready, const tensors_t *tensors)
{
    for (int i = 0; i < ready->graph->count; i++) {
        const node_t *node = &ready->graph->nodes[i];
        if (node->op == OP_PARAMETER || node->op == OP_STATE)
            KILN_TRY(make_resident(engine, tensors, node));
    }
    ready->arena_size = plan_memory(ready->graph, ready->places);
    return kiln_buffer_create(engine->device, ready->arena_size, &ready->arena);
}

// Launches ----------------------------------------------------------------------------------------

static kiln_typed_argument_t bind(engine_t *engine, const ready_t *ready,
                                  const argument_t *argument)
{
    if (argument->value == NONE)
        return argument->type[0] == 'f'
                   ? kiln_typed_real(argument->name, argument->type, argument->number)
                   : kiln_typed_integer(argument->name, argument->type, (int64_t)argument->number);
    const node_t *node = &ready->graph->nodes[argument->value];
    const place_t *place = &ready->places[argument->value];
    const resident_t *resident = find_resident(engine, node);
    size_t skipped = (size_t)argument->first_column * kiln_element_size(node->element);
    uint64_t address = resident ? kiln_buffer_address(resident->buffer)
                                : kiln_buffer_address(ready->arena) + place->offset;
    size_t storage = resident ? kiln_buffer_size(resident->buffer) : ready->arena_size;
    return kiln_typed_storage(argument->name, argument->type, address + skipped, storage);
}

static kiln_status_t bind_launches(engine_t *engine, ready_t *ready)
{
    for (int i = 0; i < ready->launch_count; i++) {
        bound_t *bound = &ready->launches[i];
        const kiln_variant_t *variant;
        for (int k = 0; k < bound->launch.argument_count; k++)
            bound->arguments[k] = bind(engine, ready, &bound->launch.arguments[k]);
        kiln_program_call_initialize(&bound->call);
        bound->call.kernel = bound->launch.kernel.name;
        bound->call.arguments = bound->arguments;
        bound->call.argument_count = (size_t)bound->launch.argument_count;
        bound->call.stream = engine->stream;
        KILN_TRY(kiln_program_choose(engine->program, &bound->call,
                                     &variant)); // reports missing kernels early
    }
    return KILN_OK;
}

static kiln_status_t launch_all(engine_t *engine, const ready_t *ready)
{
    for (int i = 0; i < ready->launch_count; i++)
        KILN_TRY(kiln_program_launch(engine->program, &ready->launches[i].call));
    return KILN_OK;
}

static kiln_status_t capture(engine_t *engine, ready_t *ready)
{
    KILN_TRY(kiln_graph_begin(engine->stream));
    kiln_status_t status = launch_all(engine, ready),
                  ended = kiln_graph_end(engine->stream, &ready->captured);
    if (!status)
        return ended;
    kiln_status_free(ended); // the capture must be ended, but the first failure is the cause
    return status;
}

// Making and using --------------------------------------------------------------------------------

static kiln_status_t make_room(engine_t *engine, const graph_t *graphs, int count)
{
    size_t nodes = 1;
    engine->graphs = calloc((size_t)count, sizeof *engine->graphs);
    for (int i = 0; engine->graphs && i < count; i++) {
        ready_t *ready = &engine->graphs[engine->graph_count++];
        size_t own = (size_t)graphs[i].count + 1;
        ready->graph = &graphs[i];
        ready->places = calloc(own, sizeof *ready->places);
        ready->launches = calloc(own, sizeof *ready->launches);
        if (!ready->places || !ready->launches)
            return kiln_status_out_of_memory();
        nodes += own;
    }
    engine->kernels = calloc(nodes, sizeof *engine->kernels);
    engine->residents = calloc(nodes, sizeof *engine->residents);
    return engine->graphs && engine->kernels && engine->residents ? KILN_OK
                                                                  : kiln_status_out_of_memory();
}

static kiln_status_t set_up(engine_t *engine, const tensors_t *tensors,
                            const engine_options_t *options)
{
    KILN_TRY(kiln_stream_create(engine->device, &engine->stream));
    KILN_TRY(kiln_event_create(engine->device, &engine->start));
    KILN_TRY(kiln_event_create(engine->device, &engine->stop));
    for (int i = 0; i < engine->graph_count; i++)
        KILN_TRY(lower_graph(engine, &engine->graphs[i]));
    KILN_TRY(get_program(engine, options));
    double began = now();
    for (int i = 0; i < engine->graph_count; i++)
        KILN_TRY(make_memory(engine, &engine->graphs[i], tensors));
    engine->report.upload_ms = now() - began;
    began = now();
    for (int i = 0; i < engine->graph_count; i++) {
        KILN_TRY(bind_launches(engine, &engine->graphs[i]));
        if (!options->no_capture)
            KILN_TRY(capture(engine, &engine->graphs[i]));
    }
    engine->report.capture_ms = now() - began;
    return KILN_OK;
}

kiln_status_t engine_create(kiln_device_t *device, const tensors_t *tensors, const graph_t *graphs,
                            int graph_count, const engine_options_t *options, engine_t **out_engine)
{
    engine_t *engine = calloc(1, sizeof *engine);
    *out_engine = NULL;
    if (!engine)
        return kiln_status_out_of_memory();
    engine->device = device;
    kiln_status_t status = make_room(engine, graphs, graph_count);
    if (!status)
        status = set_up(engine, tensors, options);
    if (status)
        engine_release(engine);
    else
        *out_engine = engine;
    return status;
}

void engine_release(engine_t *engine)
{
    if (!engine)
        return;
    for (int i = 0; i < engine->graph_count; i++) {
        ready_t *ready = &engine->graphs[i];
        kiln_graph_release(ready->captured);
        kiln_buffer_release(ready->arena);
        free(ready->places);
        free(ready->launches);
    }
    for (int i = 0; i < engine->resident_count; i++)
        kiln_buffer_release(engine->residents[i].buffer);
    kiln_program_release(engine->program);
    kiln_event_release(engine->start);
    kiln_event_release(engine->stop);
    kiln_stream_release(engine->stream);
    free(engine->graphs);
    free(engine->kernels);
    free(engine->residents);
    free(engine);
}

kiln_status_t engine_write(engine_t *engine, int graph, const char *input, const void *data,
                           size_t size)
{
    const ready_t *ready = &engine->graphs[graph];
    for (int i = 0; i < ready->graph->count; i++) {
        const node_t *node = &ready->graph->nodes[i];
        if (node->op != OP_INPUT || strcmp(node->name, input) != 0)
            continue;
        if (size != count_of(node) * kiln_element_size(node->element))
            return kiln_status_make(KILN_STATUS_USAGE, "the input '%s' is not of %zu bytes", input,
                                    size);
        return kiln_buffer_write(ready->arena, ready->places[i].offset, data, size);
    }
    return kiln_status_make(KILN_STATUS_USAGE, "the graph has no input '%s'", input);
}

kiln_status_t engine_read(engine_t *engine, int graph, int output, size_t offset, void *data,
                          size_t size)
{
    const ready_t *ready = &engine->graphs[graph];
    for (int i = 0; i < ready->graph->count; i++) {
        const node_t *node = &ready->graph->nodes[i];
        if (!node->is_output || output--)
            continue;
        size_t all = count_of(node) * kiln_element_size(node->element);
        if (offset > all || size > all - offset)
            return kiln_status_make(KILN_STATUS_USAGE, "%zu bytes at %zu leave the output", size,
                                    offset);
        return kiln_buffer_read(ready->arena, ready->places[i].offset + offset, data, size);
    }
    return kiln_status_make(KILN_STATUS_USAGE, "the graph has fewer outputs");
}

kiln_status_t engine_run(engine_t *engine, int graph, double *out_milliseconds)
{
    const ready_t *ready = &engine->graphs[graph];
    KILN_TRY(kiln_event_record(engine->start, engine->stream));
    KILN_TRY(ready->captured ? kiln_graph_launch(ready->captured, engine->stream)
                             : launch_all(engine, ready));
    KILN_TRY(kiln_event_record(engine->stop, engine->stream));
    KILN_TRY(kiln_stream_synchronize(engine->device, engine->stream));
    return out_milliseconds ? kiln_event_elapsed(engine->start, engine->stop, out_milliseconds)
                            : KILN_OK;
}

engine_report_t engine_report(const engine_t *engine, int graph)
{
    const ready_t *ready = &engine->graphs[graph];
    engine_report_t report = engine->report;
    report.kernels = engine->kernel_count;
    report.launches = ready->launch_count;
    report.memory = ready->arena_size;
    for (int i = 0; i < ready->graph->count; i++)
        report.memory_without_sharing += ready->places[i].size;
    return report;
}
