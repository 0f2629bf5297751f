// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps clang's Lex library as C functions (preprocess.h): tokens, files, macros and diagnostics
// are passed on as plain structs. preprocess_collect.c stores them, and preprocess_text.c
// interprets them.
#include "frontend/lex/preprocess_collect.h"

#include "base/limits.h"

#include <cstdlib>
#include <string>

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

// The target properties that the preprocessor needs, widths of integers in #if. No target macros
// are defined.
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
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                          const clang::Diagnostic &info) override;
    run_t &run;
};

class callbacks_t final : public clang::PPCallbacks
{
  public:
    callbacks_t(run_t &run, clang::Preprocessor &preprocessor)
        : run(run), preprocessor(preprocessor)
    {
    }
    void MacroExpands(const clang::Token &, const clang::MacroDefinition &,
                      clang::SourceRange range, const clang::MacroArgs *) override;
    void LexedFileChanged(clang::FileID file, LexedFileChangeReason reason,
                          clang::SrcMgr::CharacteristicKind, clang::FileID,
                          clang::SourceLocation) override;
    void InclusionDirective(clang::SourceLocation, const clang::Token &, llvm::StringRef, bool,
                            clang::CharSourceRange range, clang::OptionalFileEntryRef file,
                            llvm::StringRef, llvm::StringRef, const clang::Module *, bool,
                            clang::SrcMgr::CharacteristicKind) override;
    run_t &run;
    clang::Preprocessor &preprocessor;
    unsigned expansions = 0;
};

kiln_piece_t piece(llvm::StringRef text)
{
    return {text.data(), text.size()};
}

struct run_t {
    const kiln_compile_options_t *options;
    kiln_collector_t collector;
    clang::LangOptions language;
    clang::SourceManager *sources = nullptr;
    clang::DiagnosticsEngine *engine = nullptr;

    uint32_t file(clang::FileID id);
    kiln_text_place_t place(clang::SourceLocation location);
    void locate(kiln_raw_token_t &token, clang::SourceLocation location);
    uint32_t notes_of(clang::SourceLocation location, kiln_text_place_t *place);
    llvm::StringRef macro_name(clang::SourceLocation location) const
    {
        return clang::Lexer::getImmediateMacroName(location, *sources, language);
    }
};

uint32_t run_t::file(clang::FileID id)
{
    uint32_t index;
    if (kiln_collect_find_file(&collector, id.getHashValue(), &index))
        return index;
    llvm::StringRef name =
        sources->getPresumedLoc(sources->getLocForStartOfFile(id), /*UseLineDirectives=*/false)
            .getFilename();
    index = kiln_collect_file(&collector, id.getHashValue(), piece(name),
                              piece(sources->getBufferData(id)),
                              sources->getFileEntryRefForID(id).has_value());
    clang::SourceLocation includer = sources->getIncludeLoc(id);
    if (includer.isValid()) {
        auto from = sources->getDecomposedExpansionLoc(includer);
        kiln_collect_include(&collector, index, file(from.first), from.second);
    }
    return index;
}

// The place of a file location.
kiln_text_place_t run_t::place(clang::SourceLocation location)
{
    auto [id, offset] = sources->getDecomposedLoc(location);
    clang::PresumedLoc presumed = sources->getPresumedLoc(location);
    unsigned length = clang::Lexer::MeasureTokenLength(location, *sources, language);
    kiln_text_place_t result = {};
    result.file = file(id);
    result.begin = offset;
    result.end = offset + (length ? length : 1);
    llvm::StringRef name =
        presumed.isValid() ? presumed.getFilename() : sources->getBufferName(location);
    result.name = kiln_collect_name(&collector, piece(name));
    result.line = presumed.isValid() ? presumed.getLine() : 1;
    return result;
}

