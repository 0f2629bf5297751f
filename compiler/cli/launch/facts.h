// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about a launch that `kiln bench` prints besides its cost: the settings in effect and their
// origin, the kernel's resources and the limit of its occupancy, and how its workgroups fill the
// device.
#ifndef KILN_CLI_LAUNCH_FACTS_H
#define KILN_CLI_LAUNCH_FACTS_H

#include <jansson.h>

#include "inspect/occupancy.h"
#include "kiln/jit.h"

// Where a kernel's settings come from.
typedef struct kiln_launch_settings {
    const kiln_setting_t *given; // by the user
    size_t given_count;
    const kiln_setting_t *tuned;
    size_t tuned_count;
    const char *near; // the arguments of the other problem that they were tuned for, or NULL
    bool is_compiled; // all settings are those of a kernel that was compiled before
} kiln_launch_settings_t;

// Gathers the members `effective`, `tuned_for`, `resources` and `occupancy_limit` (docs/json.md) of
// a kernel with workgroups of `waves` waves, from its manifest.
kiln_status_t kiln_kernel_facts(const char *manifest, const kiln_launch_settings_t *settings,
                                unsigned waves, json_t **out_facts);

// The same for a launch, and on the simulator `compute_units`. If the tuned settings were found for
// another problem, `near` are its arguments; otherwise NULL. `call` is the kernel's; the calling
// thread's last launch must be of it.
kiln_status_t kiln_launch_facts(const kiln_jit_kernel_t *kernel, const kiln_jit_call_t *call,
                                kiln_device_t *device, const char *near, json_t **out_facts);

// Returns what would limit the kernel's occupancy if its workgroups had `waves` waves.
kiln_status_t kiln_launch_limits(const kiln_jit_kernel_t *kernel, unsigned waves,
                                 kiln_occupancy_limits_t *out);

// Returns how many workgroups of `waves` waves a compute unit holds if the kernel takes `more`
// vector registers than it does; 0 if a wave cannot have so many.
kiln_status_t kiln_launch_workgroups_with(const kiln_jit_kernel_t *kernel, unsigned waves,
                                          unsigned more, unsigned *out);

// Prints them as rows of the table of costs.
void kiln_launch_facts_print(const json_t *facts);

#endif
