// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why the best combination of a search is still slower than it could be: the findings of
// `kiln bench` for it.
#ifndef KILN_CLI_TUNE_FINDINGS_H
#define KILN_CLI_TUNE_FINDINGS_H

#include "cli/findings/findings.h"
#include "cli/launch/call.h"
#include "kiln/tune.h"

// Takes the enabled findings from the flags, which do not apply to the candidates of a search then:
// their remarks would be those of all of them.
kiln_status_t kiln_tune_findings_begin(kiln_warnings_t *out_enabled);

// Compiles the combination again with findings enabled and, where times are predicted, launches it
// once more on another device like the search's, which records stalls. `launch` has the settings
// that do not vary. Failures are returned: the same launch has succeeded in the search.
kiln_status_t kiln_tune_findings(const kiln_device_t *device, const kiln_launch_flags_t *launch,
                                 const kiln_source_t *source, const kiln_tune_candidate_t *best,
                                 char **words, size_t word_count, kiln_findings_t *io_findings);

#endif
