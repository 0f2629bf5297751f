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
#include <clang/Lex/MacroArgs.h>
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
    void MacroExpands(const clang::Token &, const clang::MacroDefinition &definition,
                      clang::SourceRange range, const clang::MacroArgs *given) override;
    void LexedFileChanged(clang::FileID file, LexedFileChangeReason reason,
                          clang::SrcMgr::CharacteristicKind, clang::FileID,
                          clang::SourceLocation) override;
    void InclusionDirective(clang::SourceLocation, const clang::Token &, llvm::StringRef, bool,
                            clang::CharSourceRange range, clang::OptionalFileEntryRef file,
                            llvm::StringRef, llvm::StringRef, const clang::Module *, bool,
                            clang::SrcMgr::CharacteristicKind) override;
    void If(clang::SourceLocation, clang::SourceRange, ConditionValueKind) override { openers = 0; }
    void Elif(clang::SourceLocation, clang::SourceRange, ConditionValueKind,
              clang::SourceLocation) override
    {
        openers = 0;
    }
    size_t bytes_of_use(llvm::ArrayRef<clang::Token> body, size_t at, unsigned parameter,
                        clang::MacroArgs &args);
    size_t bytes_of_expansion(const clang::MacroInfo &macro, clang::MacroArgs *args);
    run_t &run;
    clang::Preprocessor &preprocessor;
    void end(clang::SourceLocation location, const char *reason, unsigned limit);
    void leave();
    llvm::DenseSet<const clang::FileEntry *> checked; // for nesting of #if
    unsigned entered = 0, directives = 0;             // counts of files entered and of #includes
    size_t included = 0;                              // bytes of files entered
    bool is_ended = false;                            // a limit of files was exceeded
    unsigned expansions = 0;                          // macros so far
    unsigned depth = 0;                               // arguments that are being expanded
    unsigned openers = 0; // parentheses and operators from macros in this #if
    size_t bytes = 0;     // made by expansions
    bool is_over = false; // a limit of macros was exceeded
};

kiln_piece_t piece(llvm::StringRef text)
{
    return {text.data(), text.size()};
}

// The place of a location in the user's text, with the macros through which it was expanded,
// innermost first, and the outermost define (of the options) among them.
struct origin_t {
    kiln_text_place_t place, use; // `use`: of the define
    uint32_t note, use_note;
    int define; // -1: none
    uint32_t value_at;
};

struct run_t {
    const kiln_compile_options_t *options;
    kiln_collector_t collector;
    clang::LangOptions language;
    clang::SourceManager *sources = nullptr;
    clang::DiagnosticsEngine *engine = nullptr;
    llvm::DenseMap<clang::SourceLocation::UIntTy, origin_t> origins; // of expansions

    uint32_t file(clang::FileID id);
    kiln_text_place_t place(clang::SourceLocation location);
    void locate(kiln_raw_token_t &token, clang::SourceLocation location);
    origin_t origin_of(clang::SourceLocation location);
    origin_t origin_within(clang::SourceLocation location, origin_t origin);
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

// Extends the origin of an expansion by a location inside it.
origin_t run_t::origin_within(clang::SourceLocation location, origin_t origin)
{
    clang::SourceLocation spelled = sources->getSpellingLoc(location);
    if (origin.define < 0 && sources->isWrittenInCommandLineFile(spelled)) {
        origin.define = kiln_preprocess_define_of(options, macro_name(location).str().c_str());
        if (origin.define >= 0) {
            origin.value_at = sources->getFileOffset(spelled);
            origin.use = origin.place;
            origin.use_note = origin.note;
        }
    }
    if (!sources->isWrittenInScratchSpace(spelled)) {
        kiln_text_place_t at = place(spelled);
        uint32_t note =
            kiln_collect_note(&collector, origin.note, &at, piece(macro_name(location)));
        origin.note = note ? note : origin.note;
    }
    return origin;
}

// Returns the origin of a location. The tokens of an expansion share the origin of the expansion,
// which is cached: macros whose results are scanned again form chains of many thousands.
origin_t run_t::origin_of(clang::SourceLocation location)
{
    llvm::SmallVector<clang::SourceLocation, 16> inner; // of expansions, the outermost last
    llvm::SmallVector<clang::SourceLocation::UIntTy, 16> keys;
    origin_t origin = {};
    for (;;) {
        const clang::SourceLocation::UIntTy key = location.getRawEncoding();
        auto known = keys.empty() ? origins.end() : origins.find(key);
        if (known != origins.end()) {
            origin = known->second;
            break;
        }
        keys.push_back(key);
        while (sources->isMacroArgExpansion(location))
            location = sources->getImmediateSpellingLoc(location);
        if (!location.isMacroID()) {
            origin.place = place(location);
            origin.define = -1;
            if (keys.size() > 1)
                origins[keys.back()] = origin;
            keys.pop_back();
            break;
        }
        inner.push_back(location);
        location = sources->getImmediateExpansionRange(location).getBegin();
    }
    while (!inner.empty()) {
        origin = origin_within(inner.pop_back_val(), origin);
        if (keys.size() > 1)
            origins[keys.back()] = origin;
        keys.pop_back();
    }
    return origin;
}

void run_t::locate(kiln_raw_token_t &token, clang::SourceLocation location)
{
    origin_t origin = origin_of(location);
    token.place = origin.place;
    token.note = origin.note;
    token.define = origin.define;
    token.value_at = origin.value_at;
    token.use = origin.use;
    token.use_note = origin.use_note;
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
    if (info.getID() == clang::diag::warn_pragma_ignored)
        message += "; kernels and loops take attributes, such as [[tune(BLOCK = 64, 128)]]";
    kiln_severity_t severity = level >= clang::DiagnosticsEngine::Error     ? KILN_SEVERITY_ERROR
                               : level == clang::DiagnosticsEngine::Warning ? KILN_SEVERITY_WARNING
                               : level == clang::DiagnosticsEngine::Remark  ? KILN_SEVERITY_REMARK
                                                                            : KILN_SEVERITY_NOTE;
    kiln_warning_id_t warning = info.getID() == clang::diag::warn_pp_undef_identifier
                                    ? KILN_WARNING_UNDEF
                                    : KILN_WARNING_PREPROCESSOR;
    bool is_placed = info.getLocation().isValid();
    origin_t origin = is_placed ? run.origin_of(info.getLocation()) : origin_t{};
    kiln_collect_diagnostic(&run.collector, severity, warning, is_placed ? &origin.place : nullptr,
                            origin.note, piece(message));
}

// Reports a limit and stops reading.
void callbacks_t::end(clang::SourceLocation location, const char *reason, unsigned limit)
{
    if (!is_ended) {
        unsigned id =
            run.engine->getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Fatal, reason);
        run.engine->Report(location, id) << limit;
    }
    is_ended = true;
    leave();
}

