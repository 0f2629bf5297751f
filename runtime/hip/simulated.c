// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries that only a simulator answers. They go through the HIP library's symbol table, so nothing
// here depends on the simulator.
#include "base/require.h"
#include "hip/device.h"

kiln_status_t kiln_device_launch_stats(kiln_device_t *device, kiln_sim_launch_stats_t *out_stats)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_sim_launch_stats_t, out_stats);
    KILN_REQUIRE(device);
    if (!device->hip.kilnSimGetLaunchStats)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "only the simulator counts executed instructions");
    if (device->hip.kilnSimGetLaunchStats(out_stats) != 0)
        return kiln_status_make(KILN_STATUS_DEVICE, "no launch of this thread has cycle counts");
    return KILN_OK;
}

kiln_status_t kiln_device_launch_prediction(kiln_device_t *device,
                                            kiln_sim_prediction_t *out_prediction)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_sim_prediction_t, out_prediction);
    KILN_REQUIRE(device);
    if (!device->hip.kilnSimGetPrediction)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "only the simulator predicts launch times");
    if (device->hip.kilnSimGetPrediction(out_prediction) != 0)
        return kiln_status_make(
            KILN_STATUS_NOT_FOUND,
            "the simulator has no prediction of this thread's last launch; set the simulator's "
            "option `clock` to model "
            "(launches whose workgroups wait for unrecorded ones cannot be predicted)");
    return KILN_OK;
}

kiln_status_t kiln_device_launch_line(kiln_device_t *device, size_t index,
                                      kiln_sim_line_t *out_line)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_sim_line_t, out_line);
    KILN_REQUIRE(device);
    if (!device->hip.kilnSimGetLine)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "only the simulator records stalls");
    if (device->hip.kilnSimGetLine(index, out_line) != 0)
        return kiln_status_make(
            KILN_STATUS_NOT_FOUND,
            "the simulator has no more instructions of this thread's last launch");
    return KILN_OK;
}

kiln_status_t kiln_device_replay_launch(kiln_device_t *device,
                                        const kiln_sim_supposition_t *supposition,
                                        kiln_sim_prediction_t *out_prediction)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_sim_prediction_t, out_prediction);
    KILN_REQUIRE(device);
    kiln_sim_supposition_t known = {.struct_size = sizeof known};
    KILN_REQUIRE_STRUCT(kiln_sim_supposition_t, &known, supposition);
    KILN_REQUIRE_THAT(!known.count || known.exemptions,
                      "supposition->exemptions is NULL and its count is not 0");
    if (!device->hip.kilnSimReplay)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "only the simulator replays launches");
    if (device->hip.kilnSimReplay(&known, out_prediction) != 0)
        return kiln_status_make(KILN_STATUS_NOT_FOUND,
                                "the simulator cannot replay this thread's last launch; set the "
                                "simulator's options `clock` to model and `stalls` to 1");
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
        KILN_STATUS_MISMATCH,
        "%s: %s, at 0x%llx '%s'%s%s in kernel '%s', workgroup (%u, %u, %u), wave %u", first.check,
        first.message, (unsigned long long)first.address, first.instruction,
        *first.source ? " of " : "", first.source, first.kernel, first.workgroup[0],
        first.workgroup[1], first.workgroup[2], first.wave);
    return count > 1 ? kiln_status_annotate(status, "and %zu more", count - 1) : status;
}
