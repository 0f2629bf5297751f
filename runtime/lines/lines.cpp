// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thin shim over LLVM's DWARF reader, which has no C interface.
//
// The file is untrusted and may be nonsense. Every failure means "no line", never an error.
#include "lines/lines.h"

#include <cstdio>
#include <memory>
#include <new>

#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/Decompressor.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBufferRef.h"

#include "base/string.h"

struct kiln_lines {
    std::unique_ptr<llvm::object::ObjectFile> object;
    std::unique_ptr<llvm::DWARFContext> context;
};

// LLVM allocates the size that the header of a compressed section claims, and aborts if memory is
// exhausted.
static bool has_oversized_section(const llvm::object::ObjectFile &object)
{
    const uint64_t limit = 256u << 20; // bytes; debug information of a large code object is a tenth
    for (const llvm::object::SectionRef &section : object.sections()) {
        if (!section.isCompressed())
            continue;
        auto contents = section.getContents();
        if (!contents) {
            llvm::consumeError(contents.takeError());
            return true;
        }
        auto data = llvm::object::Decompressor::create("", *contents, object.isLittleEndian(),
                                                       object.is64Bit());
        if (!data) {
            llvm::consumeError(data.takeError());
            return true;
        }
        if (data->getDecompressedSize() > limit)
            return true;
    }
    return false;
}

extern "C" kiln_lines_t *kiln_lines_open(const void *file, size_t size)
{
    llvm::MemoryBufferRef buffer(llvm::StringRef(static_cast<const char *>(file), size),
                                 "code object");
    auto object = llvm::object::ObjectFile::createELFObjectFile(buffer);
    if (!object) {
        llvm::consumeError(object.takeError());
        return nullptr;
    }
    if (has_oversized_section(**object))
        return nullptr;
    std::unique_ptr<kiln_lines> lines(new (std::nothrow) kiln_lines);
    if (!lines)
        return nullptr;
    lines->object = std::move(*object);
    auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
    lines->context = llvm::DWARFContext::create(
        *lines->object, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", ignore,
        ignore);
    return lines->context ? lines.release() : nullptr;
}

extern "C" void kiln_lines_close(kiln_lines_t *lines)
{
    delete lines;
}

extern "C" unsigned kiln_lines_find(kiln_lines_t *lines, uint64_t address, char *text, size_t size)
{
    using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
    text[0] = 0;
    if (!lines)
        return 0;
    uint64_t section = llvm::object::SectionedAddress::UndefSection;
    for (const llvm::object::SectionRef &s : lines->object->sections()) {
        if (s.isText() && address - s.getAddress() < s.getSize())
            section = s.getIndex();
    }
    llvm::DILineInfoSpecifier wanted(Kind::AbsoluteFilePath);
    auto found = lines->context->getLineInfoForAddress({address, section}, wanted);
    if (!found || found->Line == 0 || found->FileName == llvm::DILineInfo::BadString)
        return 0;
    const std::string whole = found->FileName + ":" + llvm::utostr(found->Line);
    const char *const left_out = "\xe2\x80\xa6"; // "…" replaces leading directories that do not
                                                 // fit, since the path's end is more useful
    if (whole.size() < size)
        snprintf(text, size, "%s", whole.c_str());
    else if (size > 16)
        snprintf(text, size, "%s%s", left_out, whole.c_str() + whole.size() - (size - 4));
    kiln_string_make_line(text);
    return found->Column;
}
