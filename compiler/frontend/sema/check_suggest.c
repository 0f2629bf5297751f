// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suggestions for unknown names.
#include "frontend/sema/check.h"

// Whether a suggestion would be shown; otherwise the comparison with all names is skipped.
static bool is_shown(const kiln_checker_t *checker)
{
    return checker->reporter->error_count < KILN_ERROR_LIMIT;
}

kiln_advice_t kiln_suggest_value(const kiln_checker_t *checker, const char *name)
{
    kiln_suggestion_t near = kiln_suggestion(name);
    if (!is_shown(checker))
        return kiln_suggestion_advice(&near);
    size_t first = checker->frame ? checker->frame->first_symbol : 0;
    for (size_t i = checker->symbol_count; i > first; i--)
        if (checker->symbols[i - 1].kind != KILN_SYMBOL_TYPE && !checker->symbols[i - 1].is_unknown)
            kiln_suggestion_consider(&near, checker->symbols[i - 1].name);
    for (size_t i = 0; i < checker->global_count; i++)
        kiln_suggestion_consider(&near, checker->symbols[i].name);
    return kiln_suggestion_advice(&near);
}

kiln_advice_t kiln_suggest_function(const kiln_checker_t *checker, const char *name)
{
    kiln_suggestion_t near = kiln_suggestion(name);
    if (!is_shown(checker))
        return kiln_suggestion_advice(&near);
    for (size_t i = 0; i < checker->unit->function_count; i++)
        if (!checker->unit->functions[i]->is_kernel)
            kiln_suggestion_consider(&near, checker->unit->functions[i]->name);
    for (int i = 0; i < KILN_BUILTIN_COUNT; i++)
        if (kiln_builtin_row((kiln_builtin_id_t)i)->name[0] != '_') // private to the prelude
            kiln_suggestion_consider(&near, kiln_builtin_row((kiln_builtin_id_t)i)->name);
    for (size_t i = 0; checker->prelude && i < checker->prelude->function_count; i++)
        if (checker->prelude->functions[i]->name[0] != '_')
            kiln_suggestion_consider(&near, checker->prelude->functions[i]->name);
    for (size_t i = 0; kiln_library_row(i); i++)
        kiln_suggestion_consider(&near, kiln_library_row(i)->name);
    return kiln_suggestion_advice(&near);
}

kiln_advice_t kiln_suggest_parameter(const kiln_checker_t *checker,
                                     const kiln_function_syntax_t *kernel, const char *name,
                                     bool is_constexpr)
{
    kiln_suggestion_t near = kiln_suggestion(name);
    if (!is_shown(checker))
        return kiln_suggestion_advice(&near);
    for (size_t i = 0; i < kernel->parameter_count; i++)
        if (kernel->parameters[i].name && kernel->parameters[i].is_constexpr == is_constexpr)
            kiln_suggestion_consider(&near, kernel->parameters[i].name);
    for (size_t i = 0; i < checker->global_count && is_constexpr; i++)
        kiln_suggestion_consider(&near, checker->symbols[i].name);
    return kiln_suggestion_advice(&near);
}

kiln_advice_t kiln_suggest_kernel(const kiln_checker_t *checker, const char *name)
{
    kiln_suggestion_t near = kiln_suggestion(name);
    if (!is_shown(checker))
        return kiln_suggestion_advice(&near);
    for (size_t i = 0; i < checker->unit->function_count; i++)
        if (checker->unit->functions[i]->is_kernel)
            kiln_suggestion_consider(&near, checker->unit->functions[i]->name);
    return kiln_suggestion_advice(&near);
}
