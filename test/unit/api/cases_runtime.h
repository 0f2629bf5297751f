// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases for kiln/runtime.h. Errors of the HIP library are produced by the fake one, whose calls
// fail by name.
#ifndef API_CASES_RUNTIME_H
#define API_CASES_RUNTIME_H

static void devices(void)
{
    kiln_device_t *device;
    kiln_device_list_t *list;
    kiln_device_kind_t kind;
    kiln_device_options_t options, none = {0};
    kiln_device_options_initialize(&options);
    NULLS(kiln_device_kind_parse(NULL, &kind), "text is NULL");
    NULLS(kiln_device_kind_parse("sim", NULL), "out_kind is NULL");
    CASE(USAGE, kiln_device_kind_parse("gpu", &kind), "unknown device");
    ANSWER_IS(kiln_device_kind_name((kiln_device_kind_t)7), == NULL);
    NULLS(kiln_device_open(&options, NULL), "out_device is NULL");
    NULLS(kiln_device_open(&none, &device), "options->struct_size is 0");
    NULLS(kiln_device_list_create(&options, NULL), "out_list is NULL");
    NULLS(kiln_device_list_create(&none, &list), "options->struct_size is 0");
    options.kind = (kiln_device_kind_t)9;
    NULLS(kiln_device_open(&options, &device), "options->kind is 9");
    options.kind = KILN_DEVICE_HIP;
    options.ordinal = -2;
    NULLS(kiln_device_open(&options, &device), "options->ordinal is -2");
    options.ordinal = -1;
    options.sim_setting_count = 1;
    NULLS(kiln_device_open(&options, &device), "options->sim_settings is NULL");
    const kiln_sim_setting_t setting = {0};
    options.sim_settings = &setting;
    NULLS(kiln_device_list_create(&options, &list), "options->sim_settings[0] contains a NULL");
    options.sim_setting_count = 0;
    options.hip_library = "/nowhere/libamdhip64.so";
    CASE(UNAVAILABLE, kiln_device_open(&options, &device), "tried /nowhere");
    options.hip_library = FAKE;
    FAILING("hipInit", kiln_device_list_create(&options, &list));
    NULLS(kiln_device_synchronize(NULL), "device is NULL");
    FAILING("hipDeviceSynchronize", kiln_device_synchronize(world.device));
    FAILING("hipSetDevice", kiln_device_synchronize(world.device));
    ANSWER_IS(kiln_device_properties(NULL), == NULL);
    ANSWER_IS(kiln_device_key(NULL), == NULL);
    ANSWER_IS(kiln_device_supported_checks(NULL)[0], == '\0');
    ANSWER_IS(kiln_device_list_count(NULL), == 0);
    ANSWER_IS(kiln_device_list_item(NULL, 0), == NULL);
    SURVIVES(kiln_device_list_release(NULL));
    SURVIVES(kiln_device_release(NULL));
}

