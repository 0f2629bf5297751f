// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Behaviour that depends on the simulated device: names and numbers in HIP's properties, the limits
// of a launch, and the LDS available to a workgroup. The numbers here are copied independently from
// the data sheets.
//
// The environment is read once per process, so each case is a process of its own, and this one
// never uses the device.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

#define KERNELS KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco"

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s; last error: %s\n", __FILE__, __LINE__, #condition, \
                    kilnSimGetLastErrorMessage());                                                 \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

// Runs the body with these values of KILN_SIM_DEVICE and KILN_SIM_LDS; NULL: unset.
static void in_process(const char *device, const char *lds, bool (*body)(const void *argument),
                       const void *argument)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        set("KILN_SIM_DEVICE", device);
        set("KILN_SIM_LDS", lds);
        _exit(body(argument) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0)
        fail_msg("with KILN_SIM_DEVICE=%s and KILN_SIM_LDS=%s", device ? device : "(unset)",
                 lds ? lds : "(unset)");
}

static hipError_t launch(const char *name, unsigned groups, unsigned dynamic_lds)
{
    hipModule_t module;
    hipFunction_t function;
    void *buffers[2] = {NULL, NULL};
    size_t size = sizeof buffers;
    void *extra[] = {(void *)1, buffers, (void *)2, &size, (void *)3};
    hipError_t error = hipModuleLoad(&module, KERNELS);
    if (!error)
        error = hipModuleGetFunction(&function, module, name);
    for (unsigned i = 0; i < 2 && !error; i++)
        error = hipMalloc(&buffers[i], 4096);
    return error ? error
                 : hipModuleLaunchKernel(function, groups, 1, 1, 64, 1, 1, dynamic_lds, NULL, NULL,
                                         extra);
}

// ---- the devices

typedef struct product {
    const char *id, *name;
    int compute_units, clock_khz, memory_clock_khz;
    unsigned memory_gib;
    int integrated;
} product_t;

static const product_t products[] = {
    {NULL, "AMD Instinct MI300X (Kiln simulator)", 304, 2100000, 1300000, 192, 0},
    {"", "AMD Instinct MI300X (Kiln simulator)", 304, 2100000, 1300000, 192, 0},
    {"mi300x", "AMD Instinct MI300X (Kiln simulator)", 304, 2100000, 1300000, 192, 0},
    {"mi300a", "AMD Instinct MI300A (Kiln simulator)", 228, 2100000, 1300000, 128, 1},
    {"mi308x", "AMD Instinct MI308X (Kiln simulator)", 80, 1850000, 1300000, 192, 0},
    {"mi325x", "AMD Instinct MI325X (Kiln simulator)", 304, 2100000, 1500000, 256, 0},
};

static bool shows_in_properties(const void *argument)
{
    const product_t *want = argument;
    hip_properties_r0000_t old;
    hip_properties_r0600_t new;
    char name[256];
    EXPECT(hipInit(0) == 0);
    EXPECT(hipDeviceGetName(name, sizeof name, 0) == 0 && strcmp(name, want->name) == 0);
    EXPECT(hipGetDeviceProperties(&old, 0) == 0 && hipGetDevicePropertiesR0600(&new, 0) == 0);
    EXPECT(strcmp(old.name, want->name) == 0 && strcmp(new.name, want->name) == 0);
    EXPECT(strcmp(old.gcnArchName, "gfx942:sramecc+:xnack-") == 0);
    EXPECT(strcmp(new.gcnArchName, "gfx942:sramecc+:xnack-") == 0);
    EXPECT(old.multiProcessorCount == want->compute_units &&
           new.multiProcessorCount == want->compute_units);
    EXPECT(old.clockRate == want->clock_khz && new.clockRate == want->clock_khz);
    EXPECT(old.memoryClockRate == want->memory_clock_khz &&
           new.memoryClockRate == want->memory_clock_khz);
    EXPECT(old.memoryBusWidth == 8192 && new.memoryBusWidth == 8192);
    EXPECT(old.integrated == want->integrated && new.integrated == want->integrated);
    EXPECT(old.totalGlobalMem <= (size_t)want->memory_gib << 30 &&
           old.totalGlobalMem == new.totalGlobalMem);
    const int attributes[][2] = {{5, want->clock_khz},         {16, want->integrated},
                                 {60, want->memory_clock_khz}, {63, want->compute_units},
                                 {10015, want->compute_units}, {74, 65536}};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        int value;
        EXPECT(hipDeviceGetAttribute(&value, attributes[i][0], 0) == 0 &&
               value == attributes[i][1]);
    }
    return true;
}

