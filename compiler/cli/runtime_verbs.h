// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs that run things. Each takes its own words (argv[0] is the verb) and returns the command's exit code.
#ifndef KILN_CLI_RUNTIME_VERBS_H
#define KILN_CLI_RUNTIME_VERBS_H

int kiln_verb_case(int argc, char **argv);
int kiln_verb_run(int argc, char **argv);
int kiln_verb_tune(int argc, char **argv);
int kiln_verb_doctor(int argc, char **argv);

#endif