static void streams(void)
{
    kiln_stream_t *stream, *other;
    kiln_event_t *event, *another;
    bool done;
    double ms;
    NULLS(kiln_stream_create(NULL, &stream), "device is NULL");
    NULLS(kiln_stream_create(world.device, NULL), "out_stream is NULL");
    FAILING("hipStreamCreateWithFlags", kiln_stream_create(world.device, &stream));
    NULLS(kiln_event_create(NULL, &event), "device is NULL");
    NULLS(kiln_event_create(world.device, NULL), "out_event is NULL");
    FAILING("hipEventCreate", kiln_event_create(world.device, &event));
    ok(kiln_stream_create(world.device, &stream));
    ok(kiln_event_create(world.device, &event));
    NULLS(kiln_stream_wrap(NULL, NULL, &other), "device is NULL");
    NULLS(kiln_stream_wrap(world.device, NULL, NULL), "out_stream is NULL");
    NULLS(kiln_event_wrap(NULL, event, &another), "device is NULL");
    NULLS(kiln_event_wrap(world.device, NULL, &another), "hip_event is NULL");
    NULLS(kiln_event_wrap(world.device, event, NULL), "out_event is NULL");
    NULLS(kiln_stream_synchronize(NULL, stream), "device is NULL");
    FAILING("hipStreamSynchronize", kiln_stream_synchronize(world.device, stream));
    NULLS(kiln_stream_query(NULL, stream, &done), "device is NULL");
    NULLS(kiln_stream_query(world.device, stream, NULL), "out_done is NULL");
    FAILING("hipStreamQuery", kiln_stream_query(world.device, stream, &done));
    NULLS(kiln_stream_wait(stream, NULL), "event is NULL");
    FAILING("hipStreamWaitEvent", kiln_stream_wait(stream, event));
    NULLS(kiln_event_record(NULL, stream), "event is NULL");
    FAILING("hipEventRecord", kiln_event_record(event, stream));
    NULLS(kiln_event_synchronize(NULL), "event is NULL");
    FAILING("hipEventSynchronize", kiln_event_synchronize(event));
    NULLS(kiln_event_query(NULL, &done), "event is NULL");
    NULLS(kiln_event_query(event, NULL), "out_done is NULL");
    FAILING("hipEventQuery", kiln_event_query(event, &done));
    NULLS(kiln_event_elapsed(NULL, event, &ms), "start is NULL");
    NULLS(kiln_event_elapsed(event, NULL, &ms), "stop is NULL");
    NULLS(kiln_event_elapsed(event, event, NULL), "out_milliseconds is NULL");
    FAILING("hipEventElapsedTime", kiln_event_elapsed(event, event, &ms));
    ANSWER_IS(kiln_stream_native(NULL), == NULL);
    ANSWER_IS(kiln_event_native(NULL), == NULL);
    SURVIVES(kiln_stream_release(NULL));
    SURVIVES(kiln_event_release(NULL));
    kiln_stream_release(stream);
    kiln_event_release(event);
}

static void graphs(void)
{
    kiln_stream_t *stream, *old;
    kiln_graph_t *graph;
    ok(kiln_stream_create(world.device, &stream));
    ok(kiln_stream_create(world.old, &old));
    NULLS(kiln_graph_begin(NULL), "stream is NULL");
    CASE(UNSUPPORTED, kiln_graph_begin(old), "does not support stream capture");
    FAILING("hipStreamBeginCapture", kiln_graph_begin(stream));
    NULLS(kiln_graph_end(NULL, &graph), "stream is NULL");
    NULLS(kiln_graph_end(stream, NULL), "out_graph is NULL");
    CASE(UNSUPPORTED, kiln_graph_end(old, &graph), "does not support stream capture");
    FAILING("hipStreamEndCapture", kiln_graph_end(stream, &graph));
    ok(kiln_graph_begin(stream));
    FAILING("hipGraphInstantiate", kiln_graph_end(stream, &graph));
    ok(kiln_graph_begin(stream));
    FAILING("hipGraphGetNodes", kiln_graph_end(stream, &graph));
    ok(kiln_graph_begin(stream));
    ok(kiln_graph_end(stream, &graph));
    NULLS(kiln_graph_launch(NULL, stream), "graph is NULL");
    FAILING("hipGraphLaunch", kiln_graph_launch(graph, stream));
    ANSWER_IS(kiln_graph_node_count(NULL), == 0);
    ANSWER_IS(kiln_graph_native(NULL), == NULL);
    SURVIVES(kiln_graph_release(NULL));
    kiln_graph_release(graph);
    kiln_stream_release(stream);
    kiln_stream_release(old);
}

