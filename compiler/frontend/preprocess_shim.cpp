// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's Lex library as a C function (preprocess.h): its tokens, files, macros and diagnostics as plain structs. What they
// mean to the program is preprocess_text.c's.
#include "frontend/preprocess_text.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Basic/TargetOptions.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/HeaderSearchOptions.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/ModuleLoader.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace
{

const char HEADER_ROOT[] = "/<kiln>"; // headers in memory; no such folder is on a disk

// What of a target the preprocessor asks for: widths of integers in #if. No target's own macros are defined.
class target_t final : public clang::TargetInfo
{
  public:
    explicit target_t(const llvm::Triple &triple) : TargetInfo(triple)
    {
        LongWidth = LongAlign = PointerWidth = PointerAlign = 64;
        IntMaxType = SignedLongLong;
        resetDataLayout("e-p:64:64");
    }
    void getTargetDefines(const clang::LangOptions &, clang::MacroBuilder &) const override {}
    llvm::SmallVector<clang::Builtin::InfosShard> getTargetBuiltins() const override { return {}; }
    BuiltinVaListKind getBuiltinVaListKind() const override { return VoidPtrBuiltinVaList; }
    bool validateAsmConstraint(const char *&, ConstraintInfo &) const override { return false; }
    std::string_view getClobbers() const override { return ""; }
    llvm::ArrayRef<const char *> getGCCRegNames() const override { return {}; }
    llvm::ArrayRef<GCCRegAlias> getGCCRegAliases() const override { return {}; }
};

struct run_t;

class consumer_t final : public clang::DiagnosticConsumer
{
  public:
    explicit consumer_t(run_t &run) : run(run) {}
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override;
    run_t &run;
};

class callbacks_t final : public clang::PPCallbacks
{
  public:
    explicit callbacks_t(run_t &run) : run(run) {}
    void LexedFileChanged(clang::FileID file, LexedFileChangeReason reason, clang::SrcMgr::CharacteristicKind,
                          clang::FileID, clang::SourceLocation) override;
    void InclusionDirective(clang::SourceLocation, const clang::Token &, llvm::StringRef, bool,
                            clang::CharSourceRange range, clang::OptionalFileEntryRef file, llvm::StringRef,
                            llvm::StringRef, const clang::Module *, bool, clang::SrcMgr::CharacteristicKind) override;
    run_t &run;
};

struct run_t {
    const kiln_source_t *source;
    const kiln_compile_options_t *options;
    clang::LangOptions language;
    clang::SourceManager *sources = nullptr;
    clang::DiagnosticsEngine *engine = nullptr;
    std::vector<kiln_raw_token_t> tokens;
    std::vector<kiln_text_file_t> files;
    std::map<unsigned, uint32_t> file_of; // of clang's file ids
    std::vector<char *> names;
    std::map<std::string, uint32_t> name_of;
    std::vector<kiln_macro_note_t> notes;
    std::vector<kiln_preprocess_diagnostic_t> diagnostics;

    uint32_t name(llvm::StringRef text);
    uint32_t file(clang::FileID id);
    kiln_text_place_t place(clang::SourceLocation location);
    void locate(kiln_raw_token_t &token, clang::SourceLocation location);
    uint32_t notes_of(clang::SourceLocation location, kiln_text_place_t *place);
};

llvm::StringRef shown_name(llvm::StringRef name)
{
    std::string root = std::string(HEADER_ROOT) + "/";
    name.consume_front(root);
    name.consume_front("./");
    return name;
}

uint32_t run_t::name(llvm::StringRef text)
{
    std::string shown = shown_name(text).str();
    auto found = name_of.find(shown);
    if (found != name_of.end())
        return found->second;
    names.push_back(strdup(shown.c_str()));
    return name_of[shown] = static_cast<uint32_t>(names.size() - 1);
}

uint32_t run_t::file(clang::FileID id)
{
    auto found = file_of.find(id.getHashValue());
    if (found != file_of.end())
        return found->second;
    llvm::StringRef text = sources->getBufferData(id);
    clang::SourceLocation start = sources->getLocForStartOfFile(id), includer = sources->getIncludeLoc(id);
    uint32_t index = static_cast<uint32_t>(files.size());
    file_of[id.getHashValue()] = index;
    kiln_text_file_t made = {};
    llvm::StringRef full = sources->getPresumedLoc(start, false).getFilename();
    made.name = strdup(shown_name(full).str().c_str());
    made.is_in_memory = full.starts_with(HEADER_ROOT) || !sources->getFileEntryRefForID(id);
    made.length = text.size();
    made.text = static_cast<char *>(malloc(text.size() + 1));
    memcpy(made.text, text.data(), text.size());
    made.text[text.size()] = '\0';
    made.includer = index;
    files.push_back(made);
    if (includer.isValid()) {
        auto from = sources->getDecomposedExpansionLoc(includer);
        uint32_t outer = file(from.first);
        files[index].includer = outer;
        files[index].included_at = from.second;
    }
    return index;
}

// Of a location in a file.
kiln_text_place_t run_t::place(clang::SourceLocation location)
{
    auto decomposed = sources->getDecomposedLoc(location);
    kiln_text_place_t result = {};
    result.file = file(decomposed.first);
    result.begin = decomposed.second;
    unsigned length = clang::Lexer::MeasureTokenLength(location, *sources, language);
    result.end = result.begin + (length ? length : 1);
    clang::PresumedLoc presumed = sources->getPresumedLoc(location);
    result.name = name(presumed.isValid() ? presumed.getFilename() : files[result.file].name);
    result.line = presumed.isValid() ? presumed.getLine() : 1;
    return result;
}

// Where a location of any kind shows in the text that the user wrote, and the macros on the way there, innermost first.
uint32_t run_t::notes_of(clang::SourceLocation location, kiln_text_place_t *out_place)
{
    uint32_t first = 0, last = 0;
    while (location.isMacroID()) {
        if (sources->isMacroArgExpansion(location)) {
            location = sources->getImmediateSpellingLoc(location);
            continue;
        }
        clang::SourceLocation spelled = sources->getSpellingLoc(location);
        if (!sources->isWrittenInScratchSpace(spelled) && notes.size() < (1u << 20)) {
            kiln_macro_note_t note = {};
            note.place = place(spelled);
            note.macro = strdup(clang::Lexer::getImmediateMacroName(location, *sources, language).str().c_str());
            notes.push_back(note);
            uint32_t index = static_cast<uint32_t>(notes.size());
            if (last)
                notes[last - 1].next = index;
            else
                first = index;
            last = index;
        }
        location = sources->getImmediateExpansionRange(location).getBegin();
    }
    *out_place = place(location);
    return first;
}

void run_t::locate(kiln_raw_token_t &token, clang::SourceLocation location)
{
    token.note = notes_of(location, &token.place);
    token.define = -1;
    for (clang::SourceLocation at = location; at.isMacroID();) {
        if (sources->isMacroArgExpansion(at)) {
            at = sources->getImmediateSpellingLoc(at);
            continue;
        }
        clang::SourceLocation spelled = sources->getSpellingLoc(at);
        clang::SourceLocation outer = sources->getImmediateExpansionRange(at).getBegin();
        if (sources->isWrittenInCommandLineFile(spelled)) {
            std::string name = clang::Lexer::getImmediateMacroName(at, *sources, language).str();
            int define = kiln_preprocess_define_of(options, name.c_str());
            if (define >= 0) {
                token.define = define;
                token.value_at = sources->getFileOffset(spelled);
                token.use_note = notes_of(outer, &token.use);
            }
        }
        at = outer;
    }
    const kiln_raw_token_t *before = tokens.empty() ? nullptr : &tokens.back();
    token.begins_value = !before || before->define != token.define || before->value_at >= token.value_at ||
                         memcmp(&before->use, &token.use, sizeof token.use) != 0;
}

void consumer_t::HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info)
{
    if (level == clang::DiagnosticsEngine::Ignored || run.diagnostics.size() > 1000)
        return;
    DiagnosticConsumer::HandleDiagnostic(level, info);
    llvm::SmallString<256> message;
    info.FormatDiagnostic(message);
    if (info.getID() == clang::diag::err_pp_file_not_found)
        message += run.options->no_include_files ? " among the headers in memory, and files are not read"
                                                 : "; -I DIR names a folder to look in";
    kiln_preprocess_diagnostic_t made = {};
    made.severity = level >= clang::DiagnosticsEngine::Error     ? KILN_SEVERITY_ERROR
                    : level == clang::DiagnosticsEngine::Warning ? KILN_SEVERITY_WARNING
                    : level == clang::DiagnosticsEngine::Remark  ? KILN_SEVERITY_REMARK
                                                                 : KILN_SEVERITY_NOTE;
    made.warning =
        info.getID() == clang::diag::warn_pp_undef_identifier ? KILN_WARNING_UNDEF : KILN_WARNING_PREPROCESSOR;
    made.place.file = UINT32_MAX;
    if (info.getLocation().isValid())
        made.note = run.notes_of(info.getLocation(), &made.place);
    made.message = strdup(message.c_str());
    run.diagnostics.push_back(made);
}

