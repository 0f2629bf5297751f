// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For sim_sync_test.c: workgroups that wait for a later one, each kernel in another way. The last workgroup
// sets flag[0]; the others count in flag[1] when they have seen it.
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

typedef unsigned u32;

static inline __attribute__((device, always_inline)) u32 lane(void)
{
    return __builtin_amdgcn_workitem_id_x();
}

static inline __attribute__((device, always_inline)) u32 load(u32 *flag)
{
    return __hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

static inline __attribute__((device, always_inline)) void meet(void)
{
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}

// True for the last workgroup, which has set the flag then.
static inline __attribute__((device, always_inline)) bool is_last(u32 *flag, u32 last)
{
    if (__builtin_amdgcn_workgroup_id_x() != last)
        return false;
    meet();
    if (lane() == 0)
        __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    return true;
}

static inline __attribute__((device, always_inline)) void count(u32 *flag)
{
    meet();
    if (lane() == 0)
        __hip_atomic_fetch_add(flag + 1, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void name(u32 *flag, u32 last)                                                               \
    {                                                                                                                  \
        __shared__ u32 seen;                                                                                           \
        if (!is_last(flag, last)) {                                                                                    \
            __VA_ARGS__;                                                                                               \
            count(flag);                                                                                               \
        }                                                                                                              \
    }

// One lane asks for all by an atomic operation, with barriers around it: what compilers of tiles make of a
// scalar one.
KERNEL(wait_for_one, do {
    meet();
    u32 one = 1;
    if (lane() == 0) {
        __hip_atomic_compare_exchange_strong(flag, &one, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED,
                                             __HIP_MEMORY_SCOPE_AGENT);
        seen = one;
    }
    meet();
} while (!seen))

// The same with three barriers more, and a wave that asks when others have passed the first ones.
KERNEL(wait_by_turns, do {
    meet();
    meet();
    if (lane() == 0)
        seen = load(flag);
    meet();
    meet();
    meet();
} while (!seen))

// All ask.
KERNEL(wait_for_all, while (!load(flag)))

// The first wave asks; the others are at the next barrier.
KERNEL(wait_for_first, if (lane() < 64) while (!load(flag)))

// The same, asleep between.
KERNEL(wait_asleep, if (lane() < 64) while (!load(flag)) __builtin_amdgcn_s_sleep(10))

KERNEL(wait_asleep_by_turns, do {
    __builtin_amdgcn_s_sleep(1);
    meet();
    if (lane() == 0)
        seen = load(flag);
    meet();
} while (!seen))

// A loop in a loop: some tries, then all meet.
KERNEL(wait_with_tries, do {
    if (lane() == 0) {
        u32 found = 0;
        for (u32 tries = 0; tries < 100 && !found; tries++)
            found = load(flag);
        seen = found;
    }
    meet();
    const u32 done = seen;
    meet();
    if (done)
        break;
} while (true))

// Counts how often it has asked: never twice in the same state.
KERNEL(wait_and_count, u32 rounds = 0; do {
    if (lane() == 0)
        seen = load(flag);
    meet();
    rounds++;
    asm volatile("" : "+v"(rounds));
    const u32 done = seen;
    meet();
    if (done)
        break;
} while (true))

// Its waves meet by GWS, not by barriers.
KERNEL(
    wait_by_gws, const u32 waves = __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workgroup_size_x() / 64);
    const u32 resource = __builtin_amdgcn_readfirstlane(1 + __builtin_amdgcn_workgroup_id_x() % 60);
    if (lane() < 64) __builtin_amdgcn_ds_gws_init(waves - 1, resource); meet(); do {
        if (lane() == 0)
            seen = load(flag);
        __builtin_amdgcn_ds_gws_barrier(waves - 1, resource);
        const u32 done = __hip_atomic_load(&seen, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
        __builtin_amdgcn_ds_gws_barrier(waves - 1, resource);
        if (done)
            break;
    } while (true))

// Each workgroup waits for the one before it: as many as one likes do that, however few run at once.
extern "C" __global__ void wait_for_earlier(u32 *flag, u32 last)
{
    __shared__ u32 seen, room[15000]; // one of them fills a compute unit
    const u32 group = __builtin_amdgcn_workgroup_id_x();
    if (last == ~0u)
        room[lane()] = 1;
    do {
        meet();
        if (lane() == 0)
            seen = load(flag);
        meet();
    } while (seen != group + (last == ~0u ? room[0] : 0));
    if (lane() == 0)
        __hip_atomic_store(flag, group + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