static void buffers(void)
{
    kiln_buffer_t *a, *b;
    char bytes[16] = {0};
    NULLS(kiln_buffer_create(NULL, 4, &a), "device is NULL");
    NULLS(kiln_buffer_create(world.device, 4, NULL), "out_buffer is NULL");
    FAILING("hipMalloc", kiln_buffer_create(world.device, 4, &a));
    CASE(OUT_OF_RESOURCES, kiln_buffer_create(world.device, (size_t)2 << 30, &a),
         "while allocating");
    NULLS(kiln_buffer_wrap(NULL, 64, 4, &a), "device is NULL");
    NULLS(kiln_buffer_wrap(world.device, 64, 4, NULL), "out_buffer is NULL");
    ok(kiln_buffer_create(world.device, 16, &a));
    ok(kiln_buffer_create(world.device, 16, &b));
    NULLS(kiln_buffer_write(NULL, 0, bytes, 4), "buffer is NULL");
    NULLS(kiln_buffer_write(a, 0, NULL, 4), "data is NULL");
    FAILING("hipMemcpyHtoD", kiln_buffer_write(a, 0, bytes, 4));
    NULLS(kiln_buffer_read(NULL, 0, bytes, 4), "buffer is NULL");
    NULLS(kiln_buffer_read(a, 0, NULL, 4), "data is NULL");
    FAILING("hipMemcpyDtoH", kiln_buffer_read(a, 0, bytes, 4));
    NULLS(kiln_buffer_fill(NULL, 0, 0, 4), "buffer is NULL");
    NULLS(kiln_buffer_fill(a, 10, 0, 8), "8 bytes at offset 10 exceed");
    FAILING("hipMemset", kiln_buffer_fill(a, 0, 0, 4));
    NULLS(kiln_buffer_copy(NULL, 0, b, 0, 4), "to is NULL");
    NULLS(kiln_buffer_copy(a, 0, NULL, 0, 4), "from is NULL");
    FAILING("hipMemcpyDtoD", kiln_buffer_copy(a, 0, b, 0, 4));
    NULLS(kiln_buffer_write_async(NULL, 0, bytes, 4, NULL), "buffer is NULL");
    NULLS(kiln_buffer_write_async(a, 0, NULL, 4, NULL), "data is NULL");
    FAILING("hipMemcpyHtoDAsync", kiln_buffer_write_async(a, 0, bytes, 4, NULL));
    NULLS(kiln_buffer_read_async(NULL, 0, bytes, 4, NULL), "buffer is NULL");
    NULLS(kiln_buffer_read_async(a, 0, NULL, 4, NULL), "data is NULL");
    FAILING("hipMemcpyDtoHAsync", kiln_buffer_read_async(a, 0, bytes, 4, NULL));
    NULLS(kiln_buffer_copy_async(NULL, 0, b, 0, 4, NULL), "to is NULL");
    NULLS(kiln_buffer_copy_async(a, 0, NULL, 0, 4, NULL), "from is NULL");
    FAILING("hipMemcpyDtoDAsync", kiln_buffer_copy_async(a, 0, b, 0, 4, NULL));
    NULLS(kiln_buffer_fill_async(NULL, 0, "x", 1, 4, NULL), "buffer is NULL");
    NULLS(kiln_buffer_fill_async(a, 0, NULL, 1, 4, NULL), "pattern is NULL");
    FAILING("hipMemsetD8Async", kiln_buffer_fill_async(a, 0, "x", 1, 4, NULL));
    FAILING("hipMemsetD16Async", kiln_buffer_fill_async(a, 0, "xy", 2, 4, NULL));
    FAILING("hipMemsetD32Async", kiln_buffer_fill_async(a, 0, "xyzu", 4, 4, NULL));
    ANSWER_IS(kiln_buffer_size(NULL), == 0);
    ANSWER_IS(kiln_buffer_address(NULL), == 0);
    SURVIVES(kiln_buffer_release(NULL));
    kiln_buffer_release(a);
    kiln_buffer_release(b);
}

