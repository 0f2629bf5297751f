// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions, and the build's identity.
//
// The identity is made of the linker's build ids of the binary that this file is in and of LLVM's library: it changes
// with every rebuild that changes a byte, and with another LLVM. What is easily got wrong: sizes or dates would not
// tell two builds apart.
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "kiln/kiln.h"

const char *kiln_version(void)
{
    return KILN_VERSION;
}
const char *kiln_llvm_version(void)
{
    return KILN_LLVM_VERSION;
}

static char build_id[33];

static int holds(const struct dl_phdr_info *info, ElfW(Addr) address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        ElfW(Addr) begin = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= begin && address < begin + segment->p_memsz)
            return 1;
    }
    return 0;
}

// Hashes the GNU build id of one loaded object.
static void add_build_id(const struct dl_phdr_info *info, kiln_hasher_t *hasher)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE)
            continue;
        const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr), *end = at + segment->p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) note;
            memcpy(&note, at, sizeof note);
            const char *name = at + sizeof note, *data = name + ((note.n_namesz + 3u) & ~3u);
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0)
                kiln_hasher_field(hasher, data, note.n_descsz);
            at = data + ((note.n_descsz + 3u) & ~3u);
        }
    }
}

static int visit(struct dl_phdr_info *info, size_t size, void *hasher)
{
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *base = slash ? slash + 1 : info->dlpi_name;
    if (holds(info, (ElfW(Addr)) & kiln_version) || strncmp(base, "libLLVM", 7) == 0)
        add_build_id(info, hasher);
    return 0;
}

static void make_build_id(void)
{
    kiln_hasher_t *hasher = kiln_hasher_create();
    kiln_hasher_string(hasher, KILN_VERSION);
    kiln_hasher_string(hasher, KILN_LLVM_VERSION);
    dl_iterate_phdr(visit, hasher);
    if (hasher)
        kiln_hash_format(kiln_hasher_finish(hasher), build_id);
    kiln_hasher_release(hasher);
}

const char *kiln_build_id(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_build_id);
    return build_id;
}
