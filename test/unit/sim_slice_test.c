// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slice of a program that must be executed to know where it branches and which memory it
// accesses (decode/slice.h): small programs, with a letter for each instruction: R runs, M moves
// nothing, s is skipped.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "decode/decode.h"
#include "decode/slice.h"
#include "sim_assemble.h"

// Compares a slice with the expected one, and returns whether a workgroup may be executed once
// more.
static bool check(const char *source, const char *expected)
{
    size_t bytes;
    uint8_t *code = sim_assemble(source, &bytes);
    kiln_sim_error_t error = {0};
    const kiln_sim_range_t range = {0, bytes};
    kiln_sim_program_t *program =
        kiln_sim_program_create(code, &range, 1, kiln_sim_variant_find("generic"), &error);
    assert_non_null(program);
    const kiln_sim_inst_t *entry = kiln_sim_program_at(program, 0, &error);
    assert_non_null(entry);
    kiln_sim_slice_t slice;
    assert_true(kiln_sim_slice_make(&slice, program, entry));
    char found[64] = "";
    size_t count = 0;
    for (const kiln_sim_inst_t *inst = entry; inst; inst = inst->next)
        found[count++] = "RMs"[slice.actions[inst->index]];
    assert_string_equal(found, expected);
    const bool repeatable = slice.repeatable;
    kiln_sim_slice_free(&slice);
    kiln_sim_program_destroy(program);
    free(code);
    return repeatable;
}

static void addresses_run_and_data_does_not(void **state)
{
    (void)state;
    // v0 is an address, v2 to v5 are data.
    check("v_lshlrev_b32 v0, 4, v1\n"
          "global_load_dwordx4 v[2:5], v0, s[0:1]\n"
          "s_waitcnt vmcnt(0)\n"
          "v_add_f32 v2, v2, v3\n"
          "v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], v[8:11]\n"
          "global_store_dword v0, v2, s[2:3]\n"
          "s_endpgm\n",
          "RMRssMR");
}

static void what_branches_read_runs(void **state)
{
    (void)state;
    check("v_add_f32 v1, v2, v3\n"
          "v_cmp_lt_f32 vcc, v1, v4\n"
          "v_add_f32 v5, v1, v4\n"
          "s_cbranch_vccz 1f\n"
          "s_nop 0\n"
          "1:\n"
          "s_endpgm\n",
          "RRsRRR");
    // A comparison that writes EXEC.
    check("v_add_f32 v1, v2, v3\nv_cmpx_lt_f32 exec, v1, v4\ns_endpgm\n", "RRR");
}

static void scalar_results_added_to_are_needed(void **state)
{
    (void)state;
    // These read their destination, here a counter that was spilled to a lane.
    static const char *const updates[] = {"s_addk_i32 s1, 128", "s_mulk_i32 s1, 2",
                                          "s_cmovk_i32 s1, 2", "s_cmov_b32 s1, s3",
                                          "s_bitset1_b32 s1, 2"};
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        char source[256];
        snprintf(source, sizeof source,
                 "v_writelane_b32 v9, s2, 3\n"
                 "v_readlane_b32 s1, v9, 3\n"
                 "%s\n"
                 "s_cmp_lt_u32 s1, s2\n"
                 "s_cbranch_scc1 1f\n"
                 "1:\n"
                 "s_endpgm\n",
                 updates[i]);
        check(source, "RRRRRR");
    }
}

static void loaded_addresses_make_stores_count(void **state)
{
    (void)state;
    // The loaded value becomes an address, and the stored value may be what is loaded.
    check("global_load_dword v2, v0, s[0:1]\n"
          "s_waitcnt vmcnt(0)\n"
          "global_load_dword v3, v2, s[0:1]\n"
          "v_add_u32 v4, v5, v6\n"
          "global_store_dword v0, v4, s[2:3]\n"
          "s_endpgm\n",
          "RRMRRR");
    // The same for LDS, separately from memory.
    check("v_mov_b32 v7, v8\n"
          "ds_write_b32 v1, v7\n"
          "ds_read_b32 v2, v3\n"
          "s_waitcnt lgkmcnt(0)\n"
          "global_load_dword v4, v2, s[0:1]\n"
          "s_endpgm\n",
          "RRRRMR");
    check("v_mov_b32 v7, v8\nds_write_b32 v1, v7\nds_read_b32 v2, v3\ns_endpgm\n", "sMMR");
}

