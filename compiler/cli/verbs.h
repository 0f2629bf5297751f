// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs' functions, from verbs.def. Note that argv[0] is the verb, not the command.
#ifndef KILN_CLI_VERBS_H
#define KILN_CLI_VERBS_H

#define KILN_VERB(name, function, what) int function(int argc, char **argv);
#include "verbs.def"
#undef KILN_VERB

#endif
