// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: errors, and what Kiln adds to them.
//
// What a reader gets wrong: hipGetErrorString() of the error that this thread saw last says also why it happened, which
// is how the simulator's findings reach programs that know nothing of it.
#include <stdio.h>
#include <string.h>

#include "hip/entry.h"

static __thread kiln_sim_thread_state_t thread_state;

kiln_sim_thread_state_t *kiln_sim_thread_state(void)
{
    return &thread_state;
}

static const struct {
    int code;
    const char *name, *text;
} errors[] = {
#define HIP_ERROR(code, name, text) {code, #name, text},
#include "hip/errors.def"
#undef HIP_ERROR
};

static size_t find_error(hipError_t code)
{
    size_t count = sizeof errors / sizeof errors[0], at = 0;
    while (at < count - 1 && errors[at].code != code)
        at++;
    return at; // the last row is hipErrorUnknown
}

hipError_t kiln_sim_hip_fail(hipError_t code, const char *text)
{
    thread_state.last_error = code;
    kiln_sim_fail(&thread_state.failure, code, "%s", text ? text : errors[find_error(code)].text);
    return code;
}

hipError_t kiln_sim_hip_error(const kiln_sim_error_t *error)
{
    return kiln_sim_hip_fail(error->code, error->text);
}

void kiln_sim_hip_set_late(hipError_t error)
{
    bool while_running = error == KILN_SIM_ILLEGAL_ADDRESS || error == KILN_SIM_LAUNCH_FAILURE ||
                         error == KILN_SIM_ASSERT || error == KILN_SIM_LAUNCH_TIMEOUT ||
                         error == KILN_SIM_NOT_SUPPORTED;
    kiln_sim_device_t *device = kiln_sim_device_lock();
    if (while_running && !device->late.code)
        device->late = thread_state.failure;
    kiln_sim_device_unlock(device);
}

hipError_t kiln_sim_hip_take_late(void)
{
    kiln_sim_device_t *device = kiln_sim_device_lock();
    kiln_sim_error_t late = device->late;
    device->late.code = 0;
    kiln_sim_device_unlock(device);
    return late.code ? kiln_sim_hip_error(&late) : 0;
}

const char *hipGetErrorName(hipError_t error)
{
    return errors[find_error(error)].name;
}

const char *hipGetErrorString(hipError_t error)
{
    const char *text = errors[find_error(error)].text;
    if (error == 0 || thread_state.failure.code != error || strcmp(thread_state.failure.text, text) == 0)
        return text;
    snprintf(thread_state.text, sizeof thread_state.text, "%s: %s", text, thread_state.failure.text);
    return thread_state.text;
}

hipError_t hipDrvGetErrorName(hipError_t error, const char **text)
{
    if (!text)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *text = hipGetErrorName(error);
    return 0;
}

hipError_t hipDrvGetErrorString(hipError_t error, const char **text)
{
    if (!text)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *text = hipGetErrorString(error);
    return 0;
}

hipError_t hipGetLastError(void)
{
    hipError_t last = thread_state.last_error;
    thread_state.last_error = 0;
    return last;
}

hipError_t hipPeekAtLastError(void)
{
    return thread_state.last_error;
}

const char *kilnSimGetLastErrorMessage(void)
{
    return thread_state.failure.text;
}

// ---- what came of the thread's last launch

static pthread_key_t result_key;
static pthread_once_t result_once = PTHREAD_ONCE_INIT;

static void free_result(void *result)
{
    kiln_sim_result_free(result);
}

static void make_key(void)
{
    pthread_key_create(&result_key, free_result);
}

kiln_sim_result_t *kiln_sim_hip_result(void)
{
    pthread_once(&result_once, make_key);
    return pthread_getspecific(result_key);
}

void kiln_sim_hip_set_result(kiln_sim_result_t *result)
{
    kiln_sim_result_t *last = kiln_sim_hip_result();
    if (last != result)
        kiln_sim_result_free(last);
    pthread_setspecific(result_key, result);
}

int kilnSimGetLaunchStats(kiln_sim_launch_stats_t *stats)
{
    return kiln_sim_result_stats(kiln_sim_hip_result(), stats) ? 0 : KILN_SIM_INVALID_VALUE;
}

int kilnSimGetPrediction(kiln_sim_prediction_t *prediction)
{
    return kiln_sim_result_prediction(kiln_sim_hip_result(), prediction) ? 0 : KILN_SIM_INVALID_VALUE;
}

int kilnSimGetLine(size_t index, kiln_sim_line_t *line)
{
    return kiln_sim_result_line(kiln_sim_hip_result(), index, line) ? 0 : KILN_SIM_INVALID_VALUE;
}

int kilnSimGetFinding(size_t index, kiln_sim_finding_t *finding)
{
    return kiln_sim_result_finding(kiln_sim_hip_result(), index, finding) ? 0 : KILN_SIM_INVALID_VALUE;
}

const char *kilnSimGetSupportedChecks(void)
{
    return kiln_sim_checks();
}
