// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many waves fit on gfx942. The thing one gets wrong: registers are limited per SIMD, LDS per CU (four SIMDs), and
// a workgroup is placed whole.
#ifndef KILN_INSPECT_OCCUPANCY_H
#define KILN_INSPECT_OCCUPANCY_H

// Waves per SIMD that the register file allows: min(8, 512 / align8(align4(vgprs) + agprs)); 0 where that exceeds 512.
// CDNA3 ISA guide, section 3.6; checked against llc.
unsigned kiln_occupancy_by_registers(unsigned vgprs, unsigned agprs);

// Waves per SIMD of a kernel whose workgroups have `waves` waves and `lds_bytes` of LDS, allocated in blocks of 512.
// Rounded up, for a workgroup that fits occupies at least one SIMD; 0 where not even one fits.
unsigned kiln_occupancy(unsigned vgprs, unsigned agprs, unsigned lds_bytes, unsigned waves);

#endif
