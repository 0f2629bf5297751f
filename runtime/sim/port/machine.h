// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a machine for the HIP layer (runtime/hip_sim), in addition to kiln/sim.h. That
// layer may include kiln/sim.h and the headers of this folder, and nothing else of the simulator.
//
// These functions do not take the machine's lock, except for kiln_sim_machine_load_source.
#ifndef KILN_SIM_PORT_MACHINE_H
#define KILN_SIM_PORT_MACHINE_H

#include "sim/port/code_object.h"
#include "sim/port/error.h"
#include "sim/port/memory.h"
#include "sim/port/product.h"

// The machine's table of allocations; if machine is NULL, an empty one in which no memory can be
// allocated.
kiln_sim_memory_t *kiln_sim_machine_memory(kiln_sim_machine_t *machine);

// kiln_sim_machine_load of the code object for this device in a source: an ELF file of `size`
// bytes, or a bundle that clang made. Without a known size, KILN_SIM_UNKNOWN_SIZE, the file ends
// where its headers state. KILN_SIM_NO_BINARY_FOR_GPU if a bundle has none for this device. `error`
// is zeroed, and not NULL.
bool kiln_sim_machine_load_source(kiln_sim_machine_t *machine, const kiln_sim_source_t *source,
                                  uint64_t size, kiln_sim_code_object_t **out_object,
                                  kiln_sim_error_t *error);

// The device that the machine simulates, and the maximum bytes of LDS of a workgroup. An MI300X if
// machine is NULL.
const kiln_sim_product_t *kiln_sim_machine_product(const kiln_sim_machine_t *machine);
uint32_t kiln_sim_machine_lds(const kiln_sim_machine_t *machine);

unsigned kiln_sim_machine_checks(const kiln_sim_machine_t *machine);  // set of KILN_SIM_CHECK_*
uint32_t kiln_sim_machine_devices(const kiln_sim_machine_t *machine); // option `devices`

// Whether a launch can start. Errors during its execution are not detected.
bool kiln_sim_machine_check(kiln_sim_machine_t *machine, const kiln_sim_dispatch_t *dispatch,
                            kiln_sim_error_t *error);

// Adds a finding of the `memory` check about a wrong call by the host program, if that check is on.
// The finding is reported at once and added to *result, which is created if it is NULL.
void kiln_sim_machine_blame(const kiln_sim_machine_t *machine, kiln_sim_result_t **result,
                            const char *call, const char *message);

// Predicted milliseconds of a copy (timing/move.h); 0 if the machine's clock does not predict.
double kiln_sim_machine_move_ms(const kiln_sim_machine_t *machine, uint64_t read, uint64_t written,
                                uint64_t linked);

// The file of the option `activity`, or NULL. The HIP layer writes it (hip_sim/stream/activity.h).
const char *kiln_sim_machine_activity(const kiln_sim_machine_t *machine);

// A launch can be replayed only until the machine's next one. A thread that launches and then
// replays does both in its turn; others that take turns wait meanwhile.
void kiln_sim_machine_take_turn(kiln_sim_machine_t *machine);
void kiln_sim_machine_end_turn(kiln_sim_machine_t *machine);

// Stops the machine's host threads until the next launch.
void kiln_sim_machine_quiesce(kiln_sim_machine_t *machine);
// Called in the child of a fork, which has one thread: releases locks that other threads held.
void kiln_sim_machine_forked(kiln_sim_machine_t *machine);

// Workgroups with `waves` waves and `lds_size` bytes of LDS that a compute unit holds at once.
unsigned kiln_sim_kernel_occupancy(const kiln_sim_kernel_t *kernel, unsigned waves,
                                   unsigned lds_size);

// Options of a machine for some calls only (api/options.h). _create returns NULL if memory is
// exhausted; otherwise the result has one reference. Changes apply from the next use on.
typedef struct kiln_sim_overrides kiln_sim_overrides_t;
kiln_sim_overrides_t *kiln_sim_overrides_create(kiln_sim_machine_t *machine);
bool kiln_sim_overrides_set(kiln_sim_overrides_t *overrides, const char *name, const char *value,
                            kiln_sim_error_t *error);
void kiln_sim_overrides_hold(kiln_sim_overrides_t *overrides); // NULL is allowed here and below
void kiln_sim_overrides_release(kiln_sim_overrides_t *overrides);
// Applies the overrides to the calling thread's calls from now on and returns the previous ones.
// They must live until they are replaced.
kiln_sim_overrides_t *kiln_sim_overrides_use(kiln_sim_overrides_t *overrides);

// The name of the i-th option that has an environment variable, and that variable; NULL after the
// last.
const char *kiln_sim_option_name(size_t index, const char **variable);

#endif
