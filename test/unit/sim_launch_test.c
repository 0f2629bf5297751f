// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator through its HIP entry points: what a launch sets up, how waves and workgroups
// interact, and how failing launches report errors. The kernels are in sim_kernels/launch.s.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

static hipModule_t module;

static void *device_bytes(size_t size)
{
    void *pointer;
    assert_int_equal(hipMalloc(&pointer, size), 0);
    return pointer;
}

// Arguments as one block, as with HIP_LAUNCH_PARAM_BUFFER_POINTER.
static hipError_t run(const char *name, unsigned groups, unsigned items, const void *arguments,
                      size_t size)
{
    hipFunction_t function;
    assert_int_equal(hipModuleGetFunction(&function, module, name), 0);
    void *extra[] = {(void *)1, (void *)(uintptr_t)arguments, (void *)2, &size, (void *)3};
    return hipModuleLaunchKernel(function, groups, 1, 1, items, 1, 1, 0, NULL, NULL, extra);
}

static void assert_message(const char *part)
{
    const char *message = kilnSimGetLastErrorMessage();
    if (!strstr(message, part))
        fail_msg("'%s' is not in '%s'", part, message);
}

static void ids_and_hidden_arguments(void **state)
{
    (void)state;
    enum { GX = 3, GY = 2, GZ = 2, BX = 5, BY = 7, BZ = 3, ITEMS = BX * BY * BZ };
    size_t size = (size_t)GX * GY * GZ * ITEMS * 16;
    uint32_t *out = device_bytes(size);
    hipFunction_t function;
    assert_int_equal(hipModuleGetFunction(&function, module, "ids"), 0);
    void *params[] = {&out};
    assert_int_equal(hipModuleLaunchKernel(function, GX, GY, GZ, BX, BY, BZ, 0, NULL, params, NULL),
                     0);
    for (uint32_t group = 0; group < GX * GY * GZ; group++) {
        for (uint32_t item = 0; item < ITEMS; item++) {
            const uint32_t *got = out + 4 * (group * ITEMS + item);
            assert_int_equal(got[0], item % BX | item / BX % BY << 10 | item / BX / BY << 20);
            assert_int_equal(got[1], group % GX);
            assert_int_equal(got[2], group / GX % GY);
            assert_int_equal(got[3], group / GX / GY);
        }
    }
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
    assert_int_equal(kilnSimGetLaunchStats(&stats), 0);
    assert_int_equal(stats.workgroups, GX * GY * GZ);
    assert_int_equal(stats.waves, GX * GY * GZ * 2);
    assert_int_equal(stats.by_class[KILN_SIM_COUNT_VMEM_STORE], stats.waves);
    assert_int_equal(stats.store_bytes, size);
    assert_int_equal(stats.total_vgprs, 32);
    hipFree(out);
}

static void barrier_orders_lds(void **state)
{
    (void)state;
    uint32_t *buffers[2] = {device_bytes(1024), device_bytes(1024)};
    for (uint32_t i = 0; i < 256; i++)
        buffers[1][i] = i * i;
    assert_int_equal(run("reverse", 1, 256, buffers, sizeof buffers), 0);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(buffers[0][i], (255 - i) * (255 - i));
    hipFree(buffers[0]);
    hipFree(buffers[1]);
}

static void workgroups_wait_for_later_ones(void **state)
{
    (void)state;
    enum { GROUPS = 64 };
    uint32_t *flags = device_bytes((GROUPS + 1) * 4);
    memset(flags, 0, (GROUPS + 1) * 4);
    flags[GROUPS] = 1;
    assert_int_equal(run("wait_for_next", GROUPS, 64, &flags, sizeof flags), 0);
    assert_int_equal(flags[0], 1);
    hipFree(flags);
}

static void endless_loop_ends(void **state)
{
    (void)state;
    assert_int_equal(run("forever", 4, 128, NULL, 0), KILN_SIM_LAUNCH_TIMEOUT);
    assert_message("infinite loop");
    assert_message("s_branch");
    assert_message("kernel 'forever'");
}