// The place of any location in the text that the user wrote, with the macros that it was expanded
// through, innermost first.
uint32_t run_t::notes_of(clang::SourceLocation location, kiln_text_place_t *out_place)
{
    uint32_t first = 0, last = 0;
    while (location.isMacroID()) {
        if (sources->isMacroArgExpansion(location)) {
            location = sources->getImmediateSpellingLoc(location);
            continue;
        }
        clang::SourceLocation spelled = sources->getSpellingLoc(location);
        if (!sources->isWrittenInScratchSpace(spelled)) {
            kiln_text_place_t at = place(spelled);
            uint32_t note = kiln_collect_note(&collector, last, &at, piece(macro_name(location)));
            first = first ? first : note;
            last = note ? note : last;
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
        int define = sources->isWrittenInCommandLineFile(spelled)
                         ? kiln_preprocess_define_of(options, macro_name(at).str().c_str())
                         : -1;
        if (define >= 0) {
            token.define = define;
            token.value_at = sources->getFileOffset(spelled);
            token.use_note = notes_of(outer, &token.use);
        }
        at = outer;
    }
}

void consumer_t::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                  const clang::Diagnostic &info)
{
    if (level == clang::DiagnosticsEngine::Ignored)
        return;
    DiagnosticConsumer::HandleDiagnostic(level, info);
    llvm::SmallString<256> message;
    info.FormatDiagnostic(message);
    if (info.getID() == clang::diag::err_pp_file_not_found)
        message += kiln_preprocess_missing_advice(run.options);
    kiln_severity_t severity = level >= clang::DiagnosticsEngine::Error     ? KILN_SEVERITY_ERROR
                               : level == clang::DiagnosticsEngine::Warning ? KILN_SEVERITY_WARNING
                               : level == clang::DiagnosticsEngine::Remark  ? KILN_SEVERITY_REMARK
                                                                            : KILN_SEVERITY_NOTE;
    kiln_warning_id_t warning = info.getID() == clang::diag::warn_pp_undef_identifier
                                    ? KILN_WARNING_UNDEF
                                    : KILN_WARNING_PREPROCESSOR;
    kiln_text_place_t place;
    bool is_placed = info.getLocation().isValid();
    uint32_t note = is_placed ? run.notes_of(info.getLocation(), &place) : 0;
    kiln_collect_diagnostic(&run.collector, severity, warning, is_placed ? &place : nullptr, note,
                            piece(message));
}

void callbacks_t::LexedFileChanged(clang::FileID file, LexedFileChangeReason reason,
                                   clang::SrcMgr::CharacteristicKind, clang::FileID,
                                   clang::SourceLocation location)
{
    if (reason != LexedFileChangeReason::EnterFile || !run.sources->getFileEntryRefForID(file))
        return;
    run.file(file);
    // clang enters no files after a fatal error.
    if (run.collector.expanded->file_count == KILN_INCLUDE_LIMIT + 1) {
        unsigned id = run.engine->getCustomDiagID(
            clang::DiagnosticsEngine::Fatal,
            "more than %0 nested #includes; does a file include itself?");
        run.engine->Report(location, id) << KILN_INCLUDE_LIMIT;
    }
}

const char TOO_DEEP[] = "%0 is nested more than " KILN_LIMIT_TEXT(KILN_DEPTH_LIMIT) " levels deep";

void callbacks_t::InclusionDirective(clang::SourceLocation, const clang::Token &,
                                     llvm::StringRef name, bool, clang::CharSourceRange range,
                                     clang::OptionalFileEntryRef file, llvm::StringRef,
                                     llvm::StringRef, const clang::Module *, bool,
                                     clang::SrcMgr::CharacteristicKind)
{
    auto buffer = file ? run.sources->getMemoryBufferForFileOrNone(*file) : std::nullopt;
    size_t offset;
    if (!buffer ||
        !kiln_preprocess_find_nesting(buffer->getBufferStart(), buffer->getBufferSize(), &offset))
        return;
    unsigned id = run.engine->getCustomDiagID(clang::DiagnosticsEngine::Error, TOO_DEEP);
    run.engine->Report(range.getBegin(), id) << ("'" + name.str() + "'");
    run.sources->overrideFileContents(*file, llvm::MemoryBuffer::getMemBufferCopy("", name));
}

// A macro that names another one twice doubles the work with every level. After the error the rest
// of the program is read without expanding anything.
void callbacks_t::MacroExpands(const clang::Token &, const clang::MacroDefinition &,
                               clang::SourceRange range, const clang::MacroArgs *)
{
    if (++expansions != KILN_EXPANSION_LIMIT + 1)
        return;
    unsigned id = run.engine->getCustomDiagID(clang::DiagnosticsEngine::Fatal,
                                              "macros are expanded more than %0 times");
    run.engine->Report(range.getBegin(), id) << KILN_EXPANSION_LIMIT;
    preprocessor.SetMacroExpansionOnlyInDirectives();
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const run_t &run)
{
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (size_t i = 0; i < run.options->header_count; i++) {
        const kiln_header_t &header = run.options->headers[i];
        memory->addFile(std::string(KILN_HEADER_ROOT "/") + header.name, 0,
                        llvm::MemoryBuffer::getMemBufferCopy(
                            llvm::StringRef(header.text, header.length), header.name));
    }
    if (run.options->no_include_files)
        return memory;
    auto both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
        llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>(
            llvm::vfs::createPhysicalFileSystem().release()));
    both->pushOverlay(memory);
    return both;
}

