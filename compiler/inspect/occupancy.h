// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many waves fit on gfx942. The thing one gets wrong: registers are limited per SIMD, LDS per CU (four SIMDs), and
// a workgroup is placed whole.
#ifndef KILN_INSPECT_OCCUPANCY_H
#define KILN_INSPECT_OCCUPANCY_H

// Waves per SIMD that the register files allow: min(8, 512 / align8(align4(vgprs) + agprs), 800 / sgprs); 0 where the
// vector registers exceed 512. `sgprs` includes VCC and its like, as a code object's metadata counts them; more than 112
// are allocated to no wave. CDNA3 ISA guide, section 3.6; checked against llc.
unsigned kiln_occupancy_by_registers(unsigned vgprs, unsigned agprs, unsigned sgprs);

// Waves per SIMD of a kernel whose workgroups have `waves` waves and `lds_bytes` of LDS, allocated in blocks of 512.
// Rounded up, for a workgroup that fits occupies at least one SIMD; 0 where not even one fits.
unsigned kiln_occupancy(unsigned vgprs, unsigned agprs, unsigned sgprs, unsigned lds_bytes, unsigned waves);

#endif
