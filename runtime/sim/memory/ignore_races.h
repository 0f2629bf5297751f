// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brackets a thread's accesses to memory that kernels share. A race between waves there is a race
// in the simulated program, so ThreadSanitizer ignores accesses between begin and end. This
// includes memcpy and memset: compilers also insert calls to them, and ThreadSanitizer intercepts
// them even in code compiled without it.
//
// Begin and end nest. Observers that run in between access the simulator's own memory, which is
// checked again.
#ifndef KILN_SIM_IGNORE_RACES_H
#define KILN_SIM_IGNORE_RACES_H

#if defined(__SANITIZE_THREAD__)
#define KILN_SIM_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KILN_SIM_HAS_TSAN 1
#endif
#endif

#ifdef KILN_SIM_HAS_TSAN
// Despite the name, writes are ignored as well. A library that is loaded at run time finds these
// functions in the program that loads it.
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);

static inline void kiln_sim_ignore_races_begin(void)
{
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
}

static inline void kiln_sim_ignore_races_end(void)
{
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
#else
static inline void kiln_sim_ignore_races_begin(void) {}

static inline void kiln_sim_ignore_races_end(void) {}
#endif

#endif
