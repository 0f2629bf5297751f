// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts rows to JSON and back. Kinds, verdicts and trust are words.
//
// Note that JSON has no NaN: the error of a sample that was not executed is null.
#include "json.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

static const char *const TRUSTS[] = {[KILN_TUNE_UNVERIFIED] = "unverified",
                                     [KILN_TUNE_VERIFIED] = "verified"};

static const char *const RESOURCES[] = {"vgprs",
                                        "agprs",
                                        "sgprs",
                                        "vgpr_spills",
                                        "sgpr_spills",
                                        "lds_bytes",
                                        "scratch_bytes_per_lane",
                                        "occupancy"};
enum { RESOURCE_COUNT = sizeof RESOURCES / sizeof *RESOURCES };

static unsigned *resource(kiln_resources_t *resources, int index)
{
    unsigned *const all[RESOURCE_COUNT] = {&resources->vgprs,
                                           &resources->agprs,
                                           &resources->sgprs,
                                           &resources->vgpr_spills,
                                           &resources->sgpr_spills,
                                           &resources->lds_bytes,
                                           &resources->scratch_bytes_per_lane,
                                           &resources->occupancy};
    return all[index];
}

static json_t *resources_json(const kiln_resources_t *from)
{
    kiln_resources_t resources = *from;
    json_t *json = json_object();
    for (int i = 0; i < RESOURCE_COUNT; i++)
        json_object_set_new(json, RESOURCES[i], json_integer(*resource(&resources, i)));
    return json;
}

json_t *kiln_tune_record_json(const kiln_tune_record_t *record, kiln_tune_table_t table)
{
    json_t *json = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:s, s:s, s:f}", "kernel",
        kiln_json_text(record->key.kernel), "problem", kiln_json_text(record->key.problem),
        "device", kiln_json_text(record->key.device), "arguments",
        kiln_json_text(record->key.arguments), "fixed", kiln_json_text(record->key.fixed), "code",
        record->code, "config", kiln_json_text(record->config), "kind",
        kiln_cost_kind_name(record->kind), "trust", TRUSTS[record->trust], "cost", record->cost);
    if (table == KILN_TUNE_BEST || !json)
        return json;
    json_t *more = json_pack(
        "{s:o, s:o, s:s, s:o, s:s, s:o, s:f, s:o, s:i, s:s, s:I, s:f}", "symbol",
        kiln_json_text(record->symbol), "conditions", kiln_json_text(record->conditions), "verdict",
        kiln_tune_verdict_name(record->verdict), "reason", kiln_json_text(record->reason), "bound",
        record->bound, "error", isnan(record->error) ? json_null() : json_real(record->error),
        "compile_ms", record->compile_ms, "resources", resources_json(&record->resources),
        "stages_made", record->stages_made, "launch", record->launch, "time",
        (json_int_t)record->time, "clock_mhz", record->clock_mhz);
    if (!more || json_object_update(json, more)) {
        json_decref(json);
        json = NULL;
    }
    json_decref(more);
    return json;
}

// Reading -----------------------------------------------------------------------------------------

// Finds the member's word in a list of names that ends with NULL.
static kiln_status_t read_word(const json_t *json, const char *member,
                               const char *(*name_of)(int index), int *out_index)
{
    const char *word;
    KILN_TRY(kiln_json_string(json, member, &word));
    for (int i = 0; name_of(i); i++)
        if (strcmp(name_of(i), word) == 0) {
            *out_index = i;
            return KILN_OK;
        }
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "unknown '%s': '%s'", member, word);
}

static const char *kind_name(int index)
{
    return kiln_cost_kind_name((kiln_cost_kind_t)index);
}

static const char *verdict_name(int index)
{
    return kiln_tune_verdict_name((kiln_tune_verdict_t)index);
}

static const char *trust_name(int index)
{
    return index < 2 ? TRUSTS[index] : NULL;
}

static kiln_status_t read_number(const json_t *json, const char *member, double *out_value)
{
    const json_t *value = json_object_get(json, member);
    if (!json_is_number(value))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' is missing or not a number",
                                member);
    *out_value = json_number_value(value);
    return KILN_OK;
}

static kiln_status_t read_sample(const json_t *json, kiln_tune_record_t *record)
{
    int verdict = 0;
    int64_t stages = 0;
    KILN_TRY(kiln_json_string(json, "symbol", &record->symbol));
    KILN_TRY(kiln_json_string(json, "conditions", &record->conditions));
    KILN_TRY(read_word(json, "verdict", verdict_name, &verdict));
    KILN_TRY(kiln_json_string(json, "reason", &record->reason));
    KILN_TRY(kiln_json_string(json, "bound", &record->bound));
    if (json_is_null(json_object_get(json, "error")))
        record->error = NAN;
    else
        KILN_TRY(read_number(json, "error", &record->error));
    KILN_TRY(read_number(json, "compile_ms", &record->compile_ms));
    if (json_object_get(json, "clock_mhz")) // files of older versions lack it
        KILN_TRY(read_number(json, "clock_mhz", &record->clock_mhz));
    for (int i = 0; i < RESOURCE_COUNT; i++) {
        int64_t value;
        KILN_TRY(kiln_json_integer(json_object_get(json, "resources"), RESOURCES[i], &value));
        if (value < 0 || value > UINT32_MAX)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' is out of range",
                                    RESOURCES[i]);
        *resource(&record->resources, i) = (unsigned)value;
    }
    KILN_TRY(kiln_json_integer(json, "stages_made", &stages));
    KILN_TRY(kiln_json_string(json, "launch", &record->launch));
    KILN_TRY(kiln_json_integer(json, "time", &record->time));
    record->verdict = (kiln_tune_verdict_t)verdict;
    record->stages_made = (int)stages;
    return KILN_OK;
}

kiln_status_t kiln_tune_record_read(const json_t *json, kiln_tune_table_t table,
                                    kiln_tune_record_t *out_record)
{
    int kind = 0, trust = 0;
    *out_record = (kiln_tune_record_t){.struct_size = sizeof *out_record,
                                       .symbol = "",
                                       .conditions = "",
                                       .reason = "",
                                       .bound = "",
                                       .launch = "",
                                       .error = NAN};
    KILN_TRY(kiln_json_string(json, "kernel", &out_record->key.kernel));
    KILN_TRY(kiln_json_string(json, "problem", &out_record->key.problem));
    KILN_TRY(kiln_json_string(json, "device", &out_record->key.device));
    KILN_TRY(kiln_json_string(json, "arguments", &out_record->key.arguments));
    KILN_TRY(kiln_json_string(json, "fixed", &out_record->key.fixed));
    KILN_TRY(kiln_json_string(json, "code", &out_record->code));
    KILN_TRY(kiln_json_string(json, "config", &out_record->config));
    KILN_TRY(read_word(json, "kind", kind_name, &kind));
    KILN_TRY(read_word(json, "trust", trust_name, &trust));
    KILN_TRY(read_number(json, "cost", &out_record->cost));
    if (out_record->cost < 0) // no other cost would ever be lower
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'cost' is negative");
    out_record->kind = (kiln_cost_kind_t)kind;
    out_record->trust = (kiln_tune_trust_t)trust;
    return table == KILN_TUNE_SAMPLES ? read_sample(json, out_record) : KILN_OK;
}
