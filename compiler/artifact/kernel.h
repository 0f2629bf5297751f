// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel while it is being compiled. It is immutable after kiln_compile has returned it.
#ifndef KILN_KERNEL_H
#define KILN_KERNEL_H

#include "base/description.h"
#include "frontend/core/constants.h"
#include "kiln/kiln.h"

enum { KILN_STAGE_COUNT = KILN_STAGE_HSACO + 1 };

struct kiln_kernel {
    char *name;
    char *symbol; // of the code object: the name, except in a program (kiln_compile_unit)
    char *code_object;
    size_t code_object_size;
    char *object; // the object from which the code object was linked, if a program needs it; else
                  // NULL
    size_t object_size;
    char *texts[KILN_STAGE_COUNT];
    char *manifest;
    char *findings; // text of the section of findings (findings_section.h); NULL: no section
    unsigned block_size;
    kiln_argument_t *arguments; // names and types are owned
    size_t argument_count;
    kiln_hidden_argument_t *hidden; // kinds are owned
    size_t hidden_count;
    size_t kernarg_size, kernarg_align;
    kiln_named_constants_t constants;
    char *source_hash;        // XXH3-128 of the source's text and its includes, in hexadecimal
    const char *source_stage; // "tile", "tt", "ttg"
    char **includes;          // names of files read by #include
    size_t include_count;
    kiln_expression_t grid[3]; // if options.grid is not NULL
    kiln_resources_t resources;
    int pipeline_stages; // of the loop with the most
    bool reads_program_id;
    bool has_facts; // `facts` is set
    kiln_program_facts_t facts;
    kiln_timing_t *timings; // phases are owned
    size_t timing_count, timing_capacity;
    bool out_of_memory; // a part of the kernel's data or a dump is missing because memory was
                        // exhausted
};

void kiln_kernel_add_timing(kiln_kernel_t *kernel, const char *phase, double milliseconds);

#endif
