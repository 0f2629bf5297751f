// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers in LDS beyond their linear layout: the gaps of #ttg.padded_shared, and the size of a
// buffer.
//
// A padded buffer moves the element at linear offset o to o + Σ (o / interval) · pad over its
// pairs. Note that this is not linear over F2, but offsets without common bits can still be padded
// separately and added.
#ifndef KILN_LAYOUT_PADDING_H
#define KILN_LAYOUT_PADDING_H

#include "layout/layout.h"

// The gaps of an encoding, and of a buffer's or a tensor's type; empty except for
// #ttg.padded_shared.
kiln_padding_t kiln_layout_padding(MlirAttribute encoding);
kiln_padding_t kiln_type_padding(MlirType type);

// The distance that the element at linear offset `offset` moves.
uint64_t kiln_padding_shift(const kiln_padding_t *padding, uint64_t offset);

// The widest vector (a power of two, at most `vector`) that no gap splits and that begins at a
// multiple of its size.
int kiln_padding_limit(const kiln_padding_t *padding, int vector);

// The number of dimensions of one buffer of a shared encoding; 0 for other encodings.
int kiln_lds_encoding_rank(MlirAttribute encoding);

// Elements that one buffer takes, gaps included; `shape` is that of one buffer. 0 where the
// encoding has no LDS layout.
uint64_t kiln_lds_buffer_elements(MlirAttribute encoding, int rank, const int64_t *shape);

#endif
