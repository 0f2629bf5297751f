// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases for statuses, elements, comparisons, versioned structs and the version functions.
#ifndef API_CASES_BASE_H
#define API_CASES_BASE_H

static void statuses(void)
{
    kiln_status_t made = kiln_status_make(KILN_STATUS_OK, "no failure"); // a bug of the caller
    ANSWER_IS(kiln_status_code(made), == KILN_STATUS_INTERNAL);
    row_of_call("kiln_status_make(")->shown |= ANSWER;
    kiln_status_free(made);
    ANSWER_IS(kiln_status_code(KILN_OK), == KILN_STATUS_OK);
    ANSWER_IS(kiln_status_message(KILN_OK)[0], == '\0');
    ANSWER_IS(kiln_status_file(KILN_OK), == NULL);
    ANSWER_IS(kiln_status_line(KILN_OK), == 0);
    ANSWER_IS(kiln_status_column(KILN_OK), == 0);
    ANSWER_IS(kiln_status_note_count(KILN_OK), == 0);
    ANSWER_IS(kiln_status_note(KILN_OK, 0), == NULL);
    ANSWER_IS(kiln_status_at(KILN_OK, "file", 1, 2), == KILN_OK);
    ANSWER_IS(kiln_status_annotate(KILN_OK, "note"), == KILN_OK);
    ANSWER_IS(kiln_status_out_of_memory(), != KILN_OK);
    ANSWER_IS(kiln_status_is_out_of_memory(kiln_status_out_of_memory()), == true);
    ANSWER_IS(kiln_status_is_out_of_memory(NULL), == false);
    ANSWER_IS(kiln_status_exceeds(KILN_OK, KILN_RESOURCE_LDS, 2, 1), == KILN_OK);
    ANSWER_IS(kiln_status_resource(KILN_OK), == KILN_RESOURCE_NONE);
    ANSWER_IS(kiln_status_required(KILN_OK), == 0);
    ANSWER_IS(kiln_status_limit(KILN_OK), == 0);
    ANSWER_IS(kiln_resource_name((kiln_resource_t)99)[0], == '\0');
    ANSWER_IS(kiln_status_code_name((kiln_status_code_t)99)[0], == 'u');
    SURVIVES(kiln_status_free(KILN_OK));
    char *text;
    SURVIVES(kiln_status_free(kiln_status_make(KILN_STATUS_USAGE, "x")));
    text = kiln_status_format(KILN_OK);
    row_of_call("kiln_status_format(")->shown |= ANSWER;
    assert_string_equal(text, "\n");
    free(text);
}

static void elements(void)
{
    kiln_element_type_t type;
    double real;
    int64_t integer;
    const float one = 1;
    ANSWER_IS(kiln_element_type_parse(NULL, &type), == false);
    ANSWER_IS(kiln_element_type_parse("f32", NULL), == false);
    ANSWER_IS(kiln_element_type_name(KILN_ELEMENT_TYPE_COUNT), == NULL);
    ANSWER_IS(kiln_element_size(KILN_ELEMENT_F16), == 2);
    ANSWER_IS(kiln_element_kind(KILN_ELEMENT_U8), == KILN_ELEMENT_UNSIGNED);
    ANSWER_IS(kiln_element_is_float(KILN_ELEMENT_I32), == false);
    ANSWER_IS(kiln_element_to_double(KILN_ELEMENT_F32, &one), == 1.0);
    ANSWER_IS(kiln_element_to_int64(KILN_ELEMENT_I8, "\xff"), == -1);
    SURVIVES(kiln_element_from_double(KILN_ELEMENT_F64, 0.5, &real));
    SURVIVES(kiln_element_from_int64(KILN_ELEMENT_I64, 5, &integer));
}

static void structs(void)
{
    kiln_device_options_t device;
    kiln_jit_options_t jit;
    kiln_jit_call_t call;
    kiln_launch_t launch;
    kiln_compile_options_t compile;
    kiln_interp_launch_t interp;
    kiln_tune_problem_t problem;
    kiln_work_launch_t counted;
    kiln_program_call_t program;
    kiln_launcher_options_t launcher;
    kiln_iree_options_t iree;
    SURVIVES(kiln_device_options_initialize_sized(&device, sizeof device));
    SURVIVES(kiln_jit_options_initialize_sized(&jit, sizeof jit));
    SURVIVES(kiln_jit_call_initialize_sized(&call, sizeof call));
    SURVIVES(kiln_launch_initialize_sized(&launch, sizeof launch));
    SURVIVES(kiln_compile_options_initialize_sized(&compile, sizeof compile));
    SURVIVES(kiln_interp_launch_initialize_sized(&interp, sizeof interp));
    SURVIVES(kiln_tune_problem_initialize_sized(&problem, sizeof problem));
    kiln_tune_step_t step;
    SURVIVES(kiln_tune_step_initialize_sized(&step, sizeof step));
    SURVIVES(kiln_work_launch_initialize_sized(&counted, sizeof counted));
    SURVIVES(kiln_program_call_initialize_sized(&program, sizeof program));
    kiln_program_compile_options_t units;
    SURVIVES(kiln_program_compile_options_initialize_sized(&units, sizeof units));
    SURVIVES(kiln_launcher_options_initialize_sized(&launcher, sizeof launcher));
    SURVIVES(kiln_iree_options_initialize_sized(&iree, sizeof iree));
    ANSWER_IS(kiln_version()[0], != '\0');
    ANSWER_IS(kiln_llvm_version()[0], != '\0');
    ANSWER_IS(kiln_triton_versions()[0], != '\0');
    ANSWER_IS(kiln_build_id()[31], != '\0');
    ANSWER_IS(kiln_code_id()[31], != '\0');
}

static void base(void)
{
    statuses();
    elements();
    structs();
    const int32_t a = 1, b = 2;
    double error;
    NULLS(kiln_compare(KILN_ELEMENT_I32, &a, &b, 1, NULL), "out_error is NULL");
    NULLS(kiln_compare(KILN_ELEMENT_TYPE_COUNT, &a, &b, 1, &error), "type is");
    NULLS(kiln_compare(KILN_ELEMENT_I32, NULL, &b, 1, &error), "actual is NULL");
    NULLS(kiln_compare(KILN_ELEMENT_I32, &a, NULL, 1, &error), "expected is NULL");
    CASE(MISMATCH, kiln_compare(KILN_ELEMENT_I32, &a, &b, 1, &error), "[0] = 1, expected 2");
    kiln_case_t *test_case;
    NULLS(kiln_case_read(world.directory, NULL), "out_case is NULL");
    NULLS(kiln_case_read(NULL, &test_case), "directory is NULL");
    CASE(NOT_FOUND, kiln_case_read(path_of("nowhere"), &test_case), "case.json");
    kiln_case_release(test_case);
    write_file("case.json", "{}", 2);
    CASE(INVALID_INPUT, kiln_case_read(world.directory, &test_case), "while reading");
    kiln_case_release(test_case);
    SURVIVES(kiln_case_release(NULL));
}

#endif
