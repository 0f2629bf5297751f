// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that never unload their kernels, as Triton: a decoded instruction takes fifty times the bytes of its code, so the decoded form of what has not
// run for long is forgotten, and made again by the next launch.
//
// What a reader gets wrong: only between launches does nobody hold a pointer to an instruction. The machine's lock is held here, and one launch runs at a
// time; what is about to run is kept, and so what the last launch told of itself is gone by then.
#include "core/launch.h"

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
    // The older half of the time, and again of what is left, until half of the limit is free.
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
