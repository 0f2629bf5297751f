// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: errors, and Kiln's additions to them.
//
// For the last error of the calling thread, hipGetErrorString() also includes the reason. This is
// how the simulator's findings reach programs that are not written for the simulator.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_sim/entry.h"

static __thread struct {
    hipError_t last_error;
    kiln_sim_error_t failure; // of the last failing call
    char text[1200];
} thread_state;

static const struct {
    int code;
    const char *name, *text;
} errors[] = {
#define HIP_ERROR(code, name, text) {code, #name, text},
#include "hip_sim/device/errors.def"
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

kiln_sim_hip_error_state_t kiln_sim_hip_save_error_state(void)
{
    return (kiln_sim_hip_error_state_t){thread_state.last_error, thread_state.failure};
}

void kiln_sim_hip_restore_error_state(const kiln_sim_hip_error_state_t *saved)
{
    thread_state.last_error = saved->last_error;
    thread_state.failure = saved->failure;
}

const kiln_sim_error_t *kiln_sim_hip_failure(void)
{
    return &thread_state.failure;
}

__thread const char *kiln_sim_call;

void kiln_sim_call_end(const char *const *outer)
{
    kiln_sim_call = *outer;
}

hipError_t kiln_sim_hip_unsupported(const char *name, const char *what)
{
    char text[160];
    snprintf(text, sizeof text, "the simulator does not support %s%s%s", name, *what ? ": " : "",
             what);
    if (getenv("KILN_LOG"))
        fprintf(stderr, "kiln: %s\n", text);
    return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, text);
}

const char *hipGetErrorName(hipError_t error)
{
    return errors[find_error(error)].name;
}

const char *hipGetErrorString(hipError_t error)
{
    const char *text = errors[find_error(error)].text;
    if (error == 0 || thread_state.failure.code != error ||
        strcmp(thread_state.failure.text, text) == 0)
        return text;
    snprintf(thread_state.text, sizeof thread_state.text, "%s: %s", text,
             thread_state.failure.text);
    return thread_state.text;
}

hipError_t hipDrvGetErrorName(hipError_t error, const char **text)
{
    if (!text)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *text = hipGetErrorName(error);
    return errors[find_error(error)].code == error
               ? 0
               : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "invalid error code");
}

hipError_t hipDrvGetErrorString(hipError_t error, const char **text)
{
    if (!text)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *text = hipGetErrorString(error);
    return errors[find_error(error)].code == error
               ? 0
               : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "invalid error code");
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

hipError_t hipExtGetLastError(void)
{
    return hipGetLastError();
}

// ---- result of a thread's last launch

struct kiln_sim_client {
    unsigned references, in_flight; // atomic
    pthread_mutex_t lock;
    pthread_cond_t ended;
    kiln_sim_result_t *result;
};

static pthread_key_t client_key;
static pthread_once_t client_once = PTHREAD_ONCE_INIT;
static __thread kiln_sim_client_t *acting;

static void release_client(void *data)
{
    kiln_sim_client_t *client = data;
    if (!client || __atomic_sub_fetch(&client->references, 1, __ATOMIC_ACQ_REL))
        return;
    kiln_sim_result_free(client->result);
    pthread_mutex_destroy(&client->lock);
    pthread_cond_destroy(&client->ended);
    free(client);
}

static bool has_key;

static void make_key(void)
{
    has_key = pthread_key_create(&client_key, release_client) == 0;
}

// Threads may outlive the library and would then call the key's destructor, whose code is unloaded.
__attribute__((destructor)) static void forget_key(void)
{
    if (has_key)
        pthread_key_delete(client_key);
}

kiln_sim_client_t *kiln_sim_client(void)
{
    if (acting)
        return acting;
    pthread_once(&client_once, make_key);
    kiln_sim_client_t *client = pthread_getspecific(client_key);
    if (client || !(client = calloc(1, sizeof *client)))
        return client;
    client->references = 1;
    pthread_mutex_init(&client->lock, NULL);
    pthread_cond_init(&client->ended, NULL);
    pthread_setspecific(client_key, client);
    return client;
}

void kiln_sim_client_act(kiln_sim_client_t *client)
{
    acting = client;
}

void kiln_sim_client_begin(kiln_sim_client_t *client)
{
    if (!client)
        return;
    __atomic_fetch_add(&client->references, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&client->lock);
    client->in_flight++;
    pthread_mutex_unlock(&client->lock);
}

void kiln_sim_client_end(kiln_sim_client_t *client)
{
    if (!client)
        return;
    pthread_mutex_lock(&client->lock);
    if (--client->in_flight == 0)
        pthread_cond_broadcast(&client->ended);
    pthread_mutex_unlock(&client->lock);
    if (client == acting)
        acting = NULL;
    release_client(client);
}

void kiln_sim_client_lost(kiln_sim_client_t *client)
{
    if (!client)
        return;
    pthread_mutex_init(&client->lock, NULL);
    pthread_cond_init(&client->ended, NULL);
    client->in_flight = 0;
}

void kiln_sim_hip_set_result(kiln_sim_result_t *result)
{
    kiln_sim_client_t *client = kiln_sim_client();
    if (!client) {
        kiln_sim_result_free(result);
        return;
    }
    pthread_mutex_lock(&client->lock);
    kiln_sim_result_free(client->result);
    client->result = result;
    pthread_mutex_unlock(&client->lock);
}

void kiln_sim_hip_report_misuse(const kiln_sim_device_t *device, const char *call, const char *text)
{
    kiln_sim_client_t *client = kiln_sim_client();
    if (!client)
        return;
    pthread_mutex_lock(&client->lock);
    kiln_sim_machine_blame(device->machine, &client->result, call, text);
    pthread_mutex_unlock(&client->lock);
}

// Waits for the thread's last launch and returns its result; NULL before the first.
static const kiln_sim_result_t *last_result(void)
{
    kiln_sim_client_t *client = kiln_sim_client();
    if (!client)
        return NULL;
    pthread_mutex_lock(&client->lock);
    while (client->in_flight)
        pthread_cond_wait(&client->ended, &client->lock);
    const kiln_sim_result_t *result = client->result;
    pthread_mutex_unlock(&client->lock);
    return result;
}

int kilnSimGetLaunchStats(kiln_sim_launch_stats_t *stats)
{
    return kiln_sim_result_stats(last_result(), stats) ? 0 : KILN_SIM_INVALID_VALUE;
}

int kilnSimGetPrediction(kiln_sim_prediction_t *prediction)
{
    return kiln_sim_result_prediction(last_result(), prediction) ? 0 : KILN_SIM_INVALID_VALUE;
}

int kilnSimGetLine(size_t index, kiln_sim_line_t *line)
{
    return kiln_sim_result_line(last_result(), index, line) ? 0 : KILN_SIM_INVALID_VALUE;
}

int kilnSimReplay(const kiln_sim_supposition_t *supposition, kiln_sim_prediction_t *prediction)
{
    const kiln_sim_device_t *device = kiln_sim_device();
    const kiln_sim_result_t *result = last_result();
    return device->machine &&
                   kiln_sim_machine_replay(device->machine, result, supposition, prediction)
               ? 0
               : KILN_SIM_INVALID_VALUE;
}

int kilnSimGetFinding(size_t index, kiln_sim_finding_t *finding)
{
    return kiln_sim_result_finding(last_result(), index, finding) ? 0 : KILN_SIM_INVALID_VALUE;
}

const char *kilnSimGetSupportedChecks(void)
{
    return kiln_sim_checks();
}
