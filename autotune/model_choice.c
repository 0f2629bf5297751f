// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There is no model yet that judges a candidate without compiling it.
#include "model_choice.h"

kiln_status_t kiln_tune_model_choose(const kiln_tune_problem_t *problem, char **out_config)
{
    *out_config = NULL;
    return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                            "no settings are stored for '%s' with %s, and this version of Kiln has "
                            "no model that chooses them; use another mode (use-or-search)",
                            problem->source.name,
                            *problem->arguments ? problem->arguments : "no scalar arguments");
}