// A workgroup of "banks" keeps the LDS of its compute unit busy for 66 cycles.
static bool bounds_launches(const void *argument)
{
    const product_t *want = argument;
    const unsigned units = (unsigned)want->compute_units;
    for (unsigned rounds = 1; rounds <= 3; rounds++) {
        kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
        EXPECT(launch("banks", rounds * units, 0) == 0 && kilnSimGetLaunchStats(&stats) == 0);
        EXPECT(stats.compute_units == units);
        EXPECT(stats.bound_lds > 66.0 * rounds - 0.01 && stats.bound_lds < 66.0 * rounds + 0.01);
        EXPECT(launch("banks", rounds * units + 1, 0) == 0 && kilnSimGetLaunchStats(&stats) == 0);
        EXPECT(stats.bound_lds > 66.0 * rounds + 1);
    }
    hipModule_t module;
    hipFunction_t function;
    int grid, block;
    EXPECT(hipModuleLoad(&module, KERNELS) == 0 &&
           hipModuleGetFunction(&function, module, "count") == 0);
    EXPECT(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, function, 0, 0) == 0);
    EXPECT(grid > 0 && grid % want->compute_units == 0);
    return true;
}

static void devices_have_their_own_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        in_process(products[i].id, NULL, shows_in_properties, &products[i]);
        in_process(products[i].id, NULL, bounds_launches, &products[i]);
    }
}

static bool is_refused(const void *argument)
{
    hip_properties_r0600_t properties;
    EXPECT(hipInit(0) == KILN_SIM_INVALID_VALUE);
    EXPECT(strcmp(kilnSimGetLastErrorMessage(), argument) == 0);
    EXPECT(hipGetDevicePropertiesR0600(&properties, 0) ==
           0); // programs that ignore errors must not crash
    return true;
}

static void wrong_words_are_errors_that_list_the_right_ones(void **state)
{
    (void)state;
    in_process("mi300", NULL, is_refused,
               "KILN_SIM_DEVICE: got 'mi300', expected mi300x, mi300a, mi308x or mi325x");
    in_process("MI300X", NULL, is_refused,
               "KILN_SIM_DEVICE: got 'MI300X', expected mi300x, mi300a, mi308x or mi325x");
    static const char *const wrong[] = {
        "0", "0k", "k", "64m", "64kb", "-1", "161k", "163841", "99999999999999999999", "160 k"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char message[256];
        snprintf(message, sizeof message,
                 "KILN_SIM_LDS: got '%s', expected bytes, or KiB with suffix k, of at most 160k",
                 wrong[i]);
        in_process(NULL, wrong[i], is_refused, message);
    }
}

// ---- LDS

// "banks" has 16384 static bytes, "count" none. HIP checks the dynamic bytes first, then the sum.
static bool has_lds(const void *argument)
{
    const unsigned max = *(const unsigned *)argument;
    hip_properties_r0600_t properties;
    EXPECT(hipGetDevicePropertiesR0600(&properties, 0) == 0 && properties.sharedMemPerBlock == max);
    EXPECT(launch("count", 1, max) == 0);
    EXPECT(launch("count", 1, max + 1) == KILN_SIM_INVALID_VALUE);
    EXPECT(strstr(kilnSimGetLastErrorMessage(), "the limit is"));
    EXPECT(launch("banks", 1, max - 16384) == 0);
    EXPECT(launch("banks", 1, max - 16384 + 1) == KILN_SIM_ILLEGAL_STATE);
    EXPECT(launch("banks", 1, max + 1) == KILN_SIM_INVALID_VALUE);

    hipModule_t module;
    hipFunction_t function;
    int value;
    EXPECT(hipModuleLoad(&module, KERNELS) == 0 &&
           hipModuleGetFunction(&function, module, "banks") == 0);
    EXPECT(hipFuncGetAttribute(&value, 8, function) == 0 && value == (int)max - 16384);
    EXPECT(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 64, max - 16384) ==
               0 &&
           value == 1);
    EXPECT(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 64, max) == 0 &&
           value == 0);
    return true;
}