static void stray_store_names_its_allocation(void **state)
{
    (void)state;
    struct {
        uint8_t *out;
        int64_t offset;
    } arguments = {device_bytes(1000), 1000 - 4};
    assert_int_equal(run("store_at", 1, 64, &arguments, sizeof arguments), 0);
    arguments.offset = 1000 - 3;
    assert_int_equal(run("store_at", 1, 64, &arguments, sizeof arguments),
                     KILN_SIM_ILLEGAL_ADDRESS);
    assert_message("store of 4 bytes");
    assert_message("ending 1 bytes past the end");
    assert_message("1000 bytes at");
    assert_message("lane 5");
    arguments.offset = -16;
    assert_int_equal(run("store_at", 1, 64, &arguments, sizeof arguments),
                     KILN_SIM_ILLEGAL_ADDRESS);
    assert_message("16 bytes before the nearest allocation");
    assert_message("global_store_dword");
    assert_non_null(strstr(hipGetErrorString(KILN_SIM_ILLEGAL_ADDRESS), "lane 5"));
    hipFree(arguments.out);
}

static void missing_opcode_is_named_before_anything_runs(void **state)
{
    (void)state;
    uint32_t *out = device_bytes(4);
    *out = 99;
    assert_int_equal(run("missing", 1, 64, &out, sizeof out), KILN_SIM_NOT_SUPPORTED);
    assert_message("v_screen_partition_4se_b32");
    assert_message("0x");
    assert_int_equal(*out, 99);
    assert_int_equal(run("data_behind", 1, 64, NULL, 0), 0);
    hipFree(out);
}

static void wrong_control_flow_is_named(void **state)
{
    (void)state;
    assert_int_equal(run("jump_out", 1, 64, NULL, 0), KILN_SIM_LAUNCH_FAILURE);
    assert_message("jump to 0x1234");
    assert_int_equal(run("bad_word", 1, 64, NULL, 0), KILN_SIM_LAUNCH_FAILURE);
    assert_message("invalid gfx942 instruction");
    assert_int_equal(run("trap", 1, 64, NULL, 0), KILN_SIM_LAUNCH_FAILURE);
    assert_message("s_trap 2");
}

static void atomics_count_once(void **state)
{
    (void)state;
    enum { GROUPS = 100, ITEMS = 192 };
    uint32_t *buffers[2] = {device_bytes(4), device_bytes(GROUPS * ITEMS * 4)};
    memset(buffers[0], 0, 4);
    memset(buffers[1], 0, GROUPS * ITEMS * 4);
    assert_int_equal(run("count", GROUPS, ITEMS, buffers, sizeof buffers), 0);
    assert_int_equal(*buffers[0], GROUPS * ITEMS);
    for (uint32_t i = 0; i < GROUPS * ITEMS; i++)
        assert_int_equal(buffers[1][i], 1);
    hipFree(buffers[0]);
    hipFree(buffers[1]);
}

static void calls_scratch_and_preloaded_arguments(void **state)
{
    (void)state;
    uint32_t *out = device_bytes(256);
    assert_int_equal(run("call", 1, 64, &out, sizeof out), 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], 3 * i);
    assert_int_equal(run("scratch", 1, 64, &out, sizeof out), 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i);
    struct {
        uint32_t *out, a, b;
    } arguments = {out, 5, 6};
    assert_int_equal(run("preloaded", 3, 64, &arguments, sizeof arguments), 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(out[3 * i], 5);
        assert_int_equal(out[3 * i + 1], 6);
        assert_int_equal(out[3 * i + 2], i);
    }
    out[0] = 0;
    assert_int_equal(run("leave_early", 1, 256, &out, sizeof out), 0);
    assert_int_equal(out[0], 42);
    hipFree(out);
}

typedef struct buffer_arguments {
    uint32_t *out, *offsets;
    uint32_t resource[4];
    uint32_t store, soffset;
} buffer_arguments_t;

