// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits the memory of decoded programs. A decoded instruction takes fifty times as many bytes as
// its code, and programs such as Triton never unload their kernels. The decoded form of kernels
// that have not run for a long time is discarded and rebuilt by their next launch.
//
// Pitfall: threads hold pointers to instructions except between launches. This runs between
// launches, with the machine's lock held, and keeps the program about to run. By then, nothing uses
// what the previous launch recorded about its own program.
#include "run/launch.h"

void kiln_sim_idle_forget(kiln_sim_machine_t *machine, kiln_sim_code_object_t *runs)
{
    const size_t bytes = kiln_sim_program_bytes(runs->program);
    const uint64_t now = __atomic_load_n(&machine->memory.launches, __ATOMIC_RELAXED);
    machine->decoded += bytes - runs->decoded;
    runs->decoded = bytes;
    runs->launched = now;
    if (machine->decoded <= machine->decoded_limit)
        return;
    uint64_t oldest = now;
    for (const kiln_sim_code_object_t *object = machine->objects; object; object = object->next)
        if (object->decoded && object->launched < oldest)
            oldest = object->launched;
    // Discards the older half of the time range, then the older half of the rest, until half of the
    // limit is free.
    while (machine->decoded > machine->decoded_limit / 2 && oldest < now) {
        oldest += (now - oldest + 1) / 2;
        for (kiln_sim_code_object_t *object = machine->objects; object; object = object->next) {
            if (object->decoded && object->launched < oldest) {
                kiln_sim_program_forget(object->program);
                machine->decoded -= object->decoded;
                object->decoded = 0;
            }
        }
    }
}
