// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions, and the identity of the build.
//
// The identity combines the linker's build ids of the binary that contains this file and, if LLVM
// is linked dynamically, of the one that contains LLVM: it changes with every rebuild that changes
// a byte, and with another LLVM. Sizes, dates or versions cannot distinguish two builds, so without
// a build id of our own there is no identity. A process may have loaded other copies of LLVM, which
// are ignored.
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/hash.h"
#include "code_id.inc"
#include "kiln/kiln.h"

const char *kiln_version(void)
{
    return KILN_VERSION;
}
const char *kiln_llvm_version(void)
{
    return KILN_LLVM_VERSION;
}
// The versions whose output test/lit/triton contains.
const char *kiln_triton_versions(void)
{
    return "3.3 to 3.9";
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

// Hashes the GNU build id of one loaded object. Returns false if it has none.
static bool add_build_id(const struct dl_phdr_info *info, kiln_hasher_t *hasher)
{
    bool found = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE)
            continue;
        const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr),
                   *end = at + segment->p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) note;
            memcpy(&note, at, sizeof note);
            const char *name = at + sizeof note, *data = name + ((note.n_namesz + 3u) & ~3u);
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                memcmp(name, "GNU", 4) == 0) {
                kiln_hasher_field(hasher, data, note.n_descsz);
                found = true;
            }
            at = data + ((note.n_descsz + 3u) & ~3u);
        }
    }
    return found;
}

typedef struct identity {
    kiln_hasher_t *hasher;
    bool has_own;
} identity_t;

static int visit(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    identity_t *identity = user;
    if (holds(info, (ElfW(Addr)) & kiln_version))
        identity->has_own = add_build_id(info, identity->hasher);
    else if (holds(info, (ElfW(Addr)) & LLVMContextCreate))
        add_build_id(info, identity->hasher);
    return 0;
}

static void make_build_id(void)
{
    identity_t identity = {.hasher = kiln_hasher_create()};
    kiln_hasher_string(identity.hasher, KILN_VERSION);
    kiln_hasher_string(identity.hasher, KILN_LLVM_VERSION);
    dl_iterate_phdr(visit, &identity);
    if (identity.hasher && identity.has_own)
        kiln_hash_format(kiln_hasher_finish(identity.hasher), build_id);
    kiln_hasher_release(identity.hasher);
}

const char *kiln_code_id(void)
{
    return KILN_CODE_ID;
}

const char *kiln_build_id(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_build_id);
    return build_id;
}