static void only_whole_writes_end_need(void **state)
{
    (void)state;
    // All lanes are active, so no lane uses the first v0.
    check("v_mov_b32 v0, v9\n"
          "v_mov_b32 v0, v8\n"
          "global_load_dword v1, v0, s[0:1]\n"
          "s_endpgm\n",
          "sRMR");
    // Some lanes may be inactive and keep the first v0. After the join all lanes are active again.
    check("v_mov_b32 v0, v9\n"
          "v_mov_b32 v3, v9\n"
          "s_and_saveexec_b64 s[4:5], vcc\n"
          "v_mov_b32 v0, v8\n"
          "s_or_b64 exec, exec, s[4:5]\n"
          "v_mov_b32 v3, v8\n"
          "global_load_dword v1, v0, s[0:1]\n"
          "global_load_dword v2, v3, s[0:1]\n"
          "s_endpgm\n",
          "RsRRRRMMR");
    // All 64 bits of a mask count, and a mask that was saved while partial is not full.
    check("v_mov_b32 v0, v9\n"
          "s_mov_b64 exec, 0xffffffff\n"
          "v_mov_b32 v0, v8\n"
          "global_load_dword v1, v0, s[0:1]\n"
          "s_endpgm\n",
          "RRRMR");
    check("v_mov_b32 v0, v9\n"
          "s_mov_b32 exec_hi, 0\n"
          "v_mov_b32 v0, v8\n"
          "global_load_dword v1, v0, s[0:1]\n"
          "s_endpgm\n",
          "RRRMR");
    check("v_mov_b32 v0, v9\n"
          "s_mov_b64 s[4:5], -1\n"
          "s_mov_b32 s5, 0\n"
          "s_mov_b64 exec, s[4:5]\n"
          "v_mov_b32 v0, v8\n"
          "global_load_dword v1, v0, s[0:1]\n"
          "s_endpgm\n",
          "RRRRRMR");
    check("v_mov_b32 v0, v9\n"
          "s_and_saveexec_b64 s[4:5], vcc\n"
          "s_and_saveexec_b64 s[6:7], s[8:9]\n"
          "s_or_b64 exec, exec, s[6:7]\n"
          "v_mov_b32 v0, v8\n"
          "global_load_dword v1, v0, s[0:1]\n"
          "s_endpgm\n",
          "RRRRRMR");
    check("v_mov_b32 v0, v9\n"
          "s_mov_b64 exec, s[4:5]\n"
          "s_mov_b64 exec, -1\n"
          "s_or_saveexec_b64 s[6:7], s[8:9]\n"
          "v_mov_b32 v0, v8\n"
          "global_load_dword v1, v0, s[0:1]\n"
          "s_endpgm\n",
          "sRRRRMR");
    // An atomic is executed, with its data.
    check("v_mov_b32 v2, v3\nglobal_atomic_add v0, v2, s[0:1]\ns_endpgm\n", "RRR");
}

static void loops_are_followed(void **state)
{
    (void)state;
    // v0 is advanced after the load that uses it, in the previous iteration.
    check("1:\n"
          "global_load_dword v1, v0, s[0:1]\n"
          "v_add_u32 v0, v2, v0\n"
          "v_add_f32 v3, v1, v3\n"
          "s_sub_i32 s4, s4, 1\n"
          "s_cmp_lg_u32 s4, 0\n"
          "s_cbranch_scc1 1b\n"
          "s_endpgm\n",
          "MRsRRRR");
}

static void what_cannot_be_followed_runs(void **state)
{
    (void)state;
    check("v_add_f32 v1, v2, v3\n"
          "v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], v[8:11]\n"
          "s_set_gpr_idx_on s0, 1\n"
          "v_mov_b32 v1, v2\n"
          "s_set_gpr_idx_off\n"
          "s_endpgm\n",
          "RsRRRR");
}

static void who_leaves_something_is_not_repeated(void **state)
{
    (void)state;
    assert_true(check(
        "global_load_dword v2, v0, s[0:1]\nglobal_store_dword v0, v2, s[2:3]\ns_endpgm\n", "MMR"));
    assert_true(check(
        "ds_write_b32 v1, v7\nds_read_b32 v2, v3\nglobal_load_dword v4, v2, s[0:1]\ns_endpgm\n",
        "RRMR"));
    assert_false(check("global_load_dword v2, v0, s[0:1]\n"
                       "global_load_dword v3, v2, s[0:1]\n"
                       "global_store_dword v0, v4, s[2:3]\n"
                       "s_endpgm\n",
                       "RMRR"));
    assert_false(check("global_atomic_add v0, v4, s[2:3]\ns_endpgm\n", "RR"));
    assert_false(check("s_setpc_b64 s[0:1]\n", "R"));
    assert_false(check("s_memtime s[0:1]\ns_endpgm\n", "RR"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_run_and_data_does_not),
        cmocka_unit_test(what_branches_read_runs),
        cmocka_unit_test(scalar_results_added_to_are_needed),
        cmocka_unit_test(loaded_addresses_make_stores_count),
        cmocka_unit_test(only_whole_writes_end_need),
        cmocka_unit_test(loops_are_followed),
        cmocka_unit_test(what_cannot_be_followed_runs),
        cmocka_unit_test(who_leaves_something_is_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