void callbacks_t::LexedFileChanged(clang::FileID file, LexedFileChangeReason reason, clang::SrcMgr::CharacteristicKind,
                                   clang::FileID, clang::SourceLocation location)
{
    if (reason != LexedFileChangeReason::EnterFile || !run.sources->getFileEntryRefForID(file))
        return;
    run.file(file);
    if (run.files.size() == KILN_INCLUDE_LIMIT + 1) { // a fatal error has clang enter no more files
        unsigned id = run.engine->getCustomDiagID(
            clang::DiagnosticsEngine::Fatal, "more than %0 files are included: is there one that includes itself?");
        run.engine->Report(location, id) << KILN_INCLUDE_LIMIT;
    }
}

const char TOO_DEEP[] = "%0 is nested more than 500 levels deep";

void callbacks_t::InclusionDirective(clang::SourceLocation, const clang::Token &, llvm::StringRef name, bool,
                                     clang::CharSourceRange range, clang::OptionalFileEntryRef file, llvm::StringRef,
                                     llvm::StringRef, const clang::Module *, bool, clang::SrcMgr::CharacteristicKind)
{
    auto buffer = file ? run.sources->getMemoryBufferForFileOrNone(*file) : std::nullopt;
    size_t offset;
    if (!buffer || !kiln_preprocess_find_nesting(buffer->getBufferStart(), buffer->getBufferSize(), &offset))
        return;
    unsigned id = run.engine->getCustomDiagID(clang::DiagnosticsEngine::Error, TOO_DEEP);
    run.engine->Report(range.getBegin(), id) << ("'" + name.str() + "'");
    run.sources->overrideFileContents(*file, llvm::MemoryBuffer::getMemBufferCopy("", name));
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const run_t &run)
{
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (size_t i = 0; i < run.options->header_count; i++) {
        const kiln_header_t &header = run.options->headers[i];
        memory->addFile(std::string(HEADER_ROOT) + "/" + header.name, 0,
                        llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(header.text, header.length), header.name));
    }
    if (run.options->no_include_files)
        return memory;
    auto both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
        llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>(llvm::vfs::createPhysicalFileSystem().release()));
    both->pushOverlay(memory);
    return both;
}

