// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files that read a program for its work share: read.c has nodes and places,
// steps.c the steps.
#ifndef KILN_ANALYSIS_WORK_READER_H
#define KILN_ANALYSIS_WORK_READER_H

#include "analysis/dot_plan.h"
#include "analysis/pointer_map.h"
#include "analysis/work/program.h"
#include "builder/ir.h"

typedef struct kiln_work_reader {
    kiln_work_program_t *program;
    kiln_pointer_map_t numbers; // value → its node
    kiln_pointer_map_t blocks;  // block → its place
    kiln_pointer_map_t loads;   // loaded value → its item
    kiln_dots_t dots;
} kiln_work_reader_t;

// The value's node; −1 for a null value, or one without a node.
int kiln_work_node_of(const kiln_work_reader_t *reader, MlirValue value);

// Whether a loaded tile only becomes operands of dots, possibly transposed.
bool kiln_work_only_feeds_dots(MlirValue value);

// Adds the steps of an operation whose results have nodes. False if memory is exhausted.
bool kiln_work_read_step(kiln_work_reader_t *reader, MlirOperation op, int place);

#endif
