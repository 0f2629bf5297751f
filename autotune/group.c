// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group of processes: a thread of rank 0 gives out candidates, while the rank's own thread tries
// some itself.
//
//     rank r                  rank 0
//     HELLO             →                        has its lock, so that its death is seen
//                       ←     BEGIN              the stores of an earlier group have been added
//     REQUEST (result)  →     ANSWER (index)     again and again; no index: the end
//     CLOSED (failure)  →                        its store is complete
//                       ←     FINISH             the whole group is done
//
// The calls of Open MPI are made by one thread at a time: those of rank 0 by its service thread
// while that runs.
#include "group.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/require.h"
#include "group_files.h"
#include "group_queue.h"
#include "mpi.h"

enum { HELLO = 1, BEGIN, REQUEST, ANSWER, CLOSED, FINISH };
enum {
    TEXT_SIZE = 512,
    PAUSE_US = 500,     // between two checks for messages
    EXAMINE_MS = 100,   // between two checks for lost ranks
    JOIN_MS = 60 * 1000 // for all ranks to send HELLO
};
#define NONE UINT64_MAX // no candidate

typedef struct message {
    uint64_t index, done, total;
    double cost;
    kiln_hash_t agreement;
    int32_t verdict; // or status code
    char text[TEXT_SIZE];
} message_t;

typedef struct peer {
    enum { UNKNOWN, ACTIVE, DONE, LOST } state;
    bool is_trying; // a candidate
    kiln_status_code_t code;
    char *failure; // of its part; NULL: none
} peer_t;

typedef struct outcome {
    struct outcome *next;
    message_t message;
} outcome_t;

struct kiln_tune_group {
    kiln_mpi_t *mpi;
    size_t rank, size;
    char *path, *own_path;
    int lock;
    bool has_seen_leader; // that the lock of rank 0 is held
    uint64_t tried;       // the current candidate
    char reason[TEXT_SIZE];
    kiln_hash_t agreement;
    // Of rank 0:
    pthread_t service;
    bool has_service;
    pthread_mutex_t mutex;        // of the following members
    kiln_group_queue_t *queue;    // NULL before and after the search
    bool is_over, is_leaving;     // gives out no more; ends when no rank is left
    peer_t *peers;                // by rank; the first is not used
    outcome_t *first, **last;     // of other ranks, to be reported
    kiln_status_t service_status; // why the service ended early
};

static void pause_briefly(void)
{
    usleep(PAUSE_US);
}

static void copy_text(char to[TEXT_SIZE], const char *from)
{
    snprintf(to, TEXT_SIZE, "%s", from);
}

// Other ranks -------------------------------------------------------------------------------------

static kiln_status_t send_to(kiln_tune_group_t *group, size_t rank, int tag,
                             const message_t *message)
{
    return kiln_mpi_send(group->mpi, rank, tag, message, sizeof *message);
}

static bool is_lost(kiln_group_lock_state_t state)
{
    return state == KILN_GROUP_LOCK_FREE || state == KILN_GROUP_LOCK_MISSING;
}

// Whether rank 0 held its lock and has lost it. A free lock alone may be that of an earlier group.
static bool has_lost_leader(kiln_tune_group_t *group)
{
    const kiln_group_lock_state_t state = kiln_group_lock_state(group->path, 0);
    group->has_seen_leader |= state == KILN_GROUP_LOCK_HELD;
    return group->has_seen_leader && is_lost(state);
}

// Waits for a message of rank 0.
static kiln_status_t wait_for(kiln_tune_group_t *group, int tag, message_t *out_message)
{
    double examined = kiln_now_ms();
    for (;;) {
        size_t from;
        bool is_there;
        KILN_TRY(
            kiln_mpi_receive(group->mpi, tag, out_message, sizeof *out_message, &from, &is_there));
        if (is_there)
            return KILN_OK;
        if (kiln_now_ms() - examined > EXAMINE_MS) {
            if (has_lost_leader(group))
                return kiln_status_make(KILN_STATUS_UNAVAILABLE,
                                        "rank 0 has died; the same command continues the search");
            examined = kiln_now_ms();
        }
        pause_briefly();
    }
}

// The service of rank 0 ---------------------------------------------------------------------------

