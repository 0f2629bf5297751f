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
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);
#define kiln_sim_guest_begin __tsan_ignore_thread_begin
#define kiln_sim_guest_end __tsan_ignore_thread_end
#else
static inline void kiln_sim_guest_begin(void) {}

static inline void kiln_sim_guest_end(void) {}
#endif

#endif
