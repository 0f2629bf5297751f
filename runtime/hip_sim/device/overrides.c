// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options for some calls only: a client of the library can have its launches checked, limited or
// predicted without changing the launches of the rest of the process. Overrides apply to the
// calling thread, and to the work that it enqueues in streams meanwhile, whichever thread executes
// the work.
#include "hip_sim/device/overrides.h"

#include <stdlib.h>
#include <string.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"

struct kiln_sim_hip_overrides {
    unsigned references; // atomic
    kiln_sim_overrides_t *machine;
    bool has_async, async;
};

static __thread kiln_sim_hip_overrides_t *current;

kiln_sim_hip_overrides_t *kiln_sim_hip_overrides_hold(void)
{
    if (current)
        __atomic_fetch_add(&current->references, 1, __ATOMIC_RELAXED);
    return current;
}

void kiln_sim_hip_overrides_release(kiln_sim_hip_overrides_t *overrides)
{
    if (!overrides || __atomic_sub_fetch(&overrides->references, 1, __ATOMIC_ACQ_REL))
        return;
    kiln_sim_overrides_release(overrides->machine);
    free(overrides);
}

kiln_sim_hip_overrides_t *kiln_sim_hip_overrides_use(kiln_sim_hip_overrides_t *overrides)
{
    kiln_sim_hip_overrides_t *before = current;
    current = overrides;
    kiln_sim_overrides_use(overrides ? overrides->machine : NULL);
    return before;
}

bool kiln_sim_hip_overrides_async(bool otherwise)
{
    return current && current->has_async ? current->async : otherwise;
}

int kilnSimOverridesCreate(int ordinal, void **out)
{
    kiln_sim_device_t *device = kiln_sim_device_at(ordinal);
    if (!out || !device)
        return (int)kiln_sim_hip_fail(out ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    *out = NULL;
    if (device->broken.code)
        return (int)kiln_sim_hip_error(&device->broken);
    kiln_sim_hip_overrides_t *made = calloc(1, sizeof *made);
    if (!made || !(made->machine = kiln_sim_overrides_create(device->machine))) {
        free(made);
        return (int)kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "out of host memory for options");
    }
    made->references = 1;
    *out = made;
    return 0;
}

int kilnSimOverridesSet(void *given, const char *name, const char *value)
{
    kiln_sim_hip_overrides_t *overrides = given;
    kiln_sim_error_t error = {0};
    if (!overrides || !name)
        return (int)kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (strcmp(name, "async") == 0) {
        overrides->has_async = value != NULL;
        overrides->async = value && strcmp(value, "0") != 0;
        return 0;
    }
    if (!kiln_sim_overrides_set(overrides->machine, name, value, &error))
        return (int)kiln_sim_hip_error(&error);
    // The number of devices is global.
    char *end;
    if (strcmp(name, "devices") == 0 && value && *value &&
        strtol(value, &end, 0) != kiln_sim_device_count())
        return (int)kiln_sim_hip_fail(
            KILN_SIM_INVALID_VALUE,
            "the number of devices is fixed when the simulator is first used; set "
            "KILN_SIM_DEVICES in the program's environment");
    return 0;
}

void kilnSimOverridesRelease(void *overrides)
{
    kiln_sim_hip_overrides_release(overrides);
}

void *kilnSimOverridesUse(void *overrides)
{
    return kiln_sim_hip_overrides_use(overrides);
}
