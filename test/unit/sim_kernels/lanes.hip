// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For sim_sync_test.c: lanes of one wave that wait for each other, as clang lays them out.
#define __global__ __attribute__((global))

// Lane 1 waits for what lane 0 stores on the other side of a branch. A wave has one program counter: it goes round the loop with lane 0 masked, which comes to
// its store only after the loop.
extern "C" __global__ void wait_across_a_branch(int *flag, int *data)
{
    const unsigned lane = __builtin_amdgcn_workitem_id_x();
    if (lane == 0) {
        data[0] = 42;
        __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WAVEFRONT);
    } else if (lane == 1) {
        while (!__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WAVEFRONT))
            ;
        data[1] = data[0];
    }
}

// Who has the lock gives it back in the same round of the program's loop; but clang puts that after the loop, since no other round comes after it. So the lane
// that has it waits, masked, for those that want it.
extern "C" __global__ void lock_by_lanes(int *lock, int *count)
{
    for (bool done = false; !done;) {
        if (__hip_atomic_exchange(lock, 1, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
            continue;
        count[0]++;
        __hip_atomic_store(lock, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        done = true;
    }
}

// Three times round for each lane, each time when the one before it has been: the store is in the loop, and there is always a lane that goes on.
extern "C" __global__ void take_turns(int *turn, int *count)
{
    for (int rounds = 0; rounds < 3;) {
        const int now = __hip_atomic_load(turn, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        if (now % 64 != (int)__builtin_amdgcn_workitem_id_x())
            continue;
        count[0]++;
        __hip_atomic_store(turn, now + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        rounds++;
    }
}