void add_directories(const run_t &run, clang::FileManager &files, clang::HeaderSearch &search)
{
    std::vector<std::string> names;
    if (run.options->header_count)
        names.push_back(HEADER_ROOT);
    for (size_t i = 0; i < run.options->include_dir_count; i++)
        names.push_back(run.options->include_dirs[i]);
    for (const std::string &name : names)
        if (auto directory = files.getOptionalDirectoryRef(name))
            search.AddSearchPath(clang::DirectoryLookup(*directory, clang::SrcMgr::C_User, false), true);
}

void set_severities(clang::DiagnosticsEngine &engine)
{
    using clang::diag::Severity;
    clang::SourceLocation nowhere;
    // A constexpr that #if asks for has no value there: C's silent 0 would take a branch.
    engine.setSeverity(clang::diag::warn_pp_undef_identifier, Severity::Warning, nowhere);
    // The lexer tells these itself.
    engine.setSeverity(clang::diag::ext_unterminated_char_or_string, Severity::Ignored, nowhere);
    engine.setSeverity(clang::diag::ext_empty_character, Severity::Ignored, nowhere);
    engine.setSeverity(clang::diag::ext_pp_undef_builtin_macro, Severity::Ignored, nowhere);
    engine.setSeverity(clang::diag::pp_nonportable_path, Severity::Ignored, nowhere);
}

void lex(run_t &run, clang::Preprocessor &preprocessor)
{
    size_t length = 0;
    clang::Token token;
    for (;;) {
        preprocessor.Lex(token);
        if (token.is(clang::tok::eof) || token.is(clang::tok::eod))
            break;
        if (token.isAnnotation()) { // what #embed leaves for a compiler of C
            unsigned id =
                run.engine->getCustomDiagID(clang::DiagnosticsEngine::Error, "this directive means nothing in Tile C");
            run.engine->Report(token.getLocation(), id);
            continue;
        }
        kiln_raw_token_t made = {};
        std::string spelling = preprocessor.getSpelling(token);
        made.spelling = strdup(spelling.c_str());
        made.begins_line = token.isAtStartOfLine();
        run.locate(made, token.getLocation());
        length += spelling.size() + 1;
        run.tokens.push_back(made);
        if (length <= KILN_SOURCE_LIMIT)
            continue;
        unsigned id = run.engine->getCustomDiagID(
            clang::DiagnosticsEngine::Fatal, "with its files and macros expanded, the program is longer than %0 MiB");
        run.engine->Report(token.getLocation(), id) << static_cast<unsigned>(KILN_SOURCE_LIMIT >> 20);
        break;
    }
}