void add_directories(const run_t &run, clang::FileManager &files, clang::HeaderSearch &search)
{
    auto add = [&](llvm::StringRef name) {
        if (auto directory = files.getOptionalDirectoryRef(name))
            search.AddSearchPath(clang::DirectoryLookup(*directory, clang::SrcMgr::C_User, false),
                                 true);
    };
    if (run.options->header_count)
        add(KILN_HEADER_ROOT);
    for (size_t i = 0; i < run.options->include_dir_count; i++)
        add(run.options->include_dirs[i]);
}

void set_severities(clang::DiagnosticsEngine &engine)
{
    using clang::diag::Severity;
    clang::SourceLocation nowhere;
    // A constexpr used in #if has no value at this point; C's implicit 0 would silently select a
    // branch.
    engine.setSeverity(clang::diag::warn_pp_undef_identifier, Severity::Warning, nowhere);
    // The lexer reports these itself.
    engine.setSeverity(clang::diag::ext_unterminated_char_or_string, Severity::Ignored, nowhere);
    engine.setSeverity(clang::diag::ext_empty_character, Severity::Ignored, nowhere);
    engine.setSeverity(clang::diag::ext_pp_undef_builtin_macro, Severity::Ignored, nowhere);
    engine.setSeverity(clang::diag::pp_nonportable_path, Severity::Ignored, nowhere);
}

void lex(run_t &run, clang::Preprocessor &preprocessor)
{
    clang::Token token;
    for (;;) {
        preprocessor.Lex(token);
        if (token.is(clang::tok::eof) || token.is(clang::tok::eod))
            return;
        if (token.isAnnotation()) { // a token that #embed leaves for a C compiler
            unsigned id = run.engine->getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                      "directive is not supported in Tile C");
            run.engine->Report(token.getLocation(), id);
            continue;
        }
        kiln_raw_token_t made = {};
        made.begins_line = token.isAtStartOfLine();
        run.locate(made, token.getLocation());
        if (kiln_collect_token(&run.collector, made, piece(preprocessor.getSpelling(token))))
            continue;
        unsigned id = run.engine->getCustomDiagID(clang::DiagnosticsEngine::Fatal,
                                                  "the program exceeds %0 MiB after preprocessing");
        run.engine->Report(token.getLocation(), id)
            << static_cast<unsigned>(KILN_SOURCE_LIMIT >> 20);
        return;
    }
}

void note_uses(run_t &run, clang::Preprocessor &preprocessor)
{
    for (size_t i = 0; i < run.options->define_count; i++) {
        clang::IdentifierInfo *name = preprocessor.getIdentifierInfo(run.options->defines[i].name);
        const clang::MacroInfo *macro = preprocessor.getMacroInfo(name);
        kiln_collect_macro(&run.collector, i, !macro || macro->isUsed());
    }
}

} // namespace

kiln_expanded_t *kiln_preprocess(const kiln_source_t *source, const kiln_compile_options_t *options)
{
    char *predefines = kiln_preprocess_predefines(options);
    run_t run;
    run.options = options;
    run.collector = kiln_collect_begin(options);
    run.collector.failed |= !predefines;
    if (run.collector.failed) {
        free(predefines);
        return kiln_collect_end(&run.collector);
    }
    run.language.C99 = run.language.C11 = run.language.C17 = run.language.C23 = true;
    run.language.LineComment = run.language.HexFloats = true;
    run.language.MacroPrefixMap[KILN_HEADER_ROOT "/"] = "";
    run.language.MacroPrefixMap["./"] = "";

    clang::DiagnosticOptions diagnostic_options;
    consumer_t consumer(run);
    clang::DiagnosticsEngine engine(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(),
                                    diagnostic_options, &consumer, false);
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
    clang::Preprocessor preprocessor(preprocessor_options, engine, run.language, sources, search,
                                     modules);
    preprocessor.Initialize(target);
    preprocessor.setPredefines(predefines);
    free(predefines);
    preprocessor.addPPCallbacks(std::make_unique<callbacks_t>(run, preprocessor));

    llvm::StringRef text(source->text, source->length);
    const char *name = source->name && *source->name ? source->name : "<source>";
    clang::FileEntryRef entry = files.getVirtualFileRef(name, static_cast<off_t>(text.size()), 0);
    sources.overrideFileContents(entry, llvm::MemoryBuffer::getMemBufferCopy(text, name));
    sources.setMainFileID(
        sources.createFileID(entry, clang::SourceLocation(), clang::SrcMgr::C_User));
    run.file(sources.getMainFileID());
    kiln_collect_name(&run.collector, piece(name));
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

    note_uses(run, preprocessor);
    return kiln_collect_end(&run.collector);
}
