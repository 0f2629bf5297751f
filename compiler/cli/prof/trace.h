// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace of `kiln prof --trace`: Chrome's trace events, which https://ui.perfetto.dev reads.
#ifndef KILN_CLI_PROF_TRACE_H
#define KILN_CLI_PROF_TRACE_H

#include "log.h"

// Writes a track for each stream, with the launches of graphs around their work, and one for each
// host thread, with the work that it enqueued and its waits; arrows lead from there to the work.
kiln_status_t kiln_prof_trace_write(const char *path, const kiln_prof_log_t *log,
                                    const kiln_prof_source_t *source);

#endif
