// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recomputes a value in another layout if that is cheaper than moving it.
#ifndef KILN_REMATERIALISE_H
#define KILN_REMATERIALISE_H

#include "passes/layouts/names.h"
#include "passes/rewrite/value_map.h"

// Caches clones; use one for all calls on a module as long as nothing is erased in between.
typedef struct kiln_rematerialiser {
    kiln_layout_names_t *names;
    kiln_value_map_t made; // (value, encoding) → MlirValue.ptr
    bool out_of_memory;    // decisions may differ from normal ones: the pass must fail
} kiln_rematerialiser_t;

// Recomputes the value of `convert` (a ttg.convert_layout) in the wanted layout by cloning the
// cheap operations that define its source, with conversions only of smaller or cheaper values.
// Returns a null value if that would cost more than the conversion.
MlirValue kiln_rematerialise(kiln_rematerialiser_t *self, MlirOperation convert);

// Whether the operation may be cloned, and so may be erased if unused.
bool kiln_can_rematerialise(MlirOperation op);

// Whether a tt.load of few elements may use this layout instead of its own, at a lower cost than a
// conversion.
bool kiln_may_load_in(const kiln_layout_names_t *names, MlirOperation load, MlirAttribute encoding);

void kiln_rematerialiser_free(kiln_rematerialiser_t *self);

#endif