template <typename element> element *copy_out(const std::vector<element> &list, size_t *out_count)
{
    *out_count = list.size();
    element *copy = static_cast<element *>(malloc((list.size() + 1) * sizeof(element)));
    if (!list.empty())
        memcpy(copy, list.data(), list.size() * sizeof(element));
    return copy;
}

// Which of the defines the program may use as macros.
void note_uses(const run_t &run, clang::Preprocessor &preprocessor, kiln_expanded_t *out)
{
    for (size_t i = 0; i < run.options->define_count; i++) {
        const char *name = run.options->defines[i].name;
        if (kiln_preprocess_define_of(run.options, name) != static_cast<int>(i))
            continue;
        const clang::MacroInfo *macro = preprocessor.getMacroInfo(preprocessor.getIdentifierInfo(name));
        out->is_macro[i] =
            !macro || macro->isUsed() || kiln_preprocess_mentions(run.files.data(), run.files.size(), name);
    }
}

} // namespace

kiln_expanded_t *kiln_preprocess(const kiln_source_t *source, const kiln_compile_options_t *options)
{
    auto *out = static_cast<kiln_expanded_t *>(calloc(1, sizeof(kiln_expanded_t)));
    if (!out || !(out->is_macro = static_cast<bool *>(calloc(options->define_count + 1, sizeof(bool))))) {
        free(out);
        return nullptr;
    }
    char *predefines = kiln_preprocess_predefines(options);
    if (!predefines) {
        kiln_expanded_free(out);
        return nullptr;
    }
    const std::string before = predefines;
    free(predefines);
    run_t run;
    run.source = source;
    run.options = options;
    run.language.C99 = run.language.C11 = run.language.C17 = run.language.C23 = true;
    run.language.LineComment = run.language.HexFloats = true;
    run.language.MacroPrefixMap[std::string(HEADER_ROOT) + "/"] = "";
    run.language.MacroPrefixMap["./"] = "";

    clang::DiagnosticOptions diagnostic_options;
    consumer_t consumer(run);
    clang::DiagnosticsEngine engine(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(), diagnostic_options, &consumer,
                                    false);
    set_severities(engine);
    clang::FileManager files(clang::FileSystemOptions(), file_system(run));
    clang::SourceManager sources(engine, files);
    run.engine = &engine;
    run.sources = &sources;
    target_t target{llvm::Triple("amdgcn-amd-amdhsa")};
    clang::HeaderSearchOptions search_options;
    clang::HeaderSearch search(search_options, sources, engine, run.language, &target);
    add_directories(run, files, search);
    clang::PreprocessorOptions preprocessor_options;
    clang::TrivialModuleLoader modules;
    clang::Preprocessor preprocessor(preprocessor_options, engine, run.language, sources, search, modules);
    preprocessor.Initialize(target);
    preprocessor.setPredefines(before);
    preprocessor.addPPCallbacks(std::make_unique<callbacks_t>(run));

    llvm::StringRef text(source->text, source->length);
    const char *name = source->name && *source->name ? source->name : "<source>";
    clang::FileEntryRef entry = files.getVirtualFileRef(name, static_cast<off_t>(text.size()), 0);
    sources.overrideFileContents(entry, llvm::MemoryBuffer::getMemBufferCopy(text, name));
    sources.setMainFileID(sources.createFileID(entry, clang::SourceLocation(), clang::SrcMgr::C_User));
    run.file(sources.getMainFileID());
    run.name(name);
    consumer.BeginSourceFile(run.language, &preprocessor);
    preprocessor.EnterMainSourceFile();
    size_t offset;
    if (kiln_preprocess_find_nesting(source->text, source->length, &offset)) {
        unsigned id = engine.getCustomDiagID(clang::DiagnosticsEngine::Error, TOO_DEEP);
        clang::SourceLocation start = sources.getLocForStartOfFile(sources.getMainFileID());
        engine.Report(start.getLocWithOffset(static_cast<int>(offset)), id) << "this";
    } else {
        lex(run, preprocessor);
    }
    consumer.EndSourceFile();

    note_uses(run, preprocessor, out);
    bool has_text = kiln_preprocess_give_text(run.tokens.data(), run.tokens.size(), options, out);
    for (const kiln_raw_token_t &token : run.tokens)
        free(token.spelling);
    out->files = copy_out(run.files, &out->file_count);
    out->names = copy_out(run.names, &out->name_count);
    out->notes = copy_out(run.notes, &out->note_count);
    out->diagnostics = copy_out(run.diagnostics, &out->diagnostic_count);
    if (has_text)
        return out;
    kiln_expanded_free(out);
    return nullptr;
}
