// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer ranges: bounds of every integer value of a program, proved from the program's
// computations.
//
// Without a proof a value may be any number of its type: arguments, loads, atomics, calls,
// bitcasts, and every operation without a row in ranges.def. Hints (tt.divisibility, tt.contiguity,
// …) imply nothing about a sign. A condition of llvm.intr.assume is used for a value if the
// assumption is certain to be reached once the value is defined.
//
// Note that sums and products wrap. An index is not known to be positive because it is used in an
// address: program_id · 1024 is negative from 2^21 programs on.
//
// The analysis does not change the IR, and describes the IR as of its creation. For a value created
// later it uses only the operation that defines it, without loops. Values are identified by
// address, which new ones may reuse after an erasure; so after kiln_op_erase every value is treated
// like that.
#ifndef KILN_INTEGER_RANGE_H
#define KILN_INTEGER_RANGE_H

#include "analysis/range/transfer.h"
#include "kiln/status.h"

typedef struct kiln_range_analysis kiln_range_analysis_t;

// Analyses everything inside `root` (a module or a function). Free *out with
// kiln_range_analysis_destroy; it belongs to one thread.
kiln_status_t kiln_range_analysis_create(MlirOperation root, kiln_range_analysis_t **out);
void kiln_range_analysis_destroy(kiln_range_analysis_t *analysis); // accepts NULL

// Returns the type's full range if nothing is known; `bits` is 0 if the value is not an integer.
kiln_range_t kiln_range_of(const kiln_range_analysis_t *analysis, MlirValue value);

// The same without an analysis, from the operation and a few steps of its operands. An induction
// variable has its loop's bounds; other arguments of a region or a block may be any number.
kiln_range_t kiln_range_nearby(MlirValue value);

// Whether every element, read as signed, is proved to be at least 0, or more than 0.
bool kiln_is_known_non_negative(const kiln_range_analysis_t *analysis, MlirValue value);
bool kiln_is_known_positive(const kiln_range_analysis_t *analysis, MlirValue value);

// Whether no element can be the largest number of its type while its neighbour plus 1 wraps to the
// smallest: each of consecutive elements is then larger than the previous one, read as signed or
// unsigned.
bool kiln_is_known_not_to_wrap(const kiln_range_analysis_t *analysis, MlirValue value,
                               bool has_sign);

#endif
