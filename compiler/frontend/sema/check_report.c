// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker's errors and notes: each error once, at a location that the user can see.
#include "frontend/sema/check_warn.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The location at which an error is shown. For an error in the prelude, it is the call that led
// there, and `out_site` is the call site around that call.
static kiln_span_t visible(const kiln_checker_t *checker, kiln_span_t at,
                           const kiln_call_site_t **out_site)
{
    *out_site = checker->site;
    while (kiln_span_is_prelude(at) && *out_site) {
        at = (*out_site)->span;
        *out_site = (*out_site)->outer;
    }
    return at;
}

// Returns true for the first report of an error. In an expansion, each call would repeat the same
// error, and follow-up errors in the prelude concern code that users do not see.
static bool is_new(kiln_checker_t *checker, kiln_span_t at, const kiln_call_site_t *site,
                   const char *message)
{
    const kiln_call_site_t *prelude = checker->site; // the call of the prelude that users see
    if (!site && site == checker->site)
        return true;
    while (prelude && prelude->outer != site)
        prelude = prelude->outer;
    for (size_t i = 0; i < checker->reported_count; i++) {
        const kiln_reported_t *reported = &checker->reported[i];
        if (reported->at == at.begin &&
            ((prelude && reported->prelude == prelude) || strcmp(reported->message, message) == 0))
            return false;
    }
    const kiln_reported_t reported = {at.begin, prelude, message};
    KILN_ARENA_PUSH(checker->arena, checker->reported, checker->reported_count,
                    checker->reported_capacity, reported);
    return true;
}

static void note_calls(kiln_checker_t *checker, const kiln_call_site_t *site)
{
    // Note the three innermost calls and the outermost.
    for (unsigned depth = 0; site; site = site->outer, depth++)
        if (depth < 3 || !site->outer)
            KILN_REPORT_NOTE(checker->reporter, site->span, "in this call of '%s'", site->function);
}

void kiln_check_note_calls(kiln_checker_t *checker)
{
    note_calls(checker, checker->site);
}

// Reports an error; if `right` is given, as one between both nodes.
static void fail(kiln_checker_t *checker, kiln_span_t at, const kiln_node_t *left,
                 const kiln_node_t *right, const char *format, va_list arguments)
{
    const kiln_call_site_t *site, *other;
    at = visible(checker, at, &site);
    checker->failures++;
    const char *message = kiln_arena_vprint(checker->arena, format, arguments);
    if (!is_new(checker, at, site, message))
        return;
    if (right)
        kiln_report_between(checker->reporter, KILN_SEVERITY_ERROR, at,
                            visible(checker, left->span, &other),
                            visible(checker, right->span, &other), "%s", message);
    else
        KILN_REPORT_ERROR(checker->reporter, at, "%s", message);
    note_calls(checker, site);
}

void kiln_check_fail(kiln_checker_t *checker, kiln_span_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(checker, at, NULL, NULL, format, arguments);
    va_end(arguments);
}

void kiln_check_fail_between(kiln_checker_t *checker, kiln_span_t at, const kiln_node_t *left,
                             const kiln_node_t *right, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(checker, at, left, right, format, arguments);
    va_end(arguments);
}

void kiln_check_note_declarations(kiln_checker_t *checker, const kiln_node_t *a,
                                  const kiln_node_t *b)
{
    kiln_check_note_declaration(checker, a);
    if (a->kind != KILN_NODE_VARIABLE || b->kind != KILN_NODE_VARIABLE ||
        a->variable != b->variable)
        kiln_check_note_declaration(checker, b);
}

void kiln_check_note_declaration(kiln_checker_t *checker, const kiln_node_t *node)
{
    while (node->kind == KILN_NODE_EXPAND || node->kind == KILN_NODE_CONVERT ||
           node->kind == KILN_NODE_BROADCAST)
        node = node->a;
    if ((node->kind == KILN_NODE_VARIABLE || node->kind == KILN_NODE_STRUCT) &&
        node->variable->name)
        KILN_REPORT_NOTE(checker->reporter, node->variable->at, "'%s' is declared here as %s",
                         node->variable->name, KILN_TYPE_TEXT(checker, &node->variable->type));
}
