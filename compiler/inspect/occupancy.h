// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many waves fit on gfx942. Note that registers are limited per SIMD, LDS per CU (four SIMDs),
// and a workgroup is placed whole.
#ifndef KILN_INSPECT_OCCUPANCY_H
#define KILN_INSPECT_OCCUPANCY_H

#include <stdbool.h>

#include "base/string.h"

// Waves per SIMD that the register files allow: min(8, 512 / align8(align4(vgprs) + agprs), 800 /
// sgprs); 0 where the vector registers exceed 512. `sgprs` includes VCC and similar registers, as a
// code object's metadata counts them; a wave is allocated at most 112. CDNA3 ISA guide,
// section 3.6; checked against llc.
unsigned kiln_occupancy_by_registers(unsigned vgprs, unsigned agprs, unsigned sgprs);

// Waves per SIMD of a kernel whose workgroups have `waves` waves and `lds_bytes` of LDS, allocated
// in blocks of 512. Rounded up, because a workgroup that fits occupies at least one SIMD; 0 if not
// even one fits.
unsigned kiln_occupancy(unsigned vgprs, unsigned agprs, unsigned sgprs, unsigned lds_bytes,
                        unsigned waves);

// The limit of the occupancy, and the next step.
typedef struct kiln_occupancy_limits {
    unsigned now;         // waves per SIMD
    unsigned workgroups;  // that a compute unit holds
    const char *resource; // "vector registers", "scalar registers", "bytes of LDS"; NULL: the
                          // number of wave slots, or the size of a workgroup
    bool is_lds;
    unsigned used, max, more; // the amount used; the most that allows `more` waves (0: no
                              // step by this resource alone)
    unsigned more_workgroups; // that a compute unit holds then
} kiln_occupancy_limits_t;
void kiln_occupancy_limits(unsigned vgprs, unsigned agprs, unsigned sgprs, unsigned lds_bytes,
                           unsigned waves, kiln_occupancy_limits_t *out);

// Whether a sixteenth less of the resource reaches the next step.
bool kiln_occupancy_is_near(const kiln_occupancy_limits_t *limits);
// Appends what a finding says of the limit and the next step, and what it advises.
void kiln_occupancy_describe(const kiln_occupancy_limits_t *limits, kiln_string_t *seen,
                             kiln_string_t *advice);

#endif
