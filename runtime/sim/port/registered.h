// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registered memory that stands for device memory.
#ifndef KILN_SIM_PORT_REGISTERED_H
#define KILN_SIM_PORT_REGISTERED_H

// A flag of hipHostRegister in addition to HIP's, for hosts that launch kernels on arrays of their
// own: the clock predicts accesses as those of device memory, which no earlier registration has
// left in a cache. Without it they cross the link to the host. compiler/hosts/triton has the
// number, too.
#define KILN_SIM_REGISTER_AS_DEVICE 0x40000000u

#endif
