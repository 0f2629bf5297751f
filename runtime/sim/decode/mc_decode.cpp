// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thin shim over LLVM's MC disassembler. The C++ interface is needed because
// llvm-c/Disassembler.h hides the sizes of undecodable words and costs a context per call site.
//
// Pitfall: the disassembler keeps references to all the tables in kiln_sim_mc. Members are
// destroyed in reverse order of declaration, and that order matters.
#include "decode/mc.h"

#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "llvm-c/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

struct kiln_sim_mc {
    llvm::MCTargetOptions options;
    std::unique_ptr<llvm::MCRegisterInfo> registers;
    std::unique_ptr<llvm::MCAsmInfo> assembler;
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
    std::unique_ptr<llvm::MCInstrInfo> instructions;
    std::unique_ptr<llvm::MCContext> context;
    std::unique_ptr<llvm::MCDisassembler> disassembler;
    std::unique_ptr<llvm::MCInstPrinter> printer;
};

extern "C" kiln_sim_mc_t *kiln_sim_mc_create(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();

    const llvm::Triple triple("amdgcn-amd-amdhsa");
    std::string error;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target)
        return nullptr;
    std::unique_ptr<kiln_sim_mc> mc(new (std::nothrow) kiln_sim_mc);
    if (!mc)
        return nullptr;
    mc->registers.reset(target->createMCRegInfo(triple));
    mc->assembler.reset(target->createMCAsmInfo(*mc->registers, triple, mc->options));
    // LLVM 22 crashes on an 8-byte instruction with a literal operand, which gfx942 cannot encode.
    // With literals allowed, LLVM decodes it to 12 bytes, which kiln_sim_mc_decode rejects.
    mc->subtarget.reset(target->createMCSubtargetInfo(triple, "gfx942", "+vop3-literal"));
    mc->instructions.reset(target->createMCInstrInfo());
    if (!mc->registers || !mc->assembler || !mc->subtarget || !mc->instructions)
        return nullptr;
    mc->context.reset(new llvm::MCContext(triple, mc->assembler.get(), mc->registers.get(),
                                          mc->subtarget.get(), nullptr));
    mc->disassembler.reset(target->createMCDisassembler(*mc->subtarget, *mc->context));
    mc->printer.reset(target->createMCInstPrinter(triple, mc->assembler->getAssemblerDialect(),
                                                  *mc->assembler, *mc->instructions,
                                                  *mc->registers));
    if (!mc->disassembler || !mc->printer)
        return nullptr;
    return mc.release();
}

extern "C" void kiln_sim_mc_destroy(kiln_sim_mc_t *mc)
{
    delete mc;
}

// SDWA selects that the ISA does not define: LLVM 22 decodes them but cannot print them.
static bool has_undefined_select(const uint8_t *bytes, size_t count)
{
    uint32_t word[2];
    if (count < sizeof word)
        return false;
    memcpy(word, bytes, sizeof word);
    if (word[0] >> 31 || (word[0] & 0x1ff) != 0xf9)
        return false;
    bool vop1 = word[0] >> 25 == 0x3f, vopc = word[0] >> 25 == 0x3e;
    bool bad_destination = (word[1] >> 8 & 7) == 7 || (word[1] >> 11 & 3) == 3;
    return (word[1] >> 16 & 7) == 7 || (!vop1 && (word[1] >> 24 & 7) == 7) ||
           (!vopc && bad_destination);
}

// Constants of v_fmamk_f32, v_fmaak_f32, v_madmk_f16 and v_madak_f16 that are smaller than 512:
// LLVM 22 mistakes them for operand codes. They are decoded as a stand-in, which is replaced by the
// constant afterwards.
enum { PLACEHOLDER = 0x5a3c96e1 };

static bool has_small_constant(const uint32_t *word)
{
    const uint32_t op = word[0] >> 25;
    return (op == 0x17 || op == 0x18 || op == 0x24 || op == 0x25) && word[1] < 512;
}

extern "C" unsigned kiln_sim_mc_decode(kiln_sim_mc_t *mc, const uint8_t *bytes, size_t count,
                                       uint64_t address, char *text, size_t text_size)
{
    llvm::MCInst inst;
    uint64_t size = 0;
    if (has_undefined_select(bytes, count))
        return 0;
    // LLVM needs space for a literal that will be rejected, even at the end of the code.
    uint8_t window[16] = {0};
    memcpy(window, bytes, count < sizeof window ? count : sizeof window);
    uint32_t word[2];
    memcpy(word, window, sizeof word);
    const bool has_placeholder = has_small_constant(word);
    const uint32_t placeholder = PLACEHOLDER;
    if (has_placeholder)
        memcpy(window + 4, &placeholder, sizeof placeholder);
    auto status = mc->disassembler->getInstruction(inst, size, llvm::ArrayRef<uint8_t>(window),
                                                   address, llvm::nulls());
    if (status != llvm::MCDisassembler::Success || size > 8 || size > count)
        return 0;
    for (llvm::MCOperand &operand : inst)
        if (has_placeholder && operand.isImm() && operand.getImm() == PLACEHOLDER)
            operand.setImm(word[1]);
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    mc->printer->printInst(&inst, address, "", *mc->subtarget, stream);
    size_t first = printed.find_first_not_of(" \t");
    if (first == std::string::npos)
        first = 0;
    size_t length = printed.size() - first;
    if (length >= text_size)
        length = text_size - 1;
    memcpy(text, printed.data() + first, length);
    text[length] = 0;
    for (char *at = text; *at; at++)
        if (*at == '\t')
            *at = ' ';
    // LLVM reports operands that the assembler would reject only in the text.
    return printed.find("/*") == std::string::npos ? static_cast<unsigned>(size) : 0;
}