static void buffer_range_is_checked_per_dword(void **state)
{
    (void)state;
    enum { WORDS = 64 };
    uint32_t *data = device_bytes(WORDS * 4), *out = device_bytes(1024),
             *offsets = device_bytes(256);
    uint64_t base = (uint64_t)(uintptr_t)data;
    for (uint32_t i = 0; i < WORDS; i++)
        data[i] = 1000 + i;
    const uint32_t records = 100; // 25 dwords
    for (uint32_t i = 0; i < 64; i++)
        offsets[i] = 4 * i;
    offsets[62] = offsets[63] = 0xfffffff0;
    buffer_arguments_t arguments = {
        out, offsets, {(uint32_t)base, (uint32_t)(base >> 32), records, 0x20000}, 1, 0};
    assert_int_equal(run("buffer", 1, 64, &arguments, sizeof arguments), 0);
    for (uint32_t lane = 0; lane < 62; lane++) {
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(out[4 * lane + k], lane + k < 25 ? 1000 + lane + k : 0);
    }
    for (uint32_t k = 0; k < 8; k++)
        assert_int_equal(out[4 * 62 + k], 0);
    // Each lane stored its loaded dwords plus one; lanes partly out of bounds stored only the part
    // inside.
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(data[i], i < 25 ? 1001 + i : 1000 + i);

    // The range check includes soffset; the VGPR offset wraps at 32 bits before it is added. Bytes
    // are checked individually, not as dwords.
    arguments.store = 0;
    arguments.soffset = 40;
    offsets[0] = 100 - 40 - 4;
    offsets[1] = 100 - 40;
    offsets[2] = 100 - 40 - 6;
    offsets[3] = 1;
    assert_int_equal(run("buffer", 1, 64, &arguments, sizeof arguments), 0);
    assert_int_equal(out[0], 1025);
    assert_int_equal(out[1], 0);
    assert_int_equal(out[4], 0);
    assert_memory_equal(&out[8], (const char *)data + 94, 4);
    assert_int_equal(out[9], 0);
    for (uint32_t k = 0; k < 4; k++)
        assert_memory_equal(&out[12 + k], (const char *)data + 41 + 4 * k, 4);

    // In range of the descriptor but outside of memory: a violation.
    arguments.soffset = 0;
    arguments.resource[2] = 0x80000000;
    offsets[7] = 1 << 20;
    assert_int_equal(run("buffer", 1, 64, &arguments, sizeof arguments), KILN_SIM_ILLEGAL_ADDRESS);
    // An unbound buffer reads zero.
    memset(arguments.resource, 0, sizeof arguments.resource);
    assert_int_equal(run("buffer", 1, 64, &arguments, sizeof arguments), 0);
    assert_int_equal(out[0], 0);
    hipFree(data);
    hipFree(out);
    hipFree(offsets);
}

static void relative_registers_and_skipping(void **state)
{
    (void)state;
    uint32_t *out = device_bytes(16);
    assert_int_equal(run("modes", 1, 64, &out, sizeof out), 0);
    // v3 was loaded by source index, then overwritten by destination index.
    const uint32_t expected[4] = {100, 101, 102, 7};
    assert_int_equal(out[0], expected[0]);
    assert_int_equal(out[1], expected[1]);
    assert_int_equal(out[2], expected[2]);
    assert_int_equal(out[3], expected[3]);
    hipFree(out);
}

static void lanes_exchange(void **state)
{
    (void)state;
    uint32_t *out = device_bytes(1024);
    assert_int_equal(run("exchange", 1, 64, &out, sizeof out), 0);
    for (uint32_t lane = 0; lane < 64; lane++) {
        assert_int_equal(out[4 * lane], lane ^ 16);
        assert_int_equal(out[4 * lane + 1], lane ^ 3);
        assert_int_equal(out[4 * lane + 2], lane ^ 5);
        assert_int_equal(out[4 * lane + 3], lane ^ 5);
    }
    hipFree(out);
}

static void bank_conflicts_are_counted(void **state)
{
    (void)state;
    assert_int_equal(run("banks", 1, 64, NULL, 0), 0);
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
    assert_int_equal(kilnSimGetLaunchStats(&stats), 0);
    assert_int_equal(stats.lds_cycles, 2 + 2 * 32);
    assert_int_equal(stats.lds_conflict_cycles, 2 * 31);
    assert_int_equal(stats.lds_bytes, 512);
}

// Concurrent idle workgroups do not make a long one shorter.
static void the_slowest_workgroup_bounds_a_launch(void **state)
{
    (void)state;
    kiln_sim_launch_stats_t alone = {.struct_size = sizeof alone};
    assert_int_equal(run("uneven", 1, 64, NULL, 0), 0);
    assert_int_equal(kilnSimGetLaunchStats(&alone), 0);
    assert_true(alone.bound_salu >= 120000 && alone.bound_valu >= 80000 &&
                alone.bound_lds >= 20000);
    static const unsigned grids[] = {2, 100, 304, 305, 5000};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
        assert_int_equal(run("uneven", grids[i], 64, NULL, 0), 0);
        assert_int_equal(kilnSimGetLaunchStats(&stats), 0);
        assert_true(stats.instructions > alone.instructions);
        assert_true(stats.bound_salu == alone.bound_salu && stats.bound_valu == alone.bound_valu);
        assert_true(stats.bound_lds == alone.bound_lds &&
                    stats.estimated_cycles == alone.estimated_cycles);
    }
}