static void functions(void)
{
    kiln_module_t *module, *other;
    kiln_function_t *function;
    kiln_launch_t launch, none = {0};
    unsigned groups;
    kiln_function_properties_t properties = {.struct_size = sizeof properties}, empty = {0};
    kiln_launch_initialize(&launch);
    launch.block[0] = 64;
    NULLS(kiln_module_load(NULL, image, sizeof image, &module), "device is NULL");
    NULLS(kiln_module_load(world.device, NULL, sizeof image, &module), "code_object is NULL");
    NULLS(kiln_module_load(world.device, image, sizeof image, NULL), "out_module is NULL");
    CASE(INVALID_INPUT, kiln_module_load(world.device, "short", 5, &module), "not a code object");
    FAILING("hipModuleLoadData", kiln_module_load(world.device, image, sizeof image, &module));
    ok(kiln_module_load(world.device, image, sizeof image, &module));
    NULLS(kiln_module_wrap(NULL, module, NULL, 0, &other), "device is NULL");
    NULLS(kiln_module_wrap(world.device, NULL, NULL, 0, &other), "hip_module is NULL");
    NULLS(kiln_module_wrap(world.device, module, NULL, 0, NULL), "out_module is NULL");
    CASE(INVALID_INPUT, kiln_module_wrap(world.device, module, "short", 5, &other),
         "not a code object");
    NULLS(kiln_module_function(NULL, "add3", &function), "module is NULL");
    NULLS(kiln_module_function(module, NULL, &function), "name is NULL");
    NULLS(kiln_module_function(module, "add3", NULL), "out_function is NULL");
    CASE(NOT_FOUND, kiln_module_function(module, "missing", &function), "'missing'");
    FAILING("hipModuleGetFunction", kiln_module_function(module, "add3", &function));
    ok(kiln_module_function(module, "add0", &function));
    NULLS(kiln_function_get_properties(NULL, &properties), "function is NULL");
    NULLS(kiln_function_get_properties(function, NULL), "out_properties is NULL");
    NULLS(kiln_function_get_properties(function, &empty), "out_properties->struct_size is 0");
    FAILING("hipFuncGetAttribute", kiln_function_get_properties(function, &properties));
    NULLS(kiln_function_launch(NULL, &launch), "function is NULL");
    NULLS(kiln_function_launch(function, NULL), "launch is NULL");
    NULLS(kiln_function_launch(function, &none), "launch->struct_size is 0");
    FAILING("hipModuleLaunchKernel", kiln_function_launch(function, &launch));
    NULLS(kiln_function_occupancy(NULL, &launch, &groups), "function is NULL");
    NULLS(kiln_function_occupancy(function, &launch, NULL), "out_groups_per_compute_unit is NULL");
    NULLS(kiln_function_occupancy(function, &none, &groups), "launch->struct_size is 0");
    FAILING("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
            kiln_function_occupancy(function, &launch, &groups));
    launch.block[0] = 4096;
    CASE(OUT_OF_RESOURCES, kiln_function_launch(function, &launch), "the block has 4096");
    CASE(OUT_OF_RESOURCES, kiln_function_occupancy(function, &launch, &groups),
         "the block has 4096");
    ANSWER_IS(kiln_module_native(NULL), == NULL);
    ANSWER_IS(kiln_function_name(NULL), == NULL);
    ANSWER_IS(kiln_function_native(NULL), == NULL);
    SURVIVES(kiln_module_release(NULL));
    kiln_module_release(module);
    launch.block[0] = 64;
    ok(kiln_module_load(world.old, image, sizeof image, &module));
    ok(kiln_module_function(module, "add0", &function));
    CASE(UNSUPPORTED, kiln_function_get_properties(function, &properties), "hipFuncGetAttribute");
    CASE(UNSUPPORTED, kiln_function_occupancy(function, &launch, &groups), "hipModuleOccupancy");
    kiln_module_release(module);
}

