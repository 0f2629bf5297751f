// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases for problems as text, kiln_tune_find_recorded.
#ifndef API_CASES_RECORDED_H
#define API_CASES_RECORDED_H

#define RECORD(rest) "{\"version\":1,\"file\":\"k\",\"source\":\"x\",\"kernel\":null," rest "}"
// A whole one.
static const char FULL[] =
    RECORD("\"stage\":0,\"tuning_arguments\":\"n=1\",\"settings\":{\"A\":\"1\"},\"arguments\":"
           "[{\"name\":\"n\",\"integer\":1,\"divisibility\":0,\"below_2g\":false}]");

static void recorded_problems(kiln_tune_store_t *store)
{
    static const char EMPTY[] = RECORD("\"stage\":0,\"tuning_arguments\":\"\",\"settings\":{},"
                                       "\"arguments\":[{\"name\":\"n\",\"divisibility\":0}]"),
                      EIGHTH[] = RECORD("\"stage\":0,\"tuning_arguments\":\"\",\"settings\":{},"
                                        "\"arguments\":[{\"name\":\"n\",\"integer\":8,"
                                        "\"divisibility\":8}]"),
                      CODE[] = RECORD("\"stage\":5"), NEWER[] = "{\"version\":2}";
    kiln_tune_match_t match = {.struct_size = sizeof match}, no_match = {0};
    NULLS(kiln_tune_find_recorded(NULL, 0, world.device, NULL, store, KILN_TUNE_USE_EXACT, &match),
          "line is NULL");
    NULLS(kiln_tune_find_recorded(FULL, 1, NULL, NULL, store, KILN_TUNE_USE_EXACT, &match),
          "device is NULL");
    NULLS(kiln_tune_find_recorded(FULL, strlen(FULL), world.device, NULL, NULL, KILN_TUNE_USE_EXACT,
                                  &match),
          "store is NULL");
    NULLS(kiln_tune_find_recorded(FULL, 1, world.device, NULL, store, KILN_TUNE_USE_EXACT, NULL),
          "out_match is NULL");
    NULLS(
        kiln_tune_find_recorded(FULL, 1, world.device, NULL, store, KILN_TUNE_USE_EXACT, &no_match),
        "out_match->struct_size is 0");
    CASE(INVALID_INPUT,
         kiln_tune_find_recorded("{", 1, world.device, NULL, store, KILN_TUNE_USE_EXACT, &match),
         "recorded problem");
    CASE(UNSUPPORTED,
         kiln_tune_find_recorded(NEWER, strlen(NEWER), world.device, NULL, store,
                                 KILN_TUNE_USE_EXACT, &match),
         "unknown version 2");
    CASE(INVALID_INPUT,
         kiln_tune_find_recorded(CODE, strlen(CODE), world.device, NULL, store, KILN_TUNE_USE_EXACT,
                                 &match),
         "unknown stage 5");
    CASE(INVALID_INPUT,
         kiln_tune_find_recorded(EMPTY, strlen(EMPTY), world.device, NULL, store,
                                 KILN_TUNE_USE_EXACT, &match),
         "no value and no size");
    CASE(INVALID_INPUT,
         kiln_tune_find_recorded(EIGHTH, strlen(EIGHTH), world.device, NULL, store,
                                 KILN_TUNE_USE_EXACT, &match),
         "a divisibility of 8");
    CASE(NOT_FOUND,
         kiln_tune_find_recorded(FULL, strlen(FULL), world.device, NULL, store, KILN_TUNE_USE_EXACT,
                                 &match),
         "no tuning result");
}

#endif
