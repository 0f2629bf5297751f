// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: streams that wait until a word in memory has a value, or write one.
//
// If calls wait for their work (HIP_LAUNCH_BLOCKING), only another thread or a kernel could still
// write the awaited value, so a wait fails if the value is not there yet.
#include <string.h>
#include <time.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"

enum {
    WAIT_32 = 1,
    WRITE_32 = 2,
    FLUSH = 3,
    WAIT_64 = 4,
    WRITE_64 = 5,
    BARRIER = 6
}; // hipStreamBatchMemOpType
enum { AT_LEAST = 0, EQUAL = 1, AND = 2, NOR = 3 }; // hipStreamWaitValue*
#define MASKED                                                                                     \
    0x80000000u // internal flag: `alias` is the mask of hipStreamWaitValue*; otherwise `alias` has
                // no meaning
enum { MAX_BATCH = 256 };

static bool is_met(uint64_t current, uint64_t value, unsigned flags)
{
    return flags == AT_LEAST ? (int64_t)(current - value) >= 0
           : flags == EQUAL  ? current == value
           : flags == AND    ? (current & value) != 0
                             : ~(current | value) != 0;
}

static bool waits(const hipStreamBatchMemOpParams *p)
{
    return p->operation == WAIT_32 || p->operation == WAIT_64;
}

// Why the word cannot be accessed; NULL if it can.
static const char *word_is_wrong(const hipStreamBatchMemOpParams *p)
{
    const size_t bytes = p->operation == WAIT_64 || p->operation == WRITE_64 ? 8 : 4;
    const kiln_sim_allocation_t *in;
    if (!p->value.address || !kiln_sim_device_of(p->value.address, &in))
        return "the word is in no allocation";
    if (in->size - ((uint64_t)(uintptr_t)p->value.address - in->base) < bytes)
        return "the word exceeds its allocation";
    if (!waits(p) && kiln_sim_memory_is_read_only(in))
        return "devices may only read the word";
    return NULL;
}

// The memory may have been freed since the call: by hipFreeAsync, or before a graph's launch.
static hipError_t check_again(const hipStreamBatchMemOpParams *p)
{
    const char *wrong = word_is_wrong(p);
    if (!wrong)
        return 0;
    kiln_sim_hip_report_misuse(kiln_sim_device(),
                               waits(p) ? "hipStreamWaitValue" : "hipStreamWriteValue", wrong);
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, wrong);
}

static hipError_t read_word(const hipStreamBatchMemOpParams *p, uint64_t *value)
{
    kiln_sim_devices_begin_use();
    const hipError_t error = check_again(p);
    if (!error)
        *value = p->operation == WAIT_64
                     ? __atomic_load_n((uint64_t *)p->value.address, __ATOMIC_ACQUIRE)
                     : __atomic_load_n((uint32_t *)p->value.address, __ATOMIC_ACQUIRE);
    kiln_sim_devices_end_use();
    return error;
}

static hipError_t write_word(const hipStreamBatchMemOpParams *p)
{
    kiln_sim_devices_begin_use();
    const hipError_t error = check_again(p);
    if (!error) {
        if (p->operation == WRITE_32)
            __atomic_store_n((uint32_t *)p->value.address, p->value.u.value, __ATOMIC_RELEASE);
        else
            __atomic_store_n((uint64_t *)p->value.address, p->value.u.value64, __ATOMIC_RELEASE);
        const kiln_sim_allocation_t *in;
        kiln_sim_device_t *device = kiln_sim_device_of(p->value.address, &in);
        if (device)
            kiln_sim_memory_mark(device->memory, (uint64_t)(uintptr_t)p->value.address,
                                 p->operation == WRITE_32 ? 4 : 8);
    }
    kiln_sim_devices_end_use();
    return error;
}