// Goes to the end of the current file.
void callbacks_t::leave()
{
    if (auto *lexer = static_cast<clang::Lexer *>(preprocessor.getCurrentLexer()))
        lexer->seek(static_cast<unsigned>(lexer->getBuffer().size()), true);
}

void callbacks_t::LexedFileChanged(clang::FileID file, LexedFileChangeReason reason,
                                   clang::SrcMgr::CharacteristicKind, clang::FileID,
                                   clang::SourceLocation location)
{
    if (is_ended)
        return leave();
    if (reason != LexedFileChangeReason::EnterFile || !run.sources->getFileEntryRefForID(file))
        return;
    run.file(file);
    included += run.sources->getBufferData(file).size();
    if (++entered > KILN_INCLUDE_LIMIT)
        end(location, "more than %0 nested #includes; does a file include itself?",
            KILN_INCLUDE_LIMIT);
    else if (included > KILN_INCLUDED_LIMIT)
        end(location, "included files exceed %0 MiB", KILN_INCLUDED_LIMIT >> 20);
}

const char TOO_DEEP[] = "%0 is nested more than " KILN_LIMIT_TEXT(KILN_DEPTH_LIMIT) " levels deep";

void callbacks_t::InclusionDirective(clang::SourceLocation, const clang::Token &,
                                     llvm::StringRef name, bool, clang::CharSourceRange range,
                                     clang::OptionalFileEntryRef file, llvm::StringRef,
                                     llvm::StringRef, const clang::Module *, bool,
                                     clang::SrcMgr::CharacteristicKind)
{
    if (is_ended || ++directives > KILN_DIRECTIVE_LIMIT)
        return end(range.getBegin(), "more than %0 #includes; does a file include itself?",
                   KILN_DIRECTIVE_LIMIT);
    if (!file || !checked.insert(&file->getFileEntry()).second)
        return;
    auto buffer = run.sources->getMemoryBufferForFileOrNone(*file);
    size_t offset;
    if (!buffer ||
        !kiln_preprocess_find_nesting(buffer->getBufferStart(), buffer->getBufferSize(), &offset))
        return;
    unsigned id = run.engine->getCustomDiagID(clang::DiagnosticsEngine::Error, TOO_DEEP);
    run.engine->Report(range.getBegin(), id) << ("'" + name.str() + "'");
    run.sources->overrideFileContents(*file, llvm::MemoryBuffer::getMemBufferCopy("", name));
}

size_t bytes_of(const clang::Token &token)
{
    return token.getLength() + 1;
}

// Bytes of an argument as written in the call.
size_t bytes_of(const clang::Token *argument)
{
    size_t bytes = 0;
    for (; argument->isNot(clang::tok::eof); argument++)
        bytes += bytes_of(*argument);
    return bytes;
}

// Bytes of an argument converted to a string. clang moves the rest of the string for each character
// that gets a backslash; the estimate includes this cost.
size_t bytes_of_string(const clang::Token *argument)
{
    size_t bytes = 2, escaped = 0;
    for (; argument->isNot(clang::tok::eof); argument++) {
        bytes += bytes_of(*argument);
        const char *text = argument->isLiteral() ? argument->getLiteralData() : nullptr;
        for (unsigned i = 0; text && i < argument->getLength(); i++)
            escaped += text[i] == '"' || text[i] == '\\';
    }
    return bytes + escaped + bytes * escaped / 256;
}

