// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with a bundle inside, from the object of kiln bundle --emit=object.
#include <kiln/load.h>
#include <stdio.h>

extern const unsigned char kernels[];
extern const uint64_t kernels_size;

int main(void)
{
    kiln_device_t *device;
    kiln_program_t *program;
    const kiln_program_part_t part = {kernels, (size_t)kernels_size, NULL};
    kiln_status_t status = kiln_device_open(NULL, &device);
    if (!status)
        status = kiln_program_load_memory(device, &part, 1, &program);
    if (!status)
        status = kiln_program_prepare(program);
    if (status) {
        puts(kiln_status_message(status));
        return 1;
    }
    printf("%zu variants of %s\n", kiln_program_variant_count(program),
           kiln_variant_name(kiln_program_variant(program, 0)));
    kiln_program_release(program);
    kiln_device_release(device);
    return 0;
}
