// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that find cold instruction caches: a small kernel invalidates them before each measured
// launch, as hipBLASLt's client does (s_icache_inv, and wait states until what was fetched is
// gone). Two compute units share an instruction cache of 64 KB; enough workgroups are launched that
// each runs some. The code then comes from the L2 or beyond.
//
// The launch is waited for, since the measured one may be on a stream that does not wait for it.
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "kiln/kiln.h"
#include "runner.h"

enum { GROUPS_OF_A_UNIT = 60 };

static const char SOURCE[] =
    "kernel void kiln_invalidate_code0()\n"
    "{\n"
    "    i32 given = 0, taken;\n"
    "    inline_asm(\"s_icache_inv\\ns_nop 15\\ns_nop 15\\nv_mov_b32 $0, $1\", \"=v,v\", given,\n"
    "               &taken, .pure = false);\n"
    "}\n";

static kiln_status_t load(kiln_tune_runner_t *runner, const kiln_kernel_t *kernel)
{
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    KILN_TRY(kiln_module_load(kiln_arguments_device(runner->arguments), code, size,
                              &runner->code_module));
    return kiln_module_function(runner->code_module, kiln_kernel_name(kernel),
                                &runner->invalidate_code);
}

kiln_status_t kiln_tune_runner_cold_code(kiln_tune_runner_t *runner)
{
    KILN_REQUIRE(runner);
    kiln_device_t *device = kiln_arguments_device(runner->arguments);
    if (!device)
        return kiln_status_make(KILN_STATUS_USAGE, "%s: the arguments have no device", __func__);
    if (kiln_device_properties(device)->kind == KILN_DEVICE_SIM)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "the simulator's clock has no launch with cold instruction caches");
    if (runner->code_module)
        return KILN_OK;
    const kiln_source_t source = {KILN_STAGE_TILE, "cold code", SOURCE, sizeof SOURCE - 1};
    kiln_compile_options_t options;
    kiln_session_t *session = NULL;
    kiln_kernel_t *kernel = NULL;
    kiln_compile_options_initialize(&options);
    options.arch = kiln_device_properties(device)->arch;
    options.num_warps = 1;
    kiln_status_t status = kiln_session_create(&session);
    if (!status)
        status = kiln_compile(session, &source, &options, &kernel);
    if (!status)
        status = load(runner, kernel);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    if (status)
        kiln_runner_cold_code_free(runner);
    return kiln_status_annotate(status, "while preparing to invalidate instruction caches");
}

void kiln_runner_cold_code_free(kiln_tune_runner_t *runner)
{
    kiln_module_release(runner->code_module);
    runner->code_module = NULL;
    runner->invalidate_code = NULL;
}

kiln_status_t kiln_runner_invalidate_code(kiln_tune_runner_t *runner)
{
    if (!runner->invalidate_code)
        return KILN_OK;
    kiln_device_t *device = kiln_arguments_device(runner->arguments);
    const kiln_device_properties_t *properties = kiln_device_properties(device);
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    launch.grid[0] = properties->compute_units * GROUPS_OF_A_UNIT;
    launch.block[0] = properties->warp_size;
    KILN_TRY(kiln_function_launch(runner->invalidate_code, &launch));
    return kiln_stream_synchronize(device, NULL);
}
