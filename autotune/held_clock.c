// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small kernel reads two counters of each XCD before and after the measured launches: one of core
// cycles (s_memtime) and one of 100 MHz (s_memrealtime). Their differences give the average clock
// without a library that may be missing (ROCm SMI), and for launches of microseconds, which such a
// library's sensors do not resolve.
//
// Counters of two XCDs are not comparable, so each program also stores its XCD's number (hardware
// register 20, XCC_ID); programs are dealt to the XCDs in turn.
#include "held_clock.h"

#include <stdlib.h>
#include <string.h>

#include "kiln/kiln.h"

enum { PROGRAMS = 64, XCDS = 16, REALTIME_MHZ = 100 };

// The name ends with the number of parameters, for tests with a fake HIP library.
static const char SOURCE[] =
    "kernel void kiln_read_clock1(i64 *out)\n"
    "{\n"
    "    i32 given = 0, xcd;\n"
    "    i64 cycles, time;\n"
    "    inline_asm(\"s_memtime $0\\ns_memrealtime $1\\ns_getreg_b32 $2, hwreg(20, 0, 4)\\n\"\n"
    "               \"s_waitcnt lgkmcnt(0)\", \"=&s,=&s,=&s,v\", given, &cycles, &time, &xcd,\n"
    "               .pure = false);\n"
    "    i64 *row = out + program_id(0) * 3;\n"
    "    row[0] = cycles;\n"
    "    row[1] = time;\n"
    "    row[2] = xcd;\n"
    "}\n";

typedef struct reading {
    int64_t cycles, time, xcd;
} reading_t;

struct kiln_held_clock {
    kiln_device_t *device; // borrowed
    kiln_module_t *module;
    kiln_function_t *function;
    kiln_buffer_t *buffer;
    reading_t first[XCDS]; // by XCD; time 0: none
};

static kiln_status_t load(kiln_held_clock_t *clock, const kiln_kernel_t *kernel)
{
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    KILN_TRY(kiln_module_load(clock->device, code, size, &clock->module));
    KILN_TRY(kiln_module_function(clock->module, kiln_kernel_name(kernel), &clock->function));
    return kiln_buffer_create(clock->device, PROGRAMS * sizeof(reading_t), &clock->buffer);
}

static kiln_status_t make(kiln_held_clock_t *clock)
{
    const kiln_source_t source = {KILN_STAGE_TILE, "clock", SOURCE, sizeof SOURCE - 1};
    kiln_compile_options_t options;
    kiln_session_t *session = NULL;
    kiln_kernel_t *kernel = NULL;
    kiln_compile_options_initialize(&options);
    options.arch = kiln_device_properties(clock->device)->arch;
    options.num_warps = 1;
    kiln_status_t status = kiln_session_create(&session);
    if (!status)
        status = kiln_compile(session, &source, &options, &kernel);
    if (!status)
        status = load(clock, kernel);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return status;
}

kiln_status_t kiln_held_clock_create(kiln_device_t *device, kiln_held_clock_t **out_clock)
{
    *out_clock = NULL;
    if (kiln_device_properties(device)->kind == KILN_DEVICE_SIM)
        return KILN_OK;
    kiln_held_clock_t *clock = calloc(1, sizeof *clock);
    if (!clock)
        return kiln_status_out_of_memory();
    clock->device = device;
    kiln_status_t status = make(clock);
    if (!status) {
        *out_clock = clock;
        return KILN_OK;
    }
    kiln_held_clock_release(clock);
    if (kiln_status_is_out_of_memory(status))
        return status;
    kiln_status_free(status); // costs do not depend on it
    return KILN_OK;
}

void kiln_held_clock_release(kiln_held_clock_t *clock)
{
    if (!clock)
        return;
    kiln_buffer_release(clock->buffer);
    kiln_module_release(clock->module);
    free(clock);
}

// Of each XCD the reading of its first program.
static kiln_status_t read(kiln_held_clock_t *clock, kiln_stream_t *stream, reading_t out[XCDS])
{
    reading_t rows[PROGRAMS];
    uint64_t address = kiln_buffer_address(clock->buffer);
    void *values[] = {&address};
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    launch.grid[0] = PROGRAMS;
    launch.block[0] = kiln_device_properties(clock->device)->warp_size;
    launch.stream = stream;
    launch.args = values;
    memset(out, 0, XCDS * sizeof *out);
    KILN_TRY(kiln_function_launch(clock->function, &launch));
    KILN_TRY(kiln_stream_synchronize(clock->device, stream));
    KILN_TRY(kiln_buffer_read(clock->buffer, 0, rows, sizeof rows));
    for (size_t i = 0; i < PROGRAMS; i++)
        if (rows[i].xcd >= 0 && rows[i].xcd < XCDS && !out[rows[i].xcd].time)
            out[rows[i].xcd] = rows[i];
    return KILN_OK;
}

kiln_status_t kiln_held_clock_begin(kiln_held_clock_t *clock, kiln_stream_t *stream)
{
    return clock ? read(clock, stream, clock->first) : KILN_OK;
}

kiln_status_t kiln_held_clock_end(kiln_held_clock_t *clock, kiln_stream_t *stream, double *out_mhz)
{
    reading_t last[XCDS];
    double sum = 0;
    int count = 0;
    *out_mhz = 0;
    if (!clock)
        return KILN_OK;
    KILN_TRY(read(clock, stream, last));
    for (size_t i = 0; i < XCDS; i++) {
        const int64_t cycles = last[i].cycles - clock->first[i].cycles,
                      time = last[i].time - clock->first[i].time;
        if (!clock->first[i].time || !last[i].time || cycles <= 0 || time <= 0)
            continue;
        sum += (double)cycles / (double)time * REALTIME_MHZ;
        count++;
    }
    *out_mhz = count ? sum / count : 0;
    return KILN_OK;
}
