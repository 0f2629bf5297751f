// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Occupancy by registers and LDS. Note that without accumulation registers the architectural ones
// are not rounded to 4 first. Scalar registers are not rounded to their granule either: llc fits
// 100 eight times into 800.
#include "occupancy.h"

#include "base/gfx942.h"

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
static unsigned align(unsigned value, unsigned to)
{
    return (value + to - 1) / to * to;
}

unsigned kiln_occupancy_by_registers(unsigned vgprs, unsigned agprs, unsigned sgprs)
{
    unsigned total =
        align(align(vgprs, KILN_GFX942_ACCUM_OFFSET_GRANULE) + agprs, KILN_GFX942_VGPR_GRANULE);
    if (total > KILN_GFX942_SIMD_VGPRS)
        return 0;
    unsigned waves = KILN_GFX942_WAVES_PER_SIMD;
    if (total)
        waves = smaller(waves, KILN_GFX942_SIMD_VGPRS / total);
    if (sgprs)
        waves = smaller(waves, KILN_GFX942_SIMD_SGPRS / smaller(sgprs, KILN_GFX942_WAVE_SGPRS));
    return waves;
}

static unsigned workgroups_of(unsigned vgprs, unsigned agprs, unsigned sgprs, unsigned lds_bytes,
                              unsigned waves)
{
    if (!waves || lds_bytes > KILN_GFX942_LDS_BYTES)
        return 0;
    unsigned workgroups =
        kiln_occupancy_by_registers(vgprs, agprs, sgprs) * KILN_GFX942_SIMDS / waves;
    if (lds_bytes)
        workgroups =
            smaller(workgroups, KILN_GFX942_LDS_BYTES / align(lds_bytes, KILN_GFX942_LDS_GRANULE));
    return workgroups;
}

static unsigned waves_per_simd(unsigned workgroups, unsigned waves)
{
    return (workgroups * waves + KILN_GFX942_SIMDS - 1) / KILN_GFX942_SIMDS;
}

unsigned kiln_occupancy(unsigned vgprs, unsigned agprs, unsigned sgprs, unsigned lds_bytes,
                        unsigned waves)
{
    return waves_per_simd(workgroups_of(vgprs, agprs, sgprs, lds_bytes, waves), waves);
}

// Workgroups per compute unit with another amount of one resource.
typedef unsigned (*with_t)(const unsigned use[4], unsigned amount, unsigned waves);

static unsigned with_registers(const unsigned use[4], unsigned amount, unsigned waves)
{
    return workgroups_of(amount, 0, use[2], use[3], waves);
}
static unsigned with_scalars(const unsigned use[4], unsigned amount, unsigned waves)
{
    return workgroups_of(use[0], use[1], amount, use[3], waves);
}
static unsigned with_lds(const unsigned use[4], unsigned amount, unsigned waves)
{
    return workgroups_of(use[0], use[1], use[2], amount, waves);
}

void kiln_occupancy_limits(unsigned vgprs, unsigned agprs, unsigned sgprs, unsigned lds_bytes,
                           unsigned waves, kiln_occupancy_limits_t *out)
{
    const unsigned use[4] = {vgprs, agprs, sgprs, lds_bytes};
    const unsigned vectors = agprs ? align(vgprs, KILN_GFX942_ACCUM_OFFSET_GRANULE) + agprs : vgprs;
    const struct {
        const char *name;
        unsigned used;
        with_t with;
    } resources[] = {{"vector registers", vectors, with_registers},
                     {"bytes of LDS", lds_bytes, with_lds},
                     {"scalar registers", sgprs, with_scalars}};
    *out = (kiln_occupancy_limits_t){.now = kiln_occupancy(vgprs, agprs, sgprs, lds_bytes, waves),
                                     .workgroups =
                                         workgroups_of(vgprs, agprs, sgprs, lds_bytes, waves)};
    for (unsigned i = 0; out->now && !out->resource && i < sizeof resources / sizeof *resources;
         i++) {
        // Occupancy does not fall with less of a resource, so the step is found by bisection.
        unsigned low = 0, high = resources[i].used;
        if (!high || waves_per_simd(resources[i].with(use, 1, waves), waves) <= out->now)
            continue;
        for (low = 1; high - low > 1;) {
            const unsigned middle = low + (high - low) / 2;
            const unsigned then = waves_per_simd(resources[i].with(use, middle, waves), waves);
            *(then > out->now ? &low : &high) = middle;
        }
        out->resource = resources[i].name;
        out->is_lds = resources[i].with == with_lds;
        out->used = resources[i].used;
        out->max = low;
        out->more_workgroups = resources[i].with(use, low, waves);
        out->more = waves_per_simd(out->more_workgroups, waves);
    }
    // Two resources limit it equally.
    if (out->now && !out->resource && kiln_occupancy(0, 0, 0, 0, waves) > out->now)
        out->resource = "registers and LDS together";
}

bool kiln_occupancy_is_near(const kiln_occupancy_limits_t *limits)
{
    enum { NEAR = 16 };
    return limits->more && (limits->used - limits->max) * NEAR <= limits->used;
}

void kiln_occupancy_describe(const kiln_occupancy_limits_t *limits, kiln_string_t *seen,
                             kiln_string_t *advice)
{
    kiln_string_appendf(
        seen, "occupancy is %u wave%s per SIMD, limited by %u %s; %u would allow %u", limits->now,
        limits->now == 1 ? "" : "s", limits->used, limits->resource, limits->max, limits->more);
    kiln_string_appendf(advice, "use at most %u %s", limits->max, limits->resource);
    if (limits->is_lds)
        kiln_string_append(advice, ": smaller tiles, or fewer pipeline stages");
    else
        kiln_string_appendf(advice, ": set waves_per_eu to %u", limits->more);
}