static void note_outcome(kiln_tune_group_t *group, const message_t *message)
{
    kiln_group_queue_report(group->queue, message->index, (kiln_tune_verdict_t)message->verdict,
                            message->cost);
    outcome_t *outcome = malloc(sizeof *outcome);
    if (!outcome)
        return; // it is in its rank's store, but not shown
    *outcome = (outcome_t){.message = *message};
    outcome->message.done = kiln_group_queue_done(group->queue);
    *group->last = outcome;
    group->last = &outcome->next;
}

// Takes the next candidate from the queue; no index if there is none.
static kiln_status_t take_next(kiln_tune_group_t *group, message_t *answer)
{
    size_t index;
    answer->index = NONE;
    if (!group->queue || group->is_over)
        return KILN_OK;
    KILN_TRY(kiln_group_queue_next(group->queue, &index));
    if (index < kiln_group_queue_count(group->queue))
        answer->index = index;
    return KILN_OK;
}

static kiln_status_t serve(kiln_tune_group_t *group, size_t from, const message_t *request)
{
    peer_t *peer = &group->peers[from];
    message_t answer = {.index = NONE};
    kiln_status_t status = KILN_OK;
    pthread_mutex_lock(&group->mutex);
    const bool agrees = !group->queue || (request->agreement.low == group->agreement.low &&
                                          request->agreement.high == group->agreement.high);
    if (group->queue && agrees && request->index != NONE)
        note_outcome(group, request);
    if (agrees)
        status = take_next(group, &answer);
    else
        copy_text(answer.text, "its candidates, arguments or device differ from those of rank 0");
    peer->is_trying = answer.index != NONE;
    pthread_mutex_unlock(&group->mutex);
    kiln_status_t sent = send_to(group, from, ANSWER, &answer);
    kiln_status_free(sent); // a rank that cannot be reached is found lost
    return status;
}

static void close_peer(kiln_tune_group_t *group, size_t from, const message_t *message)
{
    peer_t *peer = &group->peers[from];
    pthread_mutex_lock(&group->mutex);
    peer->state = DONE;
    peer->is_trying = false;
    peer->code = (kiln_status_code_t)message->verdict;
    peer->failure = message->text[0] ? strdup(message->text) : NULL;
    pthread_mutex_unlock(&group->mutex);
}

static void find_lost(kiln_tune_group_t *group)
{
    for (size_t i = 1; i < group->size; i++) {
        if (group->peers[i].state != ACTIVE || !is_lost(kiln_group_lock_state(group->path, i)))
            continue;
        pthread_mutex_lock(&group->mutex);
        group->peers[i].state = LOST;
        group->peers[i].is_trying = false;
        pthread_mutex_unlock(&group->mutex);
    }
}

static bool has_state(const kiln_tune_group_t *group, int state)
{
    for (size_t i = 1; i < group->size; i++)
        if ((int)group->peers[i].state == state)
            return true;
    return false;
}

// Receives one message, if there is one. Requests wait until the search has begun here, too.
static kiln_status_t look_for_message(kiln_tune_group_t *group, bool *out_found)
{
    size_t from;
    message_t message;
    KILN_TRY(kiln_mpi_receive(group->mpi, CLOSED, &message, sizeof message, &from, out_found));
    if (*out_found) {
        close_peer(group, from, &message);
        return KILN_OK;
    }
    pthread_mutex_lock(&group->mutex);
    const bool serves = group->queue || group->is_over;
    pthread_mutex_unlock(&group->mutex);
    if (!serves)
        return KILN_OK;
    KILN_TRY(kiln_mpi_receive(group->mpi, REQUEST, &message, sizeof message, &from, out_found));
    return *out_found ? serve(group, from, &message) : KILN_OK;
}

static void *run_service(void *user)
{
    kiln_tune_group_t *group = user;
    double examined = kiln_now_ms();
    kiln_status_t status = KILN_OK;
    while (!status) {
        bool found;
        status = look_for_message(group, &found);
        if (found)
            continue;
        if (kiln_now_ms() - examined > EXAMINE_MS) {
            find_lost(group);
            examined = kiln_now_ms();
        }
        pthread_mutex_lock(&group->mutex);
        const bool ends = group->is_leaving && !has_state(group, ACTIVE);
        pthread_mutex_unlock(&group->mutex);
        if (ends)
            break;
        pause_briefly();
    }
    pthread_mutex_lock(&group->mutex);
    group->service_status = status;
    group->is_over |= status != KILN_OK;
    for (size_t i = 1; i < group->size && status; i++)
        group->peers[i].is_trying = false; // their results are not received any more
    pthread_mutex_unlock(&group->mutex);
    return NULL;
}

