// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GWS resources. CDNA3 ISA guide, section 11.4 and DS_GWS_* in chapter 12.
//
// A barrier counts down from its value, the number of waves - 1; the wave that finds zero releases
// the others and sets the value of the next round. A semaphore is a counter of credits with a
// queue: waves take numbers and are served in order.
//
// A released wave counts as served at once, even before its host thread notices; a wave that
// arrives later cannot take its place.
#include "run/gws.h"

#include <pthread.h>
#include <stdlib.h>

#include "run/launch.h"

enum { RESOURCES = 64 };

typedef struct resource {
    uint32_t counter;      // barrier: waves still to arrive, minus one; semaphore: credits
    uint64_t rounds;       // completed rounds of the barrier
    uint64_t given, taken; // numbers of the semaphore's queue: assigned, served
} resource_t;

struct kiln_sim_gws {
    pthread_mutex_t lock; // protects everything below and kiln_sim_launch_t.gws_*
    pthread_cond_t changed;
    uint64_t changes; // also read without the lock
    resource_t resources[RESOURCES];
};

kiln_sim_gws_t *kiln_sim_gws_create(void)
{
    kiln_sim_gws_t *gws = calloc(1, sizeof *gws);
    if (gws) {
        pthread_mutex_init(&gws->lock, NULL);
        pthread_cond_init(&gws->changed, NULL);
    }
    return gws;
}

void kiln_sim_gws_destroy(kiln_sim_gws_t *gws)
{
    if (gws) {
        pthread_mutex_destroy(&gws->lock);
        pthread_cond_destroy(&gws->changed);
    }
    free(gws);
}

static kiln_sim_gws_t *gws_of(const kiln_sim_wave_t *wave)
{
    return wave->thread->launch->machine->gws;
}

static void hold(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, kiln_sim_gws_op_t op,
                 unsigned id, uint64_t ticket)
{
    wave->gws_inst = inst;
    wave->gws_resource = (uint8_t)id;
    wave->gws_barrier = op == KILN_SIM_GWS_BARRIER;
    wave->gws_ticket = ticket;
    kiln_sim_wave_stop(wave, KILN_SIM_STOP_GWS, wave->next);
}

static void changed(kiln_sim_gws_t *gws)
{
    __atomic_fetch_add(&gws->changes, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&gws->changed);
}

// Queued waves get credits first.
static void release(kiln_sim_gws_t *gws, resource_t *r, uint64_t credits)
{
    uint64_t waiting = r->given - r->taken, served = waiting < credits ? waiting : credits;
    r->taken += served;
    r->counter += (uint32_t)(credits - served);
    changed(gws);
}

void kiln_sim_gws_perform(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, kiln_sim_gws_op_t op,
                          uint32_t value)
{
    kiln_sim_gws_t *gws = gws_of(wave);
    unsigned id = ((wave->m0 >> 16) + (uint32_t)inst->imm) % RESOURCES;
    pthread_mutex_lock(&gws->lock);
    resource_t *r = &gws->resources[id];
    switch (op) {
    case KILN_SIM_GWS_INIT:
        r->counter = value;
        break;
    case KILN_SIM_GWS_BARRIER:
        if (r->counter == 0) {
            r->counter = value;
            r->rounds++;
            changed(gws);
        } else {
            r->counter--;
            hold(wave, inst, op, id, r->rounds);
        }
        break;
    case KILN_SIM_GWS_SEMA_V:
        release(gws, r, 1);
        break;
    case KILN_SIM_GWS_SEMA_BR:
        release(gws, r, value);
        break;
    case KILN_SIM_GWS_SEMA_P:
        if (r->counter)
            r->counter--;
        else
            hold(wave, inst, op, id, r->given++);
        break;
    case KILN_SIM_GWS_RELEASE_ALL:
        release(gws, r, r->given - r->taken);
        break;
    }
    pthread_mutex_unlock(&gws->lock);
}

void kiln_sim_gws_start(kiln_sim_gws_t *gws, uint64_t workgroups)
{
    pthread_mutex_lock(&gws->lock);
    gws->resources[0].counter = (uint32_t)(workgroups - 1);
    pthread_mutex_unlock(&gws->lock);
}

bool kiln_sim_gws_ready(const kiln_sim_wave_t *wave)
{
    kiln_sim_gws_t *gws = gws_of(wave);
    pthread_mutex_lock(&gws->lock);
    const resource_t *r = &gws->resources[wave->gws_resource];
    bool ready = wave->gws_barrier ? r->rounds != wave->gws_ticket : wave->gws_ticket < r->taken;
    pthread_mutex_unlock(&gws->lock);
    return ready;
}

uint64_t kiln_sim_gws_changes(const kiln_sim_gws_t *gws)
{
    return __atomic_load_n(&gws->changes, __ATOMIC_ACQUIRE);
}

bool kiln_sim_gws_wait(kiln_sim_launch_t *launch, uint64_t seen)
{
    kiln_sim_gws_t *gws = launch->machine->gws;
    pthread_mutex_lock(&gws->lock);
    if (gws->changes == seen) {
        if (launch->gws_blocked_at != seen)
            launch->gws_blocked =
                0; // threads blocked before the last change no longer are, even if they still sleep
        launch->gws_blocked_at = seen;
        launch->gws_blocked++;
    }
    while (gws->changes == seen && launch->gws_blocked < launch->gws_threads)
        pthread_cond_wait(&gws->changed, &gws->lock);
    bool hopeful = gws->changes != seen;
    pthread_mutex_unlock(&gws->lock);
    return hopeful;
}

void kiln_sim_gws_leave(kiln_sim_launch_t *launch, unsigned count)
{
    kiln_sim_gws_t *gws = launch->machine->gws;
    pthread_mutex_lock(&gws->lock);
    __atomic_fetch_sub(&launch->gws_threads, count,
                       __ATOMIC_RELEASE); // run/spin.c reads it without the lock
    pthread_cond_broadcast(&gws->changed);
    pthread_mutex_unlock(&gws->lock);
}

void kiln_sim_gws_abandon(kiln_sim_gws_t *gws)
{
    pthread_mutex_lock(&gws->lock);
    for (unsigned i = 0; i < RESOURCES; i++)
        gws->resources[i].taken = gws->resources[i].given;
    changed(gws);
    pthread_mutex_unlock(&gws->lock);
}
