// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers facts as JSON, from which the text is printed, so that both have the same contents.
#include "facts.h"

#include <stdio.h>
#include <string.h>

#include "base/gfx942.h"
#include "base/json.h"
#include "inspect/occupancy.h"
#include "kiln/kiln.h"

// Settings ----------------------------------------------------------------------------------------

static const char *find(const kiln_setting_t *settings, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(settings[i].name, name) == 0)
            return settings[i].value;
    return NULL;
}

// The kernel's settings other than the given ones are tuned, or `near` if tuned for another
// problem.
static const char *origin_of(const kiln_launch_settings_t *settings, const char *name,
                             const char *otherwise)
{
    if (settings->is_compiled)
        return "compiled";
    if (find(settings->given, settings->given_count, name))
        return "given";
    return find(settings->tuned, settings->tuned_count, name) ? settings->near ? "near" : "tuned"
                                                              : otherwise;
}

static json_t *gather_settings(const kiln_launch_settings_t *settings, const json_t *manifest)
{
    json_t *all = json_array();
    const json_t *constant;
    size_t i;
    json_array_foreach(json_object_get(manifest, "constants"), i, constant)
    {
        const char *name = json_string_value(json_object_get(constant, "name"));
        json_array_append_new(all, json_pack("{s:s,s:O,s:s}", "name", name, "value",
                                             json_object_get(constant, "value"), "origin",
                                             origin_of(settings, name, "default")));
    }
    const kiln_option_t *option;
    for (i = 0; (option = kiln_compile_option(i)); i++) {
        const json_t *json = json_object_get(json_object_get(manifest, "options"), option->name);
        if (option->is_flag || !json_is_integer(json))
            continue;
        char value[32];
        snprintf(value, sizeof value, "%lld", json_integer_value(json));
        // If an option has its default, Kiln may choose the value, and records it in the manifest.
        const bool chosen = json_integer_value(json) != option->initial;
        json_array_append_new(
            all, json_pack("{s:s,s:s,s:s}", "name", option->name, "value", value, "origin",
                           origin_of(settings, option->name, chosen ? "chosen" : "default")));
    }
    return all;
}

// Resources and the grid --------------------------------------------------------------------------

static unsigned number(const json_t *object, const char *name)
{
    const json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 && value <= UINT32_MAX ? (unsigned)value : 0;
}

// `more`: vector registers that the kernel does not take.
static void find_limits(const json_t *resources, unsigned more, unsigned waves,
                        kiln_occupancy_limits_t *out)
{
    kiln_occupancy_limits(number(resources, "vgprs") + more, number(resources, "agprs"),
                          number(resources, "sgprs"), number(resources, "lds_bytes"), waves, out);
}

kiln_status_t kiln_launch_limits(const kiln_jit_kernel_t *kernel, unsigned waves,
                                 kiln_occupancy_limits_t *out)
{
    const char *text = kiln_jit_kernel_manifest(kernel);
    json_t *manifest;
    KILN_TRY(kiln_json_parse("manifest", text, strlen(text), &manifest));
    find_limits(json_object_get(manifest, "resources"), 0, waves, out);
    json_decref(manifest);
    return KILN_OK;
}

kiln_status_t kiln_launch_workgroups_with(const kiln_jit_kernel_t *kernel, unsigned waves,
                                          unsigned more, unsigned *out)
{
    enum { ADDRESSED = KILN_GFX942_SIMD_VGPRS / 2 }; // by an instruction; as many accumulate
    const char *text = kiln_jit_kernel_manifest(kernel);
    json_t *manifest;
    KILN_TRY(kiln_json_parse("manifest", text, strlen(text), &manifest));
    const json_t *resources = json_object_get(manifest, "resources");
    kiln_occupancy_limits_t limits;
    find_limits(resources, more, waves, &limits);
    *out = number(resources, "vgprs") + more > ADDRESSED ? 0 : limits.workgroups;
    json_decref(manifest);
    return KILN_OK;
}

static json_t *gather_limit(const json_t *resources, unsigned waves)
{
    kiln_occupancy_limits_t limits;
    find_limits(resources, 0, waves, &limits);
    if (!limits.resource)
        return json_null();
    if (!limits.more)
        return json_pack("{s:s}", "resource", limits.resource);
    return json_pack("{s:s,s:i,s:i,s:i}", "resource", limits.resource, "used", (int)limits.used,
                     "most", (int)limits.max, "would_allow", (int)limits.more);
}

static json_t *gather_units(kiln_device_t *device)
{
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
    kiln_status_t status = kiln_device_launch_stats(device, &stats);
    const bool known = !status && stats.compute_units;
    kiln_status_free(status); // not a simulator
    if (!known)
        return NULL;
    const uint64_t units = stats.compute_units, groups = stats.workgroups,
                   max = (groups + units - 1) / units,
                   at_once = stats.workgroups_per_cu ? stats.workgroups_per_cu : 1;
    return json_pack("{s:I,s:I,s:I,s:I,s:I}", "of_device", (json_int_t)units, "with_work",
                     (json_int_t)(groups < units ? groups : units), "most_workgroups",
                     (json_int_t)max, "workgroups_at_once", (json_int_t)at_once, "rounds",
                     (json_int_t)((max + at_once - 1) / at_once));
}

