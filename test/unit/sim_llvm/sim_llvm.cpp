// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thin shim over LLVM's MC layer for tests: decoder, assembler and opcode tables of gfx942.
//
// LLVM has no public query whether a processor has an opcode, but for a mnemonic without operands
// its assembler reports either "instruction not supported on this GPU" or an error about the
// operands.
//
// Literals after 8-byte instructions are allowed here (see decode/mc_decode.cpp), and rejected by
// their size.
#include "sim_llvm.h"

#include <cstring>
#include <memory>
#include <set>
#include <string>

#include "llvm-c/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCFixup.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Triple.h"

struct sim_llvm {
    llvm::Triple triple{"amdgcn-amd-amdhsa"};
    const llvm::Target *target = nullptr;
    llvm::MCTargetOptions options;
    std::unique_ptr<llvm::MCRegisterInfo> registers;
    std::unique_ptr<llvm::MCAsmInfo> assembler;
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget, literals;
    std::unique_ptr<llvm::MCInstrInfo> instructions;
    std::unique_ptr<llvm::MCContext> context;
    std::unique_ptr<llvm::MCDisassembler> disassembler;
    std::unique_ptr<llvm::MCInstPrinter> printer;
};

extern "C" sim_llvm_t *sim_llvm_create(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    LLVMInitializeAMDGPUAsmParser();
    std::unique_ptr<sim_llvm> l(new sim_llvm);
    std::string error;
    l->target = llvm::TargetRegistry::lookupTarget(l->triple, error);
    if (!l->target)
        return nullptr;
    l->registers.reset(l->target->createMCRegInfo(l->triple));
    l->assembler.reset(l->target->createMCAsmInfo(*l->registers, l->triple, l->options));
    l->subtarget.reset(l->target->createMCSubtargetInfo(l->triple, "gfx942", ""));
    l->literals.reset(l->target->createMCSubtargetInfo(l->triple, "gfx942", "+vop3-literal"));
    l->instructions.reset(l->target->createMCInstrInfo());
    l->context.reset(new llvm::MCContext(l->triple, l->assembler.get(), l->registers.get(),
                                         l->literals.get(), nullptr));
    l->disassembler.reset(l->target->createMCDisassembler(*l->literals, *l->context));
    l->printer.reset(l->target->createMCInstPrinter(l->triple, 0, *l->assembler, *l->instructions,
                                                    *l->registers));
    return l.release();
}

extern "C" void sim_llvm_destroy(sim_llvm_t *llvm)
{
    delete llvm;
}

// Whether the words contain undefined SDWA selects, which LLVM's printer cannot print.
static bool cannot_be_printed(const uint32_t *words)
{
    const uint32_t w = words[0], sdwa = words[1];
    if (w >> 31 || (w & 0x1ff) != 0xf9)
        return false;
    const bool one_source = w >> 25 == 0x3f, compares = w >> 25 == 0x3e;
    return (sdwa >> 16 & 7) == 7 || (!one_source && (sdwa >> 24 & 7) == 7) ||
           (!compares && ((sdwa >> 8 & 7) == 7 || (sdwa >> 11 & 3) == 3));
}

extern "C" bool sim_llvm_decode(sim_llvm_t *l, const uint32_t words[4], sim_llvm_inst_t *out)
{
    llvm::MCInst inst;
    uint64_t size = 0;
    if (cannot_be_printed(words))
        return false;
    const llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(words), 16);
    if (l->disassembler->getInstruction(inst, size, bytes, 0, llvm::nulls()) !=
            llvm::MCDisassembler::Success ||
        size > 8)
        return false;
    out->opcode = inst.getOpcode();
    out->size = static_cast<unsigned>(size);
    out->first_imm = out->last_imm = 0;
    bool any = false;
    for (const llvm::MCOperand &operand : inst) {
        if (!operand.isImm())
            continue;
        out->last_imm = operand.getImm();
        out->first_imm = any ? out->first_imm : out->last_imm;
        any = true;
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    l->printer->printInst(&inst, 0, "", *l->literals, stream);
    const size_t first = text.find_first_not_of(" \t"),
                 length = first == std::string::npos ? 0 : text.size() - first;
    const size_t kept = length < sizeof out->text ? length : sizeof out->text - 1;
    memcpy(out->text, text.data() + (length ? first : 0), kept);
    out->text[kept] = 0;
    for (char *at = out->text; *at; at++)
        if (*at == '\t')
            *at = ' ';
    return true;
}

extern "C" unsigned sim_llvm_opcode_count(const sim_llvm_t *l)
{
    return l->instructions->getNumOpcodes();
}

extern "C" const char *sim_llvm_opcode_name(const sim_llvm_t *l, unsigned opcode)
{
    return l->instructions->getName(opcode).data(); // a zero-terminated string in a table
}

