// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Valid and invalid values of KILN_SIM_TRACE; the output of a trace is tested in
// test/lit/run/trace.test.
//
// The device reads the variable once per process, so here it stays invalid.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "check/trace.h"
#include "hip_sim/entry.h"
#include "kiln/sim.h"
#include "sim_machine.h"

static void test_accepted(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "1",        "all",
        "wg=3",     "wg=0-4294967295",
        "wave=2-2", "pc=0x100-0x1FF",
        "pc=1a0",   "lanes=0-63",
        "lanes=63", "all,wg=1,wave=0,pc=0x0-0xffffffffffffffff,lanes=5-6"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        kiln_sim_trace_t *trace = NULL;
        kiln_sim_error_t error = {0};
        if (!kiln_sim_trace_open(specs[i], &trace, &error) || !trace)
            fail_msg("'%s' was refused: %s", specs[i], error.text);
        kiln_sim_trace_close(trace);
    }
}

static void test_off(void **state)
{
    (void)state;
    static const char *const specs[] = {NULL, "", "0", "off"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        kiln_sim_trace_t *trace = NULL;
        assert_true(kiln_sim_trace_open(specs[i], &trace, NULL));
        assert_null(trace);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const specs[][2] = {
        {"2", "'2'"},
        {"wg", "'wg'"},
        {"wg=", "'wg='"},
        {"wg=-1", "'wg=-1'"},
        {"wg= 1", "'wg= 1'"},
        {"wg=4-3", "'wg=4-3'"},
        {"wg=4-", "'wg=4-'"},
        {"wg=1x", "'wg=1x'"},
        {"wg=4294967296", "'wg=4294967296'"},
        {"wave=0x1", "'wave=0x1'"},
        {"pc=", "'pc='"},
        {"pc=0x", "'pc=0x'"},
        {"pc=0x1-0x10000000000000000", "'pc=0x1-0x10000000000000000'"},
        {"lanes=60-64", "'lanes=60-64'"},
        {"all,", "''"},
        {"file=", "'file='"},
        {"wave=1,Wg=2,x", "'Wg=2'"},
        {"file=/nowhere/at/all", "cannot write '/nowhere/at/all'"}};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        kiln_sim_trace_t *trace = NULL;
        kiln_sim_error_t error = {0};
        if (kiln_sim_trace_open(specs[i][0], &trace, &error) || trace)
            fail_msg("'%s' was accepted", specs[i][0]);
        assert_int_equal(error.code, KILN_SIM_INVALID_VALUE);
        if (!strstr(error.text, specs[i][1]))
            fail_msg("'%s': %s", specs[i][0], error.text);
    }
}

// The trace names the register that M0 selects, or the encoded one if M0 selects none.
static void test_relative_registers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t m0;
        const char *line;
    } cases[] = {
        {"s_movrels_b32 s40, s20", 3,
         "s_movrels_b32 s40, s20 ; s23=0x00000117 m0=0x00000003 -> s40=0x00000117\n"},
        {"s_movrels_b64 s[40:41], s[20:21]", 4,
         "s_movrels_b64 s[40:41], s[20:21] ; s[24:25]=0x0000011900000118 m0=0x00000004 -> "
         "s[40:41]=0x0000011900000118\n"},
        {"s_movreld_b32 s20, s40", 5,
         "s_movreld_b32 s20, s40 ; s40=0x00000128 m0=0x00000005 -> s25=0x00000128\n"},
        {"s_movreld_b64 s[20:21], s[40:41]", 6,
         "s_movreld_b64 s[20:21], s[40:41] ; s[40:41]=0x0000012900000128 m0=0x00000006 -> "
         "s[26:27]=0x0000012900000128\n"},
        {"s_movreld_b32 s20, s40", 1000,
         "s_movreld_b32 s20, s40 ; s40=0x00000128 m0=0x000003e8 -> s20=0x00000114\n"},
    };
    char path[] = "/tmp/kiln-trace-XXXXXX", spec[64], text[1024] = "";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    snprintf(spec, sizeof spec, "file=%s", path);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kiln_sim_trace_t *trace = NULL;
        kiln_sim_error_t error = {0};
        assert_true(kiln_sim_trace_open(spec, &trace, &error));
        sim_code_t code = sim_assemble_code(cases[i].text);
        const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
        sim.wave->exec = UINT64_MAX;
        for (uint32_t reg = 0; reg < 102; reg++)
            sim.wave->sgpr[reg] = 0x100 + reg;
        sim.wave->m0 = cases[i].m0;
        void *none = NULL;
        assert_true(kiln_sim_trace_observer.launch_begin(trace, &sim.launch, &none));
        kiln_sim_trace_observer.instruction(trace, sim.wave, inst, inst);
        inst->run(sim.wave, inst);
        kiln_sim_trace_observer.executed(trace, sim.wave, inst, inst);
        kiln_sim_trace_observer.launch_end(trace, &sim.launch, none);
        kiln_sim_trace_close(trace);
        sim_discard_code(&code);
        FILE *written = fopen(path, "r");
        assert_non_null(written);
        text[fread(text, 1, sizeof text - 1, written)] = '\0';
        fclose(written);
        if (!strstr(text, cases[i].line))
            fail_msg("'%s' is not in '%s'", cases[i].line, text);
    }
    close(file);
    unlink(path);
}

static void test_broken_device(void **state)
{
    (void)state;
    setenv("KILN_SIM_TRACE", "wave=many", 1);
    for (int i = 0; i < 2; i++) { // the error is reported again
        assert_int_equal(hipInit(0), KILN_SIM_INVALID_VALUE);
        assert_non_null(strstr(kilnSimGetLastErrorMessage(), "got 'wave=many'"));
    }
    // A program that never calls hipInit.
    void *pointer = NULL;
    assert_int_equal(hipMalloc(&pointer, 64), KILN_SIM_INVALID_VALUE);
    assert_null(pointer);
    assert_non_null(strstr(hipGetErrorString(KILN_SIM_INVALID_VALUE), "'wave=many'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted), cmocka_unit_test(test_off), cmocka_unit_test(test_refused),
        cmocka_unit_test_setup_teardown(test_relative_registers, sim_open, sim_close),
        cmocka_unit_test(test_broken_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
