// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine's options by name (kiln/sim_options.def).
#ifndef KILN_SIM_API_OPTIONS_H
#define KILN_SIM_API_OPTIONS_H

#include "core/launch.h"

// Gives every option its default.
bool kiln_sim_options_initialize(kiln_sim_machine_t *machine, kiln_sim_error_t *error);
void kiln_sim_options_free(kiln_sim_machine_t *machine);

// With the machine's lock held. False with an error that names the option and what it takes; it stays as it was.
bool kiln_sim_option_set(kiln_sim_machine_t *machine, const char *name, const char *value, kiln_sim_error_t *error);

#endif
