// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings of the front end: those found during checking (check_warn.c), and passes over the
// accepted program (warn_*.c). Flags decide which are reported (warnings.def).
//
// A helper is checked once per call and the body of a constant loop once per iteration, so each
// location is reported only once.
#ifndef KILN_FRONTEND_CHECK_WARN_H
#define KILN_FRONTEND_CHECK_WARN_H

#include "frontend/sema/check.h"

// Returns false if nothing was reported, also if the location is unreachable.
bool kiln_check_warn(kiln_checker_t *checker, kiln_warning_id_t id, kiln_span_t at,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

// During checking: each examines the construct that was just checked.
void kiln_warn_condition(kiln_checker_t *checker, const kiln_expr_t *expr);
void kiln_warn_precedence(kiln_checker_t *checker, const kiln_expr_t *expr, const kiln_node_t *a,
                          const kiln_node_t *b);
void kiln_warn_discarded(kiln_checker_t *checker, const kiln_expr_t *expr, const kiln_node_t *node);
void kiln_warn_overflow(kiln_checker_t *checker, kiln_operator_t op, kiln_constant_t a,
                        kiln_constant_t b, kiln_constant_t result, kiln_span_t at);
void kiln_warn_shift(kiln_checker_t *checker, const kiln_node_t *value, const kiln_node_t *count,
                     kiln_span_t at);
void kiln_warn_literal(kiln_checker_t *checker, kiln_scalar_t scalar, double value,
                       kiln_span_t span);
void kiln_warn_conversion(kiln_checker_t *checker, const kiln_node_t *node, kiln_scalar_t to);

// Passes after the program was accepted.
void kiln_warn_unused(kiln_checker_t *checker);                                 // warn_unused.c
void kiln_warn_uninitialized(kiln_checker_t *checker, kiln_program_t *program); // warn_flow.c
void kiln_warn_values(kiln_checker_t *checker, kiln_program_t *program);        // warn_values.c

#endif