// Joining -----------------------------------------------------------------------------------------

// Waits for HELLO from all ranks. Those that do not send it in time count as lost.
static kiln_status_t collect_peers(kiln_tune_group_t *group)
{
    const double end = kiln_now_ms() + JOIN_MS;
    while (has_state(group, UNKNOWN) && kiln_now_ms() < end) {
        size_t from;
        bool found;
        message_t message;
        KILN_TRY(kiln_mpi_receive(group->mpi, HELLO, &message, sizeof message, &from, &found));
        if (found)
            group->peers[from].state = ACTIVE;
        else
            pause_briefly();
    }
    for (size_t i = 1; i < group->size; i++)
        if (group->peers[i].state == UNKNOWN)
            group->peers[i].state = LOST;
    return KILN_OK;
}

static kiln_status_t lead(kiln_tune_group_t *group)
{
    const message_t begin = {.index = NONE};
    KILN_TRY(kiln_group_add_stores(group->path));
    KILN_TRY(collect_peers(group));
    for (size_t i = 1; i < group->size; i++)
        if (group->peers[i].state == ACTIVE)
            KILN_TRY(send_to(group, i, BEGIN, &begin));
    if (pthread_create(&group->service, NULL, run_service, group) != 0)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "cannot start a thread");
    group->has_service = true;
    return KILN_OK;
}

static kiln_status_t follow(kiln_tune_group_t *group)
{
    message_t message = {.index = NONE};
    KILN_TRY(send_to(group, 0, HELLO, &message));
    KILN_TRY(wait_for(group, BEGIN, &message));
    group->has_seen_leader = true; // it took its lock first
    return KILN_OK;
}

static kiln_status_t join(const char *store, kiln_tune_group_t *group)
{
    KILN_TRY(kiln_mpi_open(&group->mpi));
    group->rank = kiln_mpi_rank(group->mpi);
    group->size = kiln_mpi_size(group->mpi);
    group->path = strdup(store);
    group->own_path = kiln_group_store_path(store, group->rank);
    group->peers = calloc(group->size, sizeof *group->peers);
    if (!group->path || !group->own_path || !group->peers)
        return kiln_status_out_of_memory();
    KILN_TRY(kiln_group_lock(store, group->rank, &group->lock));
    return group->rank == 0 ? lead(group) : follow(group);
}

static void release(kiln_tune_group_t *group)
{
    for (outcome_t *outcome = group->first, *next; outcome; outcome = next) {
        next = outcome->next;
        free(outcome);
    }
    for (size_t i = 0; i < group->size && group->peers; i++)
        free(group->peers[i].failure);
    if (group->path)
        kiln_group_unlock(group->path, group->rank, group->lock);
    pthread_mutex_destroy(&group->mutex);
    kiln_status_free(group->service_status);
    free(group->peers);
    free(group->own_path);
    free(group->path);
    free(group);
}

kiln_status_t kiln_tune_group_join(const char *store, kiln_tune_group_t **out_group)
{
    KILN_REQUIRE_OUT(out_group);
    KILN_REQUIRE(store);
    kiln_tune_group_t *group = calloc(1, sizeof *group);
    if (!group)
        return kiln_status_out_of_memory();
    pthread_mutex_init(&group->mutex, NULL);
    group->lock = -1;
    group->tried = NONE;
    group->last = &group->first;
    kiln_status_t status = join(store, group);
    if (status) { // mpirun ends the other ranks, as this one does not finalize
        kiln_mpi_close(group->mpi, false);
        release(group);
        return status;
    }
    *out_group = group;
    return KILN_OK;
}

size_t kiln_tune_group_rank(const kiln_tune_group_t *group)
{
    return group ? group->rank : 0;
}

size_t kiln_tune_group_size(const kiln_tune_group_t *group)
{
    return group ? group->size : 1;
}