namespace
{

// Keeps the instructions instead of writing them anywhere.
struct collector : llvm::MCStreamer {
    llvm::SmallVector<llvm::MCInst, 1> instructions;
    explicit collector(llvm::MCContext &context) : MCStreamer(context) {}
    bool hasRawTextSupport() const override { return true; }
    void emitRawTextImpl(llvm::StringRef) override {}
    bool emitSymbolAttribute(llvm::MCSymbol *, llvm::MCSymbolAttr) override { return true; }
    void emitCommonSymbol(llvm::MCSymbol *, uint64_t, llvm::Align) override {}
    void emitInstruction(const llvm::MCInst &inst, const llvm::MCSubtargetInfo &) override
    {
        instructions.push_back(inst);
    }
};

using complaint_t = void (*)(void *context, unsigned line, const char *message);

struct listener {
    complaint_t complain;
    void *context;
};

void handle(const llvm::SMDiagnostic &diagnostic, void *context)
{
    const listener *to = static_cast<const listener *>(context);
    if (diagnostic.getKind() == llvm::SourceMgr::DK_Error)
        to->complain(to->context, static_cast<unsigned>(diagnostic.getLineNo()),
                     diagnostic.getMessage().str().c_str());
}

// Assembles a text for gfx942; the listener gets the diagnostics.
void parse(sim_llvm *l, const std::string &text, listener &to,
           llvm::SmallVectorImpl<llvm::MCInst> &instructions)
{
    llvm::SourceMgr sources;
    sources.setDiagHandler(handle, &to);
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
    llvm::MCContext context(l->triple, l->assembler.get(), l->registers.get(), l->subtarget.get(),
                            &sources);
    context.setDiagnosticHandler(
        [&](const llvm::SMDiagnostic &diagnostic, bool, const llvm::SourceMgr &,
            std::vector<const llvm::MDNode *> &) { handle(diagnostic, &to); });
    std::unique_ptr<llvm::MCObjectFileInfo> files(
        l->target->createMCObjectFileInfo(context, false));
    context.setObjectFileInfo(files.get());
    collector streamer(context);
    l->target->createNullTargetStreamer(streamer);
    std::unique_ptr<llvm::MCAsmParser> parser(
        llvm::createMCAsmParser(sources, context, streamer, *l->assembler));
    std::unique_ptr<llvm::MCTargetAsmParser> target(
        l->target->createMCAsmParser(*l->subtarget, *parser, *l->instructions, l->options));
    parser->setTargetParser(*target);
    parser->Run(false);
    instructions.assign(streamer.instructions.begin(), streamer.instructions.end());
}

} // namespace

extern "C" void sim_llvm_mnemonics(sim_llvm_t *l, void (*found)(void *, const char *),
                                   void *context)
{
    std::set<std::string> names;
    for (unsigned opcode = 1; opcode < l->instructions->getNumOpcodes(); opcode++) {
        llvm::MCInst inst;
        inst.setOpcode(opcode);
        const char *mnemonic = l->printer->getMnemonic(inst).first;
        if (!mnemonic || l->instructions->get(opcode).isPseudo())
            continue;
        const std::string name(mnemonic, strcspn(mnemonic, " \t"));
        if (name.size() > 2 && name[1] != '_' ? name.find('_') != std::string::npos
                                              : name.size() > 2)
            names.insert(name);
    }
    std::string text;
    std::vector<const std::string *> lines;
    for (const std::string &name : names) {
        text += name + "\n";
        lines.push_back(&name);
    }
    struct unknown {
        std::set<unsigned> lines;
    } bad;
    listener to{[](void *where, unsigned line, const char *message) {
                    if (strstr(message, "not supported") || strstr(message, "invalid instruction"))
                        static_cast<unknown *>(where)->lines.insert(line);
                },
                &bad};
    llvm::SmallVector<llvm::MCInst, 1> ignored;
    parse(l, text, to, ignored);
    for (unsigned i = 0; i < lines.size(); i++)
        if (!bad.lines.count(i + 1))
            found(context, lines[i]->c_str());
}

extern "C" bool sim_llvm_assemble(sim_llvm_t *l, const char *line, uint32_t words[4])
{
    bool refused = false;
    listener to{[](void *where, unsigned, const char *) { *static_cast<bool *>(where) = true; },
                &refused};
    llvm::SmallVector<llvm::MCInst, 1> instructions;
    parse(l, std::string(line) + "\n", to, instructions);
    memset(words, 0, 4 * sizeof *words);
    if (refused || instructions.size() != 1)
        return false;
    std::unique_ptr<llvm::MCCodeEmitter> emitter(
        l->target->createMCCodeEmitter(*l->instructions, *l->context));
    llvm::SmallVector<char, 16> bytes;
    llvm::SmallVector<llvm::MCFixup, 1> fixups;
    emitter->encodeInstruction(instructions[0], bytes, fixups, *l->subtarget);
    memcpy(words, bytes.data(), bytes.size() < 16 ? bytes.size() : 16);
    return true;
}