kiln_status_t kiln_kernel_facts(const char *text, const kiln_launch_settings_t *settings,
                                unsigned waves, json_t **out_facts)
{
    json_t *manifest;
    KILN_TRY(kiln_json_parse("manifest", text, strlen(text), &manifest));
    json_t *resources = json_object_get(manifest, "resources");
    *out_facts = json_pack("{s:o,s:s?,s:O,s:o}", "effective", gather_settings(settings, manifest),
                           "tuned_for", settings->near, "resources", resources, "occupancy_limit",
                           gather_limit(resources, waves));
    json_decref(manifest);
    return *out_facts ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_launch_facts(const kiln_jit_kernel_t *kernel, const kiln_jit_call_t *call,
                                kiln_device_t *device, const char *near, json_t **out_facts)
{
    const kiln_launch_settings_t settings = {call->settings,
                                             call->setting_count,
                                             kiln_jit_kernel_settings(kernel),
                                             kiln_jit_kernel_setting_count(kernel),
                                             near,
                                             call->source.stage == KILN_STAGE_HSACO};
    KILN_TRY(kiln_kernel_facts(kiln_jit_kernel_manifest(kernel), &settings,
                               kiln_jit_kernel_block_size(kernel) / KILN_GFX942_LANES, out_facts));
    json_t *units = gather_units(device);
    if (units && json_object_set_new(*out_facts, "compute_units", units) != 0) {
        json_decref(*out_facts);
        *out_facts = NULL;
        return kiln_status_out_of_memory();
    }
    return KILN_OK;
}

// Text --------------------------------------------------------------------------------------------

static void print_settings(const json_t *facts)
{
    static const char *const origins[] = {"given",  "tuned",   "near",
                                          "chosen", "default", "compiled"};
    const json_t *all = json_object_get(facts, "effective"), *one;
    const char *title = "settings", *separator = "";
    size_t i;
    printf("  %-24s", title);
    for (size_t k = 0; k < sizeof origins / sizeof *origins; k++) {
        bool some = false;
        json_array_foreach(all, i, one)
        {
            if (strcmp(json_string_value(json_object_get(one, "origin")), origins[k]) != 0)
                continue;
            printf("%s %s=%s", some ? "" : separator,
                   json_string_value(json_object_get(one, "name")),
                   json_string_value(json_object_get(one, "value")));
            some = true;
        }
        if (some)
            printf(" (%s)", origins[k]);
        separator = some || *separator ? ";" : "";
    }
    printf("\n");
    const char *near = json_string_value(json_object_get(facts, "tuned_for"));
    if (near)
        printf("  %-24s %s\n", "tuned for", near);
}

static void print_resources(const json_t *facts)
{
    const json_t *r = json_object_get(facts, "resources"),
                 *limit = json_object_get(facts, "occupancy_limit");
    const unsigned waves = number(r, "occupancy");
    printf("  %-24s %12u   (%u vector, %u accumulation, %u scalar; %u spilled)\n", "registers",
           number(r, "vgprs") + number(r, "agprs"), number(r, "vgprs"), number(r, "agprs"),
           number(r, "sgprs"), number(r, "vgpr_spills"));
    printf("  %-24s %12u\n", "LDS bytes", number(r, "lds_bytes"));
    printf("  %-24s %12u   (waves per SIMD", "occupancy", waves);
    if (json_is_null(limit))
        printf(", as many as there can be)\n");
    else if (!json_object_get(limit, "most"))
        printf(", limited by %s)\n", json_string_value(json_object_get(limit, "resource")));
    else
        printf(", limited by %u %s; %u would allow %u)\n", number(limit, "used"),
               json_string_value(json_object_get(limit, "resource")), number(limit, "most"),
               number(limit, "would_allow"));
}

static void print_units(const json_t *facts)
{
    const json_t *units = json_object_get(facts, "compute_units");
    if (!units)
        return;
    const unsigned rounds = number(units, "rounds"), with = number(units, "with_work"),
                   max = number(units, "most_workgroups"), all = number(units, "of_device");
    printf("  %-24s %12u   (of %u, %.0f %%; at most %u workgroup%s each, in %u round%s of %u)\n",
           "compute units with work", with, all, 100.0 * with / all, max, max == 1 ? "" : "s",
           rounds, rounds == 1 ? "" : "s", number(units, "workgroups_at_once"));
}

void kiln_launch_facts_print(const json_t *facts)
{
    print_settings(facts);
    print_resources(facts);
    print_units(facts);
}
