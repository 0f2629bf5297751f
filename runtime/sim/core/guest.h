// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between these two, a thread touches memory that kernels share. Waves that race for it do so in their own program, so
// ThreadSanitizer looks away, also from memcpy and memset, which compilers call where nobody wrote them and which are
// watched in whatever was compiled without it.
//
// What a reader gets wrong: the two nest, and what observers do inside is the simulator's own again.
#ifndef KILN_SIM_GUEST_H
#define KILN_SIM_GUEST_H

#if defined(__SANITIZE_THREAD__)
#define KILN_SIM_LOOKS_AWAY 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KILN_SIM_LOOKS_AWAY 1
#endif
#endif

#ifdef KILN_SIM_LOOKS_AWAY
// Reads alone say they, but writes are ignored as well; a library that is loaded at run time finds them in its program.
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);

static inline void kiln_sim_guest_begin(void)
{
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
}

static inline void kiln_sim_guest_end(void)
{
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
#else
static inline void kiln_sim_guest_begin(void) {}

static inline void kiln_sim_guest_end(void) {}
#endif

#endif