static hipError_t wait_for(const hipStreamBatchMemOpParams *p)
{
    const struct timespec moment = {0, 50000};
    const bool wide = p->operation == WAIT_64;
    const uint64_t mask =
        p->value.flags & MASKED ? (uint64_t)(uintptr_t)p->value.alias : UINT64_MAX;
    const unsigned flags = p->value.flags & ~MASKED;
    for (;;) {
        uint64_t current, wanted = p->value.u.value64;
        hipError_t error = read_word(p, &current);
        if (error)
            return error;
        current &= mask;
        if (!wide) {
            // 32 bits: compared as signed, and NOR ignores the upper half.
            wanted = p->value.u.value;
            if (flags == AT_LEAST) {
                current = (uint64_t)(int64_t)(int32_t)current;
                wanted = (uint64_t)(int64_t)(int32_t)wanted;
            } else if (flags == NOR) {
                wanted |= 0xffffffff00000000u;
            }
        }
        if (is_met(current, wanted, flags))
            return 0;
        if (!kiln_sim_engine_is_async())
            return kiln_sim_hip_fail(
                HIP_NOT_READY,
                "deadlock: the stream waits for a value that no earlier work can write");
        nanosleep(&moment, NULL);
    }
}

hipError_t kiln_sim_values_run(const hipStreamBatchMemOpParams *all, unsigned count)
{
    hipError_t error = 0;
    for (unsigned i = 0; !error && i < count; i++) {
        const hipStreamBatchMemOpParams *p = &all[i];
        if (waits(p))
            error = wait_for(p);
        else if (p->operation == WRITE_32 || p->operation == WRITE_64)
            error = write_word(p);
    }
    return error;
}

static hipError_t check_word(const hipStreamBatchMemOpParams *p)
{
    if (p->operation < WAIT_32 || p->operation > BARRIER)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (p->operation == FLUSH || p->operation == BARRIER)
        return 0;
    const char *wrong = word_is_wrong(p);
    if (wrong)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, wrong);
    return waits(p) && p->value.flags > NOR ? kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL) : 0;
}

hipError_t kiln_sim_values_check(const hipStreamBatchMemOpParams *all, unsigned count)
{
    hipError_t error =
        all && count && count <= MAX_BATCH ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (unsigned i = 0; !error && i < count; i++)
        error = check_word(&all[i]);
    return error;
}

static hipError_t enqueue(hipStream_t stream, hipStreamBatchMemOpParams *all, unsigned count)
{
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_VALUES, .values = {all, count, 0}};
    return kiln_sim_submit(stream, &work);
}

static hipError_t one(hipStream_t stream, int operation, void *pointer, uint64_t value,
                      unsigned flags, uint64_t mask)
{
    hipStreamBatchMemOpParams p = {0};
    p.value.operation = operation;
    p.value.address = pointer;
    p.value.u.value64 = value;
    p.value.flags = flags;
    hipError_t error = check_word(&p);
    if (mask && mask != (operation == WAIT_64 ? UINT64_MAX : UINT32_MAX)) {
        p.value.flags |= MASKED;
        p.value.alias = (void *)(uintptr_t)mask;
    }
    return error ? error : enqueue(stream, &p, 1);
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void *pointer, uint32_t value, unsigned flags,
                                uint32_t mask)
{
    return one(stream, WAIT_32, pointer, value, flags, mask);
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void *pointer, uint64_t value, unsigned flags,
                                uint64_t mask)
{
    return one(stream, WAIT_64, pointer, value, flags, mask);
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void *pointer, uint32_t value, unsigned flags)
{
    (void)flags;
    return one(stream, WRITE_32, pointer, value, 0, 0);
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void *pointer, uint64_t value, unsigned flags)
{
    (void)flags;
    return one(stream, WRITE_64, pointer, value, 0, 0);
}

hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned count, hipStreamBatchMemOpParams *all,
                               unsigned flags)
{
    hipError_t error =
        flags ? kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL) : kiln_sim_values_check(all, count);
    return error ? error : enqueue(stream, all, count);
}