static void what_simulators_report(void)
{
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats}, no_stats = {0};
    kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction}, no_prediction = {0};
    kiln_sim_line_t line = {.struct_size = sizeof line}, no_line = {0};
    NULLS(kiln_device_launch_stats(NULL, &stats), "device is NULL");
    NULLS(kiln_device_launch_stats(world.device, NULL), "out_stats is NULL");
    NULLS(kiln_device_launch_stats(world.device, &no_stats), "out_stats->struct_size is 0");
    CASE(UNSUPPORTED, kiln_device_launch_stats(world.device, &stats), "only the simulator");
    CASE(DEVICE, kiln_device_launch_stats(world.simulated, &stats), "no launch of this thread");
    NULLS(kiln_device_launch_prediction(NULL, &prediction), "device is NULL");
    NULLS(kiln_device_launch_prediction(world.device, NULL), "out_prediction is NULL");
    NULLS(kiln_device_launch_prediction(world.device, &no_prediction),
          "out_prediction->struct_size is 0");
    CASE(UNSUPPORTED, kiln_device_launch_prediction(world.device, &prediction),
         "only the simulator");
    CASE(NOT_FOUND, kiln_device_launch_prediction(world.simulated, &prediction), "no prediction");
    NULLS(kiln_device_launch_line(NULL, 0, &line), "device is NULL");
    NULLS(kiln_device_launch_line(world.device, 0, NULL), "out_line is NULL");
    NULLS(kiln_device_launch_line(world.device, 0, &no_line), "out_line->struct_size is 0");
    CASE(UNSUPPORTED, kiln_device_launch_line(world.device, 0, &line), "only the simulator");
    CASE(NOT_FOUND, kiln_device_launch_line(world.simulated, 0, &line), "no more instructions");
    const kiln_sim_exemption_t exempt = {UINT64_MAX, KILN_SIM_WITHOUT_CONFLICTS};
    const kiln_sim_supposition_t all = {sizeof all, .exemptions = &exempt, .count = 1},
                                 lost = {sizeof lost, .count = 1}, no_size = {0};
    NULLS(kiln_device_replay_launch(NULL, &all, &prediction), "device is NULL");
    NULLS(kiln_device_replay_launch(world.device, NULL, &prediction), "supposition is NULL");
    NULLS(kiln_device_replay_launch(world.device, &no_size, &prediction),
          "supposition->struct_size is 0");
    NULLS(kiln_device_replay_launch(world.device, &lost, &prediction),
          "supposition->exemptions is NULL");
    NULLS(kiln_device_replay_launch(world.device, &all, NULL), "out_prediction is NULL");
    NULLS(kiln_device_replay_launch(world.device, &all, &no_prediction),
          "out_prediction->struct_size is 0");
    CASE(UNSUPPORTED, kiln_device_replay_launch(world.device, &all, &prediction),
         "only the simulator");
    CASE(NOT_FOUND, kiln_device_replay_launch(world.simulated, &all, &prediction), "cannot replay");
    NULLS(kiln_device_checked(NULL), "device is NULL");
}

// A launch that writes past the end of its buffer, which the simulator's check finds.
static void what_checks_find(void)
{
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    const kiln_sim_setting_t settings[] = {{"check", "memory"}};
    options.kind = KILN_DEVICE_SIM;
    options.sim_library = SIMULATOR;
    options.sim_settings = settings;
    options.sim_setting_count = 1;
    kiln_device_t *device;
    kiln_module_t *module;
    kiln_function_t *function;
    kiln_buffer_t *buffer;
    size_t size;
    const void *code = kiln_kernel_code_object(world.kernel, &size);
    ok(kiln_device_open(&options, &device));
    ok(kiln_buffer_create(device, 32, &buffer));
    ok(kiln_module_load(device, code, size, &module));
    ok(kiln_module_function(module, "k3", &function));
    uint64_t address = kiln_buffer_address(buffer);
    int32_t n = 64;
    void *args[] = {&address, &n};
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    launch.args = args;
    kiln_status_free(kiln_function_launch(function, &launch));
    CASE(MISMATCH, kiln_device_checked(device), "memory");
    kiln_buffer_release(buffer);
    kiln_module_release(module);
    kiln_device_release(device);
}

static void runtime(void)
{
    devices();
    streams();
    graphs();
    buffers();
    functions();
    what_simulators_report();
    what_checks_find();
}

#endif
