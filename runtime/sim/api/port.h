// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the HIP layer needs of a machine beyond kiln/sim.h: its table of allocations, and who is blamed for a wrong call.
//
// What a reader gets wrong: nothing here takes the machine's lock, since HIP's own lock is held around it.
#ifndef KILN_SIM_PORT_H
#define KILN_SIM_PORT_H

#include "core/code_object.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/product.h"

kiln_sim_memory_t *kiln_sim_machine_memory(kiln_sim_machine_t *machine);

// The device that the machine is, and the bytes of LDS that a workgroup may have. An MI300X where machine is NULL.
const kiln_sim_product_t *kiln_sim_machine_product(const kiln_sim_machine_t *machine);
uint32_t kiln_sim_machine_lds(const kiln_sim_machine_t *machine);

unsigned kiln_sim_machine_checks(const kiln_sim_machine_t *machine);  // set of KILN_SIM_CHECK_*
uint32_t kiln_sim_machine_devices(const kiln_sim_machine_t *machine); // option `devices`

// Whether a launch can be made; what goes wrong while it runs is not known before.
bool kiln_sim_machine_check(kiln_sim_machine_t *machine, const kiln_sim_dispatch_t *dispatch, kiln_sim_error_t *error);

// A finding of `memory` in a call of the program itself, where that check is on: told at once, and added to *result, which is
// made where there is none.
void kiln_sim_machine_blame(const kiln_sim_machine_t *machine, kiln_sim_result_t **result, const char *call,
                            const char *message);

// Predicted milliseconds of a copy (timing/move.h); 0 where the machine's clock does not predict.
double kiln_sim_machine_move_ms(const kiln_sim_machine_t *machine, uint64_t read, uint64_t written, uint64_t linked);

// Stops the machine's host threads until the next launch.
void kiln_sim_machine_rest(kiln_sim_machine_t *machine);

// Workgroups of so many waves and bytes of LDS that a compute unit holds at once.
unsigned kiln_sim_kernel_occupancy(const kiln_sim_kernel_t *kernel, unsigned waves, unsigned lds_size);

// An option's name by its environment variable's row: the i-th option that has one, and the variable; NULL behind the last.
const char *kiln_sim_option_name(size_t index, const char **variable);

#endif
