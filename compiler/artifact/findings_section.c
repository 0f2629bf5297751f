// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes and reads the section .kiln.findings (findings_section.h).
//
// lld puts the section headers at the end of a code object. The new section and a longer table of
// names take their place, and the headers follow: offsets of what a device loads do not change.
#include "artifact/findings_section.h"

#include <stdlib.h>
#include <string.h>

#include "base/elf_file.h"
#include "base/json.h"
#include "base/string.h"

static const char NAME[] = KILN_FINDINGS_SECTION;

// Writing -----------------------------------------------------------------------------------------

bool kiln_findings_section_text(const json_t *findings, const char *kernel, char **io_text)
{
    kiln_string_t text = {0};
    size_t i;
    const json_t *finding;
    if (*io_text)
        kiln_string_append(&text, *io_text);
    json_array_foreach(findings, i, finding)
    {
        json_t *line = json_copy((json_t *)(uintptr_t)finding);
        char *dumped = line && json_object_set_new(line, "kernel", kiln_json_text(kernel)) == 0
                           ? kiln_json_print_line(line)
                           : NULL;
        if (dumped)
            kiln_string_appendf(&text, "%s\n", dumped);
        else
            text.failed = true;
        free(dumped);
        json_decref(line);
    }
    if (text.failed) {
        kiln_string_free(&text);
        return false;
    }
    free(*io_text);
    *io_text = text.data ? kiln_string_take(&text) : strdup("");
    return *io_text != NULL;
}

static kiln_status_t unexpected(const char *what)
{
    return kiln_status_make(KILN_STATUS_INTERNAL, "cannot add findings to the code object: %s",
                            what);
}

kiln_status_t kiln_findings_section_add(const char *text, char **io_object, size_t *io_size)
{
    kiln_elf_t elf;
    Elf64_Shdr names;
    const char *invalid = kiln_elf_open(*io_object, *io_size, &elf);
    if (invalid)
        return unexpected(invalid);
    const uint64_t count = elf.header.e_shnum, headers = count * sizeof names,
                   at = elf.header.e_shoff;
    const void *strings = kiln_elf_section(&elf, elf.header.e_shstrndx, &names)
                              ? kiln_elf_range(&elf, names.sh_offset, names.sh_size)
                              : NULL;
    if (!strings || elf.header.e_shentsize != sizeof names || at + headers != *io_size)
        return unexpected("its section headers are not at its end");
    const size_t length = strlen(text), new_names = at + length,
                 new_headers = (new_names + names.sh_size + sizeof NAME + 7) / 8 * 8,
                 size = new_headers + headers + sizeof names;
    char *object = calloc(1, size);
    if (!object)
        return kiln_status_out_of_memory();
    memcpy(object, *io_object, at);
    memcpy(object + at, text, length);
    memcpy(object + new_names, strings, names.sh_size);
    memcpy(object + new_names + names.sh_size, NAME, sizeof NAME);
    memcpy(object + new_headers, *io_object + at, headers);
    const Elf64_Shdr section = {.sh_name = (Elf64_Word)names.sh_size,
                                .sh_type = SHT_PROGBITS,
                                .sh_offset = at,
                                .sh_size = length,
                                .sh_addralign = 1};
    memcpy(object + new_headers + headers, &section, sizeof section);
    names.sh_offset = new_names;
    names.sh_size += sizeof NAME;
    memcpy(object + new_headers + elf.header.e_shstrndx * sizeof names, &names, sizeof names);
    elf.header.e_shoff = new_headers;
    elf.header.e_shnum++;
    memcpy(object, &elf.header, sizeof elf.header);
    free(*io_object);
    *io_object = object;
    *io_size = size;
    return KILN_OK;
}

// Reading -----------------------------------------------------------------------------------------

static bool is_position(const json_t *number)
{
    return json_is_integer(number) && json_integer_value(number) >= 0 &&
           json_integer_value(number) <= UINT32_MAX;
}

// Texts are printed as lines.
static bool is_line(const json_t *text)
{
    return json_is_string(text) && kiln_string_is_line(json_string_value(text));
}

static bool is_valid(const json_t *finding)
{
    const json_t *line = json_object_get(finding, "line"),
                 *column = json_object_get(finding, "column"),
                 *file = json_object_get(finding, "file");
    return is_line(json_object_get(finding, "id")) && is_line(json_object_get(finding, "kernel")) &&
           is_line(json_object_get(finding, "seen")) &&
           is_line(json_object_get(finding, "advice")) && (!line || is_position(line)) &&
           (!column || is_position(column)) && (!file || is_line(file));
}

static kiln_status_t read_lines(const char *text, size_t length, json_t *findings)
{
    for (const char *end = text + length; text < end;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        const size_t size = (size_t)((stop ? stop : end) - text);
        json_t *finding = NULL;
        if (size && *text == '{') // a failure has a text, which takes longer than the rest
            kiln_status_free(kiln_json_parse(NAME, text, size, &finding));
        if (is_valid(finding) && json_array_append(findings, finding) != 0) {
            json_decref(finding);
            return kiln_status_out_of_memory();
        }
        json_decref(finding);
        text += size + 1;
    }
    return KILN_OK;
}

kiln_status_t kiln_findings_section_parse(const char *text, size_t length, json_t **out_findings)
{
    json_t *findings = json_array();
    kiln_status_t status =
        findings ? read_lines(text, length, findings) : kiln_status_out_of_memory();
    if (status) {
        json_decref(findings);
        findings = NULL;
    }
    *out_findings = findings;
    return status;
}

kiln_status_t kiln_findings_section_read(const void *object, size_t size, json_t **out_findings)
{
    kiln_elf_t elf;
    size_t length;
    *out_findings = NULL;
    const char *text =
        kiln_elf_open(object, size, &elf) ? NULL : kiln_elf_contents(&elf, NAME, &length);
    return text ? kiln_findings_section_parse(text, length, out_findings) : KILN_OK;
}
