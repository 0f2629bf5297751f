// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computing a value a second time in another layout, where that is cheaper than moving it.
#ifndef KILN_REMATERIALISE_H
#define KILN_REMATERIALISE_H

#include "passes/layout_names.h"
#include "passes/value_map.h"

// Remembers what was already made; one for all calls on a module as long as nothing is erased in between.
typedef struct kiln_rematerialiser {
    kiln_layout_names_t *names;
    kiln_value_map_t made; // (value, encoding) → MlirValue.ptr
    bool out_of_memory;    // what was decided is not what would have been: the pass must fail
} kiln_rematerialiser_t;

// The value of `convert` (a ttg.convert_layout) computed in the wanted layout by cloning the cheap operations that lead
// to its source, with conversions only at smaller or cheaper places; a null value where that would cost more than the
// conversion does.
MlirValue kiln_rematerialise(kiln_rematerialiser_t *self, MlirOperation convert);

// Whether the operation may be made again, and so may be erased where nothing uses it.
bool kiln_can_rematerialise(MlirOperation op);

// Whether a tt.load of few elements may as well be done in this layout as in its own, and costs less so than a conversion.
bool kiln_may_load_in(const kiln_layout_names_t *names, MlirOperation load, MlirAttribute encoding);

void kiln_rematerialiser_free(kiln_rematerialiser_t *self);

#endif