// Bytes that replace a use of a parameter. If the use requires it, expands the argument, as clang
// does next; MacroExpands counts that expansion.
size_t callbacks_t::bytes_of_use(llvm::ArrayRef<clang::Token> body, size_t at, unsigned parameter,
                                 clang::MacroArgs &args)
{
    const clang::Token *written = args.getUnexpArgument(parameter);
    if (at && body[at - 1].is(clang::tok::hash))
        return bytes_of_string(written);
    bool is_pasted = (at && body[at - 1].is(clang::tok::hashhash)) ||
                     (at + 1 < body.size() && body[at + 1].is(clang::tok::hashhash));
    if (is_pasted || !args.ArgNeedsPreexpansion(written, preprocessor))
        return bytes_of(written);
    depth++;
    const clang::Token *expanded = args.getPreExpArgument(parameter, preprocessor).data();
    depth--;
    return bytes_of(expanded);
}

// Bytes that an expansion produces; stops counting above the limit.
size_t callbacks_t::bytes_of_expansion(const clang::MacroInfo &macro, clang::MacroArgs *args)
{
    llvm::ArrayRef<clang::Token> body = macro.tokens();
    const bool is_in_if = preprocessor.isParsingIfOrElifDirective();
    size_t made = 0;
    for (size_t i = 0; i < body.size() && !is_over && made <= KILN_EXPANDED_LIMIT; i++) {
        const clang::IdentifierInfo *name = body[i].getIdentifierInfo();
        int parameter = args && name ? macro.getParameterNum(name) : -1;
        openers +=
            is_in_if && body[i].isOneOf(clang::tok::l_paren, clang::tok::exclaim, clang::tok::tilde,
                                        clang::tok::plus, clang::tok::minus, clang::tok::question);
        made += parameter < 0 ? bytes_of(body[i])
                              : bytes_of_use(body, i, static_cast<unsigned>(parameter), *args);
    }
    return made;
}

// Counts macros and their text before clang creates it: an argument that a macro names twice
// doubles with every level, and so does a macro that another one names twice. Macros in arguments
// are expanded within this function, so `depth` bounds clang's recursion.
void callbacks_t::MacroExpands(const clang::Token &, const clang::MacroDefinition &definition,
                               clang::SourceRange range, const clang::MacroArgs *given)
{
    auto *args = const_cast<clang::MacroArgs *>(given); // clang's own object, which is not const
    const char *too_much = nullptr;
    unsigned limit = 0;
    if (++expansions > KILN_EXPANSION_LIMIT) {
        too_much = "macros are expanded more than %0 times";
        limit = KILN_EXPANSION_LIMIT;
    } else if (depth > KILN_DEPTH_LIMIT) {
        too_much = "calls of macros are nested more than %0 levels deep";
        limit = KILN_DEPTH_LIMIT;
    } else if (preprocessor.isParsingIfOrElifDirective() && openers > KILN_OPENER_LIMIT) {
        too_much = "macros of an #if have more than %0 parentheses and operators";
        limit = KILN_OPENER_LIMIT;
    } else if (!is_over) {
        bytes += bytes_of_expansion(*definition.getMacroInfo(), args);
        too_much = "macros make more than %0 MiB of text; does a macro use its argument twice at "
                   "each level?";
        limit = KILN_EXPANDED_LIMIT >> 20;
        if (bytes <= KILN_EXPANDED_LIMIT)
            return;
    }
    if (!is_over) {
        unsigned id =
            run.engine->getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Fatal, too_much);
        run.engine->Report(range.getBegin(), id) << limit;
    }
    // After the error, the rest of the program is read without expanding macros. clang continues
    // with the macros in progress, whose arguments become empty.
    is_over = true;
    preprocessor.SetMacroExpansionOnlyInDirectives();
    for (unsigned i = 0; args && i < args->getNumMacroArguments(); i++) {
        auto *argument = const_cast<clang::Token *>(args->getUnexpArgument(i));
        argument->setKind(clang::tok::eof);
    }
}

// The error of opening a device or a pipe, which could wait or never end.
class not_regular_t final : public std::error_category
{
    const char *name() const noexcept override { return "kiln"; }
    std::string message(int) const override { return "it is not a regular file"; }
};

// The system's regular files and directories.
class regular_files_t final : public llvm::vfs::ProxyFileSystem
{
  public:
    using ProxyFileSystem::ProxyFileSystem;
    llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override
    {
        static const not_regular_t not_regular;
        auto found = ProxyFileSystem::status(path);
        if (found && !found->isRegularFile() && !found->isDirectory())
            return std::error_code(1, not_regular);
        return found;
    }
    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
    openFileForRead(const llvm::Twine &path) override
    {
        auto found = status(path);
        if (!found)
            return found.getError();
        return ProxyFileSystem::openFileForRead(path);
    }
};

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
        llvm::makeIntrusiveRefCnt<regular_files_t>(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>(
            llvm::vfs::createPhysicalFileSystem().release())));
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
    engine.setSeverity(clang::diag::warn_pragma_ignored, Severity::Warning, nowhere);
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
