// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges the metadata of several kernels.
//
//     object 0   .note  {amdhsa.kernels: [a], …}                 .note  {amdhsa.kernels: [a, b, c], …}
//     object 1   .note  {amdhsa.kernels: [b, c], …}      →       .note  left out of the link
//
// A linker concatenates notes, and a loader reads only the first one. The kernels' maps are copied
// unchanged, as bytes of MessagePack; all other members must be equal in all objects.
//
// Note that a section may be anywhere in its file, so the longer note is appended to the file, and
// only its section header changes.
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf_file.h"
#include "base/msgpack.h"
#include "base/string.h"
#include "codegen/codegen.h"

static const char owner[] = "AMDGPU";

enum { NT_AMDGPU_METADATA = 32, MAX_SHORT_ARRAY = 15, MAX_ARRAY_16 = 0xffff };

// One object's metadata: before, in and after the list of kernels.
typedef struct metadata {
    size_t section_header; // its offset in the file
    const unsigned char *begin, *list, *kernels, *rest, *end;
    uint64_t kernel_count;
} metadata_t;

static kiln_status_t broken(const char *what)
{
    return kiln_status_make(KILN_STATUS_INTERNAL, "LLVM's object %s", what);
}

static kiln_status_t find_kernels(const kiln_elf_note_t *note, metadata_t *out)
{
    kiln_msgpack_t reader = kiln_msgpack_open(note->data, note->size);
    out->begin = reader.at;
    out->end = reader.end;
    const kiln_msgpack_item_t map = kiln_msgpack_next(&reader);
    for (uint64_t i = 0; map.kind == KILN_MSGPACK_MAP && i < map.integer && !reader.failed; i++) {
        const bool is_list = kiln_msgpack_is(kiln_msgpack_next(&reader), "amdhsa.kernels");
        const unsigned char *value = reader.at;
        const kiln_msgpack_item_t item = kiln_msgpack_next(&reader);
        const unsigned char *inside = reader.at;
        kiln_msgpack_skip(&reader, item);
        if (is_list && item.kind == KILN_MSGPACK_ARRAY) {
            out->list = value;
            out->kernels = inside;
            out->rest = reader.at;
            out->kernel_count = item.integer;
        }
    }
    return reader.failed || !out->list ? broken("has metadata without kernels") : KILN_OK;
}

static kiln_status_t find_metadata(const kiln_codegen_object_t *object, metadata_t *out)
{
    kiln_elf_t elf;
    Elf64_Shdr section;
    *out = (metadata_t){0};
    if (kiln_elf_open(object->data, object->size, &elf))
        return broken("is not an ELF file");
    for (unsigned i = 0; kiln_elf_section(&elf, i, &section); i++) {
        kiln_elf_note_t note;
        kiln_elf_notes_t notes = kiln_elf_notes(&elf, section.sh_offset, section.sh_size);
        if (section.sh_type != SHT_NOTE || !kiln_elf_next_note(&notes, &note) ||
            !kiln_elf_note_is(&note, owner, NT_AMDGPU_METADATA))
            continue;
        out->section_header = elf.header.e_shoff + i * sizeof section;
        return notes.left ? broken("has two notes in a section") : find_kernels(&note, out);
    }
    return broken("has no metadata");
}

static bool same_bytes(const unsigned char *a, const unsigned char *a_end, const unsigned char *b,
                       const unsigned char *b_end)
{
    return a_end - a == b_end - b && memcmp(a, b, (size_t)(a_end - a)) == 0;
}

static void append_array_head(kiln_string_t *out, uint64_t count)
{
    const bool is_32 = count > MAX_ARRAY_16;
    if (count <= MAX_SHORT_ARRAY) {
        kiln_string_append_char(out, (char)(0x90 | count));
        return;
    }
    kiln_string_append_char(out, (char)(is_32 ? 0xdd : 0xdc));
    for (int shift = is_32 ? 24 : 8; shift >= 0; shift -= 8)
        kiln_string_append_char(out, (char)(count >> shift));
}

static void pad(kiln_string_t *out, size_t alignment)
{
    while (out->length % alignment && !out->failed)
        kiln_string_append_char(out, '\0');
}

static kiln_status_t join(const metadata_t *all, size_t count, kiln_string_t *out)
{
    uint64_t kernel_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!same_bytes(all[0].begin, all[0].list, all[i].begin, all[i].list) ||
            !same_bytes(all[0].rest, all[0].end, all[i].rest, all[i].end))
            return broken("has metadata that differs from the object it is linked with");
        kernel_count += all[i].kernel_count;
    }
    kiln_string_append_bytes(out, all[0].begin, (size_t)(all[0].list - all[0].begin));
    append_array_head(out, kernel_count);
    for (size_t i = 0; i < count; i++)
        kiln_string_append_bytes(out, all[i].kernels, (size_t)(all[i].rest - all[i].kernels));
    kiln_string_append_bytes(out, all[0].rest, (size_t)(all[0].end - all[0].rest));
    return KILN_OK;
}

// Appends a note to the object's bytes and points the section header at it.
static kiln_status_t replace_note(kiln_codegen_object_t *object, size_t header,
                                  const kiln_string_t *metadata)
{
    const Elf64_Nhdr note = {sizeof owner, (Elf64_Word)metadata->length, NT_AMDGPU_METADATA};
    kiln_string_t bytes = {0};
    Elf64_Shdr section;
    kiln_string_append_bytes(&bytes, object->data, object->size);
    pad(&bytes, 8);
    const size_t begin = bytes.length;
    kiln_string_append_bytes(&bytes, &note, sizeof note);
    kiln_string_append_bytes(&bytes, owner, sizeof owner);
    pad(&bytes, 4);
    kiln_string_append_bytes(&bytes, metadata->data, metadata->length);
    pad(&bytes, 4);
    if (metadata->failed || bytes.failed) {
        kiln_string_free(&bytes);
        return kiln_status_out_of_memory();
    }
    memcpy(&section, bytes.data + header, sizeof section);
    section.sh_offset = begin;
    section.sh_size = bytes.length - begin;
    memcpy(bytes.data + header, &section, sizeof section);
    free(object->data);
    object->size = bytes.length;
    object->data = kiln_string_take(&bytes);
    return KILN_OK;
}

static void leave_out(kiln_codegen_object_t *object, size_t header)
{
    Elf64_Shdr section;
    memcpy(&section, object->data + header, sizeof section);
    section.sh_flags |= SHF_EXCLUDE;
    memcpy(object->data + header, &section, sizeof section);
}

kiln_status_t kiln_codegen_merge_metadata(kiln_codegen_object_t *objects, size_t count)
{
    if (count < 2)
        return KILN_OK;
    metadata_t *all = calloc(count, sizeof *all);
    kiln_status_t status = all ? KILN_OK : kiln_status_out_of_memory();
    kiln_string_t joined = {0};
    for (size_t i = 0; i < count && !status; i++)
        status = find_metadata(&objects[i], &all[i]);
    if (!status)
        status = join(all, count, &joined);
    if (!status)
        status = replace_note(&objects[0], all[0].section_header, &joined);
    for (size_t i = 1; i < count && !status; i++)
        leave_out(&objects[i], all[i].section_header);
    kiln_string_free(&joined);
    free(all);
    return status;
}