// Programs make these calls before a launch that needs more than 48 KiB of LDS.
static bool may_request_lds(const void *argument)
{
    enum {
        MAX_DYNAMIC_SHARED_MEMORY_SIZE = 8,
        PREFERRED_CARVEOUT = 9,
        OWN_BYTES = 16384,
        INVALID_FUNCTION = 98
    };
    static const char banks = 0, count = 0,
                      unknown = 0; // host addresses that represent the kernels
    static uint8_t object[1 << 20];
    struct {
        uint32_t magic, version;
        const void *binary;
        void *unused;
    } header = {0x48495046, 1, object, NULL};
    char names[2][8] = {"banks", "count"};
    const int max = (int)*(const unsigned *)argument;
    FILE *file = fopen(KERNELS, "rb");
    EXPECT(file && fread(object, 1, sizeof object, file) > 0 && fclose(file) == 0);
    void **owner = __hipRegisterFatBinary(&header);
    __hipRegisterFunction(owner, &banks, names[0], names[0], 0, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterFunction(owner, &count, names[1], names[1], 0, NULL, NULL, NULL, NULL, NULL);
    EXPECT(hipFuncSetAttribute(&count, MAX_DYNAMIC_SHARED_MEMORY_SIZE, max) == 0);
    EXPECT(hipFuncSetAttribute(&count, MAX_DYNAMIC_SHARED_MEMORY_SIZE, max + 1) ==
           KILN_SIM_INVALID_VALUE);
    EXPECT(hipGetLastError() == KILN_SIM_INVALID_VALUE);
    EXPECT(hipFuncSetAttribute(&banks, MAX_DYNAMIC_SHARED_MEMORY_SIZE, max - OWN_BYTES) == 0);
    EXPECT(hipFuncSetAttribute(&banks, MAX_DYNAMIC_SHARED_MEMORY_SIZE, max - OWN_BYTES + 1) ==
           KILN_SIM_INVALID_VALUE);
    EXPECT(hipFuncSetAttribute(&banks, MAX_DYNAMIC_SHARED_MEMORY_SIZE, -1) ==
           KILN_SIM_INVALID_VALUE);
    EXPECT(hipFuncSetAttribute(&banks, PREFERRED_CARVEOUT, 100) == 0);
    EXPECT(hipFuncSetAttribute(&unknown, MAX_DYNAMIC_SHARED_MEMORY_SIZE, 0) == INVALID_FUNCTION);
    EXPECT(hipFuncSetAttribute(NULL, MAX_DYNAMIC_SHARED_MEMORY_SIZE, 0) == INVALID_FUNCTION);
    __hipUnregisterFatBinary(owner);
    return true;
}

static void more_lds_than_the_machine_has_is_refused_unless_lent(void **state)
{
    (void)state;
    static const struct {
        const char *option;
        unsigned bytes;
    } cases[] = {{NULL, 65536},    {"", 65536},      {"64k", 65536}, {"65536", 65536},
                 {"160k", 163840}, {"98304", 98304}, {"96K", 98304}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        in_process(NULL, cases[i].option, has_lds, &cases[i].bytes);
        in_process(NULL, cases[i].option, may_request_lds, &cases[i].bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_have_their_own_numbers),
        cmocka_unit_test(wrong_words_are_errors_that_list_the_right_ones),
        cmocka_unit_test(more_lds_than_the_machine_has_is_refused_unless_lent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
