// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine's options by name (kiln/sim_options.def), and overrides: options that replace the
// machine's for the calls that use them.
//
// An option that is not overridden has the machine's value at the time of the call, not at the time
// when the overrides were created.
#ifndef KILN_SIM_API_OPTIONS_H
#define KILN_SIM_API_OPTIONS_H

#include "run/launch.h"

// Sets every option to its default.
bool kiln_sim_options_initialize(kiln_sim_machine_t *machine, kiln_sim_error_t *error);
void kiln_sim_setup_free(kiln_sim_setup_t *setup); // frees what options allocated in it

// Requires the machine's lock. False with an error that names the option and its valid values; the
// option is then unchanged.
bool kiln_sim_option_set(kiln_sim_machine_t *machine, const char *name, const char *value,
                         kiln_sim_error_t *error);

// The setup for the calling thread's calls: the machine's options with the overrides in use
// applied.
kiln_sim_setup_t kiln_sim_setup_of(const kiln_sim_machine_t *machine);

#endif