static void variables_are_relocated(void **state)
{
    (void)state;
    void *table;
    size_t size;
    assert_int_equal(hipModuleGetGlobal(&table, &size, module, "table"), 0);
    assert_int_equal(size, 24);
    assert_int_equal(((uint32_t *)table)[2], 33);
    uint64_t self;
    memcpy(&self, (char *)table + 16, 8);
    assert_int_equal(self, (uint64_t)(uintptr_t)table);
    assert_int_equal(hipModuleGetGlobal(&table, &size, module, "nothing"), KILN_SIM_NOT_FOUND);
}

static void absurd_launches_are_refused(void **state)
{
    (void)state;
    hipFunction_t function;
    assert_int_equal(hipModuleGetFunction(&function, module, "forever"), 0);
    assert_int_equal(hipModuleLaunchKernel(function, 0, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL),
                     KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipModuleLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, NULL, NULL),
                     KILN_SIM_INVALID_VALUE);
    assert_int_equal(
        hipModuleLaunchKernel(function, UINT32_MAX, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL),
        KILN_SIM_INVALID_VALUE);
    assert_int_equal(
        hipModuleLaunchKernel(function, 1 << 20, 1 << 20, 1, 64, 1, 1, 0, NULL, NULL, NULL),
        KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 1 << 20, NULL, NULL, NULL),
                     KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipModuleGetFunction(&function, module, "nobody"), KILN_SIM_NOT_FOUND);
    assert_int_equal(hipModuleGetFunction(&function, module, "ids"), 0);
    assert_int_equal(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL),
                     KILN_SIM_INVALID_VALUE);
    assert_message("argument 0");
}

static void memory_calls_check_their_ranges(void **state)
{
    (void)state;
    char host[64] = {0};
    char *bytes = device_bytes(32);
    assert_int_equal(hipMemcpy(bytes, host, 32, 1), 0);
    assert_int_equal(hipMemcpy(bytes, host, 33, 1), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipGetLastError(), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipGetLastError(), 0);
    assert_int_equal(hipMemsetD32(bytes, 0x01020304, 8), 0);
    assert_int_equal(bytes[31], 1);
    assert_int_equal(hipFree(bytes + 1), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipFree(bytes), 0);
    assert_int_equal(hipFree(bytes), KILN_SIM_INVALID_VALUE);
    void *huge;
    assert_int_equal(hipMalloc(&huge, (size_t)1 << 50), KILN_SIM_OUT_OF_MEMORY);
}

static int load_kernels(void **state)
{
    (void)state;
    return hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco") != 0;
}

static int unload_kernels(void **state)
{
    (void)state;
    return hipModuleUnload(module);
}

int main(void)
{
    // Set before the device is first used, since it reads the environment once.
    setenv("KILN_SIM_LIMIT", "30000000",
           1); // a wave that waits for one on a host thread without a turn stays below this
    setenv("KILN_SIM_THREADS", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_and_hidden_arguments),
        cmocka_unit_test(barrier_orders_lds),
        cmocka_unit_test(workgroups_wait_for_later_ones),
        cmocka_unit_test(endless_loop_ends),
        cmocka_unit_test(stray_store_names_its_allocation),
        cmocka_unit_test(missing_opcode_is_named_before_anything_runs),
        cmocka_unit_test(wrong_control_flow_is_named),
        cmocka_unit_test(atomics_count_once),
        cmocka_unit_test(calls_scratch_and_preloaded_arguments),
        cmocka_unit_test(buffer_range_is_checked_per_dword),
        cmocka_unit_test(relative_registers_and_skipping),
        cmocka_unit_test(lanes_exchange),
        cmocka_unit_test(bank_conflicts_are_counted),
        cmocka_unit_test(the_slowest_workgroup_bounds_a_launch),
        cmocka_unit_test(variables_are_relocated),
        cmocka_unit_test(absurd_launches_are_refused),
        cmocka_unit_test(memory_calls_check_their_ranges),
    };
    return cmocka_run_group_tests(tests, load_kernels, unload_kernels);
}
