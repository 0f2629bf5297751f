// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What values are as functions of the lane: which differ between the lanes of a wave, and by how
// much one does for each bit of the lane's number, if it is a sum over these bits.
#ifndef KILN_CODEGEN_LANE_SUMS_H
#define KILN_CODEGEN_LANE_SUMS_H

#include <llvm-c/Core.h>

#include "analysis/pointer_map.h"

enum {
    KILN_LANE_BITS = 6,
    KILN_THREAD_BITS = 10, // of a workitem's number in its workgroup
};

// The instructions of a function that may differ between lanes, and whether a branch may: then not
// all lanes of a wave execute the blocks behind it.
typedef struct kiln_lane_facts {
    kiln_pointer_map_t differs;
    bool branches;
} kiln_lane_facts_t;

typedef struct kiln_lane_sum {
    int64_t step[KILN_THREAD_BITS];    // that a set bit adds
    bool is_unknown[KILN_THREAD_BITS]; // a multiple of something that only the launch knows
} kiln_lane_sum_t;

// Returns false if memory is exhausted; the facts must be freed either way.
bool kiln_lane_facts_find(kiln_lane_facts_t *facts, LLVMValueRef function);
void kiln_lane_facts_free(kiln_lane_facts_t *facts);
bool kiln_lane_differs(const kiln_lane_facts_t *facts, LLVMValueRef value);
bool kiln_lane_is_thread(LLVMValueRef value); // the workitem's number along x

// Returns false if the value is no such sum, or a longer one than is worth looking at. An address
// is in bytes. The sum may wrap where the value would not.
bool kiln_lane_sum_of(const kiln_lane_facts_t *facts, LLVMValueRef value, kiln_lane_sum_t *out);

#endif
