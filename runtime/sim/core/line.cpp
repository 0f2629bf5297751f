// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thin shim over LLVM's DWARF reader, which has no C interface.
//
// What a reader gets wrong: the file is untrusted and may be nonsense; every failure means "no line", never an error.
#include "core/line.h"

#include <cstdio>
#include <memory>
#include <new>

#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBufferRef.h"

struct kiln_sim_lines {
    std::unique_ptr<llvm::object::ObjectFile> object;
    std::unique_ptr<llvm::DWARFContext> context;
};

extern "C" kiln_sim_lines_t *kiln_sim_lines_open(const void *file, size_t size)
{
    llvm::MemoryBufferRef buffer(llvm::StringRef(static_cast<const char *>(file), size), "code object");
    auto object = llvm::object::ObjectFile::createELFObjectFile(buffer);
    if (!object) {
        llvm::consumeError(object.takeError());
        return nullptr;
    }
    std::unique_ptr<kiln_sim_lines> lines(new (std::nothrow) kiln_sim_lines);
    if (!lines)
        return nullptr;
    lines->object = std::move(*object);
    auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
    lines->context = llvm::DWARFContext::create(*lines->object, llvm::DWARFContext::ProcessDebugRelocations::Process,
                                                nullptr, "", ignore, ignore);
    return lines->context ? lines.release() : nullptr;
}

extern "C" void kiln_sim_lines_close(kiln_sim_lines_t *lines)
{
    delete lines;
}

extern "C" void kiln_sim_lines_find(kiln_sim_lines_t *lines, uint64_t address, char *text, size_t size)
{
    using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
    text[0] = 0;
    if (!lines)
        return;
    uint64_t section = llvm::object::SectionedAddress::UndefSection;
    for (const llvm::object::SectionRef &s : lines->object->sections()) {
        if (s.isText() && address - s.getAddress() < s.getSize())
            section = s.getIndex();
    }
    llvm::DILineInfoSpecifier wanted(Kind::AbsoluteFilePath);
    auto found = lines->context->getLineInfoForAddress({address, section}, wanted);
    if (found && found->Line != 0 && found->FileName != llvm::DILineInfo::BadString)
        snprintf(text, size, "%s:%u", found->FileName.c_str(), found->Line);
}