const char *kiln_tune_group_store(const kiln_tune_group_t *group)
{
    return group ? group->own_path : NULL;
}

// The search --------------------------------------------------------------------------------------

// Hashes what the ranks must have in common.
static kiln_status_t agree(const kiln_tune_key_t *key, const char *conditions,
                           const kiln_tune_candidate_t *candidates, size_t count,
                           kiln_hash_t *out_hash)
{
    const char *const texts[] = {key->kernel, key->problem,   key->device, key->arguments,
                                 key->fixed,  kiln_code_id(), conditions};
    kiln_hasher_t *hasher = kiln_hasher_create();
    if (!hasher)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        kiln_hasher_string(hasher, texts[i]);
    for (size_t i = 0; i < count; i++)
        kiln_hasher_string(hasher, candidates[i].config);
    *out_hash = kiln_hasher_finish(hasher);
    kiln_hasher_release(hasher);
    return KILN_OK;
}

kiln_status_t kiln_group_begin(kiln_tune_group_t *group, const kiln_tune_problem_t *problem,
                               const kiln_tune_key_t *key, const kiln_tune_candidate_t *candidates,
                               const kiln_tune_sample_t *samples, size_t count)
{
    kiln_group_queue_t *queue;
    KILN_TRY(agree(key, problem->conditions, candidates, count, &group->agreement));
    if (group->rank)
        return KILN_OK;
    KILN_TRY(kiln_group_queue_create(problem, candidates, samples, count, &queue));
    pthread_mutex_lock(&group->mutex);
    group->queue = queue;
    pthread_mutex_unlock(&group->mutex);
    return KILN_OK;
}

static void fill_result(message_t *message, uint64_t index, const kiln_tune_sample_t *tried)
{
    message->index = tried ? index : NONE;
    if (!tried)
        return;
    message->verdict = (int32_t)tried->verdict;
    message->cost = tried->verdict == KILN_TUNE_OK ? tried->cost : 0;
    copy_text(message->text, tried->reason);
}

static kiln_status_t request_turn(kiln_tune_group_t *group, const kiln_tune_sample_t *tried,
                                  kiln_group_turn_t *turn)
{
    message_t message = {.agreement = group->agreement};
    fill_result(&message, group->tried, tried);
    KILN_TRY(send_to(group, 0, REQUEST, &message));
    KILN_TRY(wait_for(group, ANSWER, &message));
    if (message.text[0])
        return kiln_status_make(KILN_STATUS_USAGE, "%s", message.text);
    group->tried = message.index;
    turn->what = message.index == NONE ? KILN_GROUP_END : KILN_GROUP_TRY;
    turn->index = (size_t)message.index;
    return KILN_OK;
}

// A result of another rank that has not been reported, if there is one.
static bool take_outcome(kiln_tune_group_t *group, kiln_group_turn_t *turn)
{
    outcome_t *outcome = group->first;
    if (!outcome)
        return false;
    const message_t *message = &outcome->message;
    turn->what = KILN_GROUP_REPORT;
    turn->index = (size_t)message->index;
    turn->done = (size_t)message->done;
    turn->verdict = (kiln_tune_verdict_t)message->verdict;
    turn->cost = message->cost;
    copy_text(group->reason, message->text);
    turn->reason = group->reason;
    if (!(group->first = outcome->next))
        group->last = &group->first;
    free(outcome);
    return true;
}

static bool some_are_trying(const kiln_tune_group_t *group)
{
    for (size_t i = 1; i < group->size; i++)
        if (group->peers[i].is_trying)
            return true;
    return false;
}

// A turn of rank 0, if there is one now. The mutex is held.
static kiln_status_t take_turn(kiln_tune_group_t *group, kiln_group_turn_t *turn, bool *out_taken)
{
    message_t own;
    turn->done = kiln_group_queue_done(group->queue);
    turn->total = kiln_group_queue_planned(group->queue);
    *out_taken = true;
    if (take_outcome(group, turn))
        return KILN_OK;
    KILN_TRY(take_next(group, &own));
    turn->index = (size_t)own.index;
    turn->what = own.index == NONE ? KILN_GROUP_END : KILN_GROUP_TRY;
    *out_taken = turn->what == KILN_GROUP_TRY || !some_are_trying(group);
    return KILN_OK;
}

