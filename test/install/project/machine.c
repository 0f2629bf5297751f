// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator by its own API, without HIP or runtime.
#include <kiln/sim.h>
#include <stdio.h>

int main(void)
{
    static char code[1 << 20];
    FILE *file = fopen(KILN_KERNELS_DIRECTORY "/add.hsaco", "rb");
    size_t size = file ? fread(code, 1, sizeof code, file) : 0;
    kiln_sim_error_t error = {0, ""};
    kiln_sim_machine_t *machine;
    kiln_sim_code_object_t *object;
    if (!kiln_sim_machine_create(NULL, 0, &machine, &error) ||
        !kiln_sim_machine_load(machine, code, size, &object, &error)) {
        fprintf(stderr, "machine: %s\n", error.text);
        return 1;
    }
    float *x = kiln_sim_machine_allocate(machine, 4096, &error),
          *out = kiln_sim_machine_allocate(machine, 4096, &error);
    int n = 1000;
    float scale = 3;
    for (int i = 0; i < n; i++)
        x[i] = (float)i;
    void *params[] = {&x, &x, &out, &n, &scale};
    kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                    .kernel = kiln_sim_object_kernel(object, "add"),
                                    .grid = {(unsigned)(n + BLOCK - 1) / BLOCK, 1, 1},
                                    .block = {256, 1, 1}, // four waves
                                    .params = params};
    if (!kiln_sim_machine_launch(machine, &dispatch, NULL, &error) || out[999] != 3 * 2 * 999) {
        fprintf(stderr, "machine: %s, %g\n", error.text, (double)out[999]);
        return 1;
    }
    kiln_sim_machine_destroy(machine);
    fclose(file);
    printf("machine: right\n");
    return 0;
}
