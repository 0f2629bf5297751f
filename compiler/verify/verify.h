// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `kiln verify`: runs the same code objects on a GPU and on the simulator, and compares.
//
// An item is one comparison, such as one instruction or one example. Items run in a child process,
// because a fault on a GPU ends the process that caused it: the parent then knows which item was
// running, and continues with the next one (run.c). The parent itself never opens a device.
//
// Note that lists of items must not depend on a device: parent and children share them by fork.
#ifndef KILN_VERIFY_H
#define KILN_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln/runtime.h"

typedef enum kiln_verify_family {
#define KILN_VERIFY_FAMILY(id, name, what) KILN_VERIFY_##id,
#include "verify/families.def"
#undef KILN_VERIFY_FAMILY
    KILN_VERIFY_FAMILIES
} kiln_verify_family_t;

extern const char *const kiln_verify_family_names[KILN_VERIFY_FAMILIES];
extern const char *const kiln_verify_family_texts[KILN_VERIFY_FAMILIES];

typedef enum kiln_verify_verdict {
    KILN_VERIFY_PENDING,   // not reached
    KILN_VERIFY_IDENTICAL, // all bits are equal
    KILN_VERIFY_CLOSE,     // within the tolerance of the comparison
    KILN_VERIFY_DIFFERS,
    KILN_VERIFY_FAILED,  // could not run on one of the devices; the text says on which
    KILN_VERIFY_SKIPPED, // not run; the text says why
    KILN_VERIFY_VERDICTS
} kiln_verify_verdict_t;

extern const char *const kiln_verify_verdict_names[KILN_VERIFY_VERDICTS];

// The result of an item. Results are in memory that parent and children share, so they contain no
// pointers.
typedef struct kiln_verify_result {
    kiln_verify_verdict_t verdict;
    uint64_t compared, different; // results: elements, or lanes of an instruction
    char text[640];               // details of the first difference, or of the failure
    double measured, predicted;   // of families that time; in `unit`
    char unit[8];                 // empty if nothing was timed
    char parameter[24];           // the clock's parameter that was measured; may be empty
    int value;                    // of the parameter
} kiln_verify_result_t;

typedef struct kiln_verify_item {
    kiln_verify_family_t family;
    char *name;
    size_t index; // in its family
} kiln_verify_item_t;

typedef struct kiln_verify_options {
    kiln_status_t (*open_gpu)(kiln_device_t **out_device); // called in children
    uint64_t seed;                                         // of drawn operands
    double seconds; // no item starts later than this after the run's start
    bool families[KILN_VERIFY_FAMILIES];
    const char *match;      // only items whose names contain it; NULL: all
    const char *parameters; // file of parameters for predictions; NULL: none
    char **cases;           // directories of test cases
    size_t case_count;
} kiln_verify_options_t;

// The GPU, as its library reports it.
typedef struct kiln_verify_machine {
    char name[128], library[256], target[64], key[160];
    int driver_version, runtime_version;
    unsigned compute_units, clock_khz;
    bool is_simulated;     // the HIP library is a simulator
    char simulated_as[16]; // the simulator's device that it is compared with
} kiln_verify_machine_t;

typedef struct kiln_verify_run {
    const kiln_verify_options_t *options;
    kiln_verify_item_t *items;
    size_t item_count, item_capacity;
    kiln_verify_result_t *results; // one per item
    kiln_verify_machine_t machine;
    double seconds; // that the run took
} kiln_verify_run_t;

// Lists the items and runs them. Fails if no GPU can be opened, or nothing matches; differences are
// results. Free with kiln_verify_release, also after a failure.
kiln_status_t kiln_verify(const kiln_verify_options_t *options, kiln_verify_run_t *out_run);
void kiln_verify_release(kiln_verify_run_t *run);

// A child's state -------------------------------------------------------------------------------

// Objects shared by the items of one family, such as a code object with all of its kernels.
typedef struct kiln_verify_context {
    const kiln_verify_run_t *run;
    kiln_device_t *gpu, *simulator, *predictor; // the last is opened on first use (timing.h)
    void *shared[KILN_VERIFY_FAMILIES]; // of a family, from its own function; lives as long as the
                                        // child
} kiln_verify_context_t;

// Opens a simulator of the same kind of machine, with more options (may be NULL).
kiln_status_t kiln_verify_open_simulator(const kiln_verify_machine_t *machine,
                                         const kiln_sim_setting_t *settings, size_t count,
                                         kiln_device_t **out_device);

// Appends an item; `name` is copied.
kiln_status_t kiln_verify_add(kiln_verify_run_t *io_run, kiln_verify_family_t family,
                              const char *name, size_t index);

// Sets the verdict to FAILED, with the status's message, and frees the status. `where` is "GPU",
// "simulator" or another part that failed. After a failure on a GPU the child ends, because HIP
// fails every later call of the process.
void kiln_verify_fail(kiln_verify_result_t *result, const char *where, kiln_status_t status);

#define KILN_VERIFY_FAMILY(id, name, what)                                                         \
    kiln_status_t kiln_verify_list_##id(kiln_verify_run_t *io_run);                                \
    void kiln_verify_run_##id(kiln_verify_context_t *context, size_t index,                        \
                              kiln_verify_result_t *result);
#include "verify/families.def"
#undef KILN_VERIFY_FAMILY

#endif
