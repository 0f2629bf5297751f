// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only a simulator can tell of a launch. What is easily got wrong: it is asked through the HIP library's own table of
// symbols, so nothing here knows the simulator.
#include "base/require.h"
#include "hip/device.h"

kiln_status_t kiln_device_launch_stats(kiln_device_t *device, kiln_sim_launch_stats_t *out_stats)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_sim_launch_stats_t, out_stats);
    KILN_REQUIRE(device);
    if (!device->hip.kilnSimGetLaunchStats)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "only the simulator counts what a launch executes");
    if (device->hip.kilnSimGetLaunchStats(out_stats) != 0)
        return kiln_status_make(KILN_STATUS_DEVICE, "this thread has launched nothing that could be counted");
    return KILN_OK;
}

kiln_status_t kiln_device_launch_prediction(kiln_device_t *device, kiln_sim_prediction_t *out_prediction)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_sim_prediction_t, out_prediction);
    KILN_REQUIRE(device);
    if (!device->hip.kilnSimGetPrediction)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "only the simulator predicts how long a launch takes");
    if (device->hip.kilnSimGetPrediction(out_prediction) != 0)
        return kiln_status_make(KILN_STATUS_NOT_FOUND,
                                "the simulator has predicted nothing of this thread's last launch: "
                                "the simulator's option `clock` as model makes it, where no workgroup waits for one "
                                "that is not looked at");
    return KILN_OK;
}

kiln_status_t kiln_device_launch_line(kiln_device_t *device, size_t index, kiln_sim_line_t *out_line)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_sim_line_t, out_line);
    KILN_REQUIRE(device);
    if (!device->hip.kilnSimGetLine)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "only the simulator says where waves stand");
    if (device->hip.kilnSimGetLine(index, out_line) != 0)
        return kiln_status_make(KILN_STATUS_NOT_FOUND,
                                "the simulator knows no more instructions of this thread's last launch");
    return KILN_OK;
}

kiln_status_t kiln_device_checked(kiln_device_t *device)
{
    KILN_REQUIRE(device);
    kiln_sim_finding_t first = {.struct_size = sizeof first}, next = first;
    if (!device->hip.kilnSimGetFinding || device->hip.kilnSimGetFinding(0, &first) != 0)
        return KILN_OK;
    size_t count = 1;
    while (device->hip.kilnSimGetFinding(count, &next) == 0)
        count++;
    kiln_status_t status = kiln_status_make(
        KILN_STATUS_MISMATCH, "%s: %s, at 0x%llx '%s'%s%s in kernel '%s', workgroup (%u, %u, %u), wave %u", first.check,
        first.message, (unsigned long long)first.address, first.instruction, *first.source ? " of " : "", first.source,
        first.kernel, first.workgroup[0], first.workgroup[1], first.workgroup[2], first.wave);
    return count > 1 ? kiln_status_annotate(status, "and %zu more", count - 1) : status;
}
