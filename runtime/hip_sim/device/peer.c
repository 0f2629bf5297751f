// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: access between devices. All devices are linked with each other.
//
// Copies between devices do not need peer access; kernels do.
#include "hip_sim/entry.h"

// Bits of a device's ->peers.
hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!can)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!kiln_sim_device_at(device) || !kiln_sim_device_at(peer))
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    *can = device != peer; // a device is not its own peer
    return 0;
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags)
{
    kiln_sim_device_t *device = kiln_sim_device();
    if (flags)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!kiln_sim_device_at(peer) || peer == device->ordinal)
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    const uint64_t old = __atomic_fetch_or(&device->peers, 1ull << peer, __ATOMIC_RELAXED);
    return old >> peer & 1 ? kiln_sim_hip_fail(HIP_PEER_ALREADY_ENABLED, NULL) : 0;
}

hipError_t hipDeviceDisablePeerAccess(int peer)
{
    kiln_sim_device_t *device = kiln_sim_device();
    if (!kiln_sim_device_at(peer) || peer == device->ordinal)
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    const uint64_t old = __atomic_fetch_and(&device->peers, ~(1ull << peer), __ATOMIC_RELAXED);
    return old >> peer & 1 ? 0 : kiln_sim_hip_fail(HIP_PEER_NOT_ENABLED, NULL);
}

// hipDevP2PAttr: 0 performance rank, 1 access, 2 atomics, 3 arrays.
hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int device, int peer)
{
    if (!value || attribute < 0 || attribute > 3)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!kiln_sim_device_at(device) || !kiln_sim_device_at(peer) || device == peer)
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    *value = attribute == 1 || attribute == 2;
    return 0;
}

// Infinity Fabric (HSA_AMD_LINK_INFO_TYPE_XGMI), one hop.
hipError_t hipExtGetLinkTypeAndHopCount(int device, int peer, uint32_t *type, uint32_t *hops)
{
    if (!type || !hops || device == peer || device < 0 || peer < 0)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (device >= kiln_sim_device_count() || peer >= kiln_sim_device_count())
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    *type = 4;
    *hops = 1;
    return 0;
}