kiln_status_t kiln_group_next(kiln_tune_group_t *group, const kiln_tune_sample_t *tried,
                              kiln_group_turn_t *out_turn)
{
    *out_turn = (kiln_group_turn_t){.what = KILN_GROUP_END};
    if (group->rank)
        return request_turn(group, tried, out_turn);
    bool is_taken = false;
    kiln_status_t status = KILN_OK;
    pthread_mutex_lock(&group->mutex);
    if (tried)
        kiln_group_queue_report(group->queue, group->tried, tried->verdict, tried->cost);
    while (!status && !is_taken) {
        status = take_turn(group, out_turn, &is_taken);
        if (status || is_taken)
            break;
        pthread_mutex_unlock(&group->mutex);
        pause_briefly();
        pthread_mutex_lock(&group->mutex);
    }
    if (out_turn->what == KILN_GROUP_TRY)
        group->tried = out_turn->index;
    pthread_mutex_unlock(&group->mutex);
    return status;
}

void kiln_group_end(kiln_tune_group_t *group)
{
    if (group->rank)
        return;
    pthread_mutex_lock(&group->mutex);
    group->is_over = true;
    kiln_group_queue_release(group->queue);
    group->queue = NULL;
    pthread_mutex_unlock(&group->mutex);
}

// The end -----------------------------------------------------------------------------------------

static kiln_status_t close_part(kiln_tune_group_t *group, kiln_status_t failure)
{
    message_t message = {.index = NONE, .verdict = (int32_t)kiln_status_code(failure)};
    if (failure)
        copy_text(message.text, kiln_status_message(failure));
    kiln_status_t status = send_to(group, 0, CLOSED, &message);
    if (status && failure) {
        kiln_status_free(status);
        return failure;
    }
    kiln_status_free(failure);
    return status;
}

// The failure of the first other rank that has one.
static kiln_status_t failure_of_peer(const kiln_tune_group_t *group)
{
    for (size_t i = 1; i < group->size; i++)
        if (group->peers[i].failure)
            return kiln_status_make(group->peers[i].code, "rank %zu: %s", i,
                                    group->peers[i].failure);
    return KILN_OK;
}

static void keep_first(kiln_status_t *io_status, kiln_status_t other)
{
    if (*io_status)
        kiln_status_free(other);
    else
        *io_status = other;
}

kiln_status_t kiln_tune_group_gather(kiln_tune_group_t *group, kiln_status_t failure)
{
    if (!group) {
        kiln_status_free(failure);
        return kiln_status_make(KILN_STATUS_USAGE, "%s: group is NULL", __func__);
    }
    if (group->rank)
        return close_part(group, failure);
    pthread_mutex_lock(&group->mutex);
    group->is_over = group->is_leaving = true;
    pthread_mutex_unlock(&group->mutex);
    if (group->has_service)
        pthread_join(group->service, NULL);
    group->has_service = false;
    keep_first(&failure, group->service_status);
    group->service_status = KILN_OK;
    keep_first(&failure, failure_of_peer(group));
    keep_first(&failure, kiln_group_add_stores(group->path));
    return failure;
}

size_t kiln_tune_group_lost(const kiln_tune_group_t *group)
{
    size_t lost = 0;
    for (size_t i = 1; group && group->rank == 0 && i < group->size; i++)
        lost += group->peers[i].state == LOST;
    return lost;
}

void kiln_tune_group_leave(kiln_tune_group_t *group)
{
    if (!group)
        return;
    // MPI_Finalize is collective: it never returns while ranks are lost or still trying candidates.
    message_t message = {.index = 0};
    kiln_status_t status = KILN_OK;
    for (size_t i = 1; i < group->size && group->rank == 0; i++)
        message.index += group->peers[i].state != DONE;
    for (size_t i = 1; i < group->size && group->rank == 0; i++)
        if (group->peers[i].state == DONE)
            kiln_status_free(send_to(group, i, FINISH, &message));
    if (group->rank)
        status = wait_for(group, FINISH, &message);
    kiln_mpi_close(group->mpi, !status && message.index == 0);
    kiln_status_free(status);
    release(group);
}
