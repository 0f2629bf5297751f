// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses small modules for the tests of analyses; operations are found by a discardable attribute
// `tag`.
#ifndef KILN_TEST_ANALYSIS_MODULE_H
#define KILN_TEST_ANALYSIS_MODULE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "builder/ir.h"

typedef struct test_module {
    MlirContext context;
    MlirModule module;
} test_module_t;

static inline test_module_t parse_module(const char *text)
{
    test_module_t test = {.context = mlirContextCreateWithThreading(false)};
    kiln_context_load_dialects(test.context);
    test.module = mlirModuleCreateParse(test.context, mlirStringRefCreateFromCString(text));
    assert_false(mlirModuleIsNull(test.module));
    return test;
}

static inline void free_module(test_module_t *test)
{
    mlirModuleDestroy(test->module);
    mlirContextDestroy(test->context);
}

typedef struct tag_search {
    int64_t tag;
    MlirOperation found;
} tag_search_t;

static inline MlirWalkResult match_tag(MlirOperation op, void *user)
{
    tag_search_t *search = user;
    MlirAttribute tag =
        mlirOperationGetDiscardableAttributeByName(op, mlirStringRefCreateFromCString("tag"));
    if (mlirAttributeIsNull(tag) || kiln_ir_int_attr(op, "tag", -1) != search->tag)
        return MlirWalkResultAdvance;
    search->found = op;
    return MlirWalkResultInterrupt;
}

static inline MlirOperation tagged(const test_module_t *test, int64_t tag)
{
    tag_search_t search = {tag, {NULL}};
    kiln_walk(mlirModuleGetOperation(test->module), MlirWalkPreOrder, match_tag, &search);
    assert_false(mlirOperationIsNull(search.found));
    return search.found;
}

#endif
