// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoder that all programs of the process share. A lock protects it, since programs of
// different machines, each with its own lock, use it at the same time.
#include <pthread.h>

#include "decode/mc.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects everything below
static kiln_sim_mc_t *mc;
static size_t holders;

bool kiln_sim_shared_mc_hold(void)
{
    pthread_mutex_lock(&lock);
    if (!mc)
        mc = kiln_sim_mc_create();
    const bool held = mc != NULL;
    holders += held;
    pthread_mutex_unlock(&lock);
    return held;
}

void kiln_sim_shared_mc_release(void)
{
    pthread_mutex_lock(&lock);
    if (--holders == 0) {
        kiln_sim_mc_destroy(mc);
        mc = NULL;
    }
    pthread_mutex_unlock(&lock);
}

unsigned kiln_sim_shared_mc_decode(const uint8_t *bytes, size_t count, uint64_t address, char *text,
                                   size_t text_size)
{
    pthread_mutex_lock(&lock);
    const unsigned size = kiln_sim_mc_decode(mc, bytes, count, address, text, text_size);
    pthread_mutex_unlock(&lock);
    return size;
}
