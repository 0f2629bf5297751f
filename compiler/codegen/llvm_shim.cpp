// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copying and inlining functions, and facts about inline assembly: thin C entry points to LLVM's
// C++.
#include "llvm_shim.h"

#include <llvm-c/Core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

using namespace llvm;

bool kiln_shim_materialize(LLVMValueRef function, char **out_message)
{
    *out_message = nullptr;
    Error error = unwrap<Function>(function)->materialize();
    if (!error)
        return true;
    *out_message = LLVMCreateMessage(toString(std::move(error)).c_str());
    return false;
}

bool kiln_shim_inline_call(LLVMValueRef call)
{
    InlineFunctionInfo info;
    return InlineFunction(*unwrap<CallBase>(call), info).isSuccess();
}

void kiln_shim_split_block(LLVMValueRef before)
{
    Instruction *instruction = unwrap<Instruction>(before);
    instruction->getParent()->splitBasicBlock(instruction->getIterator());
}

bool kiln_shim_has_effects(LLVMValueRef instruction)
{
    return unwrap<Instruction>(instruction)->mayHaveSideEffects();
}

bool kiln_shim_precedes(LLVMValueRef a, LLVMValueRef b)
{
    return unwrap<Instruction>(a)->comesBefore(unwrap<Instruction>(b));
}

bool kiln_shim_has_copied_sign(LLVMValueRef integer, LLVMValueRef user)
{
    const auto *at = unwrap<Instruction>(user);
    const DataLayout &layout = at->getDataLayout();
    const Value *value = unwrap(integer);
    return ComputeNumSignBits(value, layout, nullptr, at) > 1 &&
           !isKnownNonNegative(value, SimplifyQuery(layout, at));
}

bool kiln_shim_ignores_sign_of_zero(LLVMUseRef use)
{
    return canIgnoreSignBitOfZero(*unwrap(use));
}

bool kiln_shim_may_be_negative_zero(LLVMValueRef number, LLVMValueRef user)
{
    const auto *at = unwrap<Instruction>(user);
    return !cannotBeNegativeZero(unwrap(number), SimplifyQuery(at->getDataLayout(), at));
}

void kiln_shim_move_before(LLVMValueRef instruction, LLVMValueRef place)
{
    unwrap<Instruction>(instruction)->moveBefore(unwrap<Instruction>(place)->getIterator());
}

namespace
{
// Finds or creates in the destination module the globals that a copied body refers to.
class GlobalCopier : public ValueMaterializer
{
  public:
    GlobalCopier(Module &module) : destination(module) {}

    Value *materialize(Value *value) override
    {
        if (auto *function = dyn_cast<Function>(value))
            return declare(*function);
        if (auto *variable = dyn_cast<GlobalVariable>(value))
            return copy(*variable);
        return nullptr;
    }

  private:
    Value *declare(Function &function)
    {
        if (&function.getContext() != &destination.getContext() ||
            function.getParent() == &destination)
            return nullptr;
        auto callee = destination.getOrInsertFunction(
            function.getName(), function.getFunctionType(), function.getAttributes());
        return callee.getCallee();
    }

    Value *copy(GlobalVariable &variable)
    {
        if (variable.getParent() == &destination)
            return nullptr;
        if (auto *known = destination.getNamedGlobal(variable.getName()))
            return known;
        auto *made =
            new GlobalVariable(destination, variable.getValueType(), variable.isConstant(),
                               GlobalValue::InternalLinkage, nullptr, variable.getName(), nullptr,
                               variable.getThreadLocalMode(), variable.getAddressSpace());
        made->copyAttributesFrom(&variable);
        made->setVisibility(GlobalValue::DefaultVisibility);
        if (variable.hasInitializer()) {
            ValueToValueMapTy map;
            made->setInitializer(MapValue(variable.getInitializer(), map, RF_None, nullptr, this));
        } else {
            made->setLinkage(GlobalValue::ExternalLinkage);
        }
        return made;
    }

    Module &destination;
};
} // namespace

void kiln_shim_copy_body(LLVMValueRef from_ref, LLVMValueRef to_ref)
{
    Function *from = unwrap<Function>(from_ref), *to = unwrap<Function>(to_ref);
    ValueToValueMapTy map;
    auto target = to->arg_begin();
    for (Argument &argument : from->args())
        map[&argument] = &*target++;
    map[from] = to;
    GlobalCopier copier(*to->getParent());
    SmallVector<ReturnInst *, 4> returns;
    CloneFunctionInto(to, from, map, CloneFunctionChangeType::DifferentModule, returns, "", nullptr,
                      nullptr, &copier);
}

bool kiln_shim_link_needed(LLVMModuleRef to, LLVMModuleRef from)
{
    std::unique_ptr<Module> library(unwrap(from));
    for (const char *name : {"llvm.module.flags", "llvm.ident", "opencl.ocl.version"})
        if (NamedMDNode *node = library->getNamedMetadata(name))
            library->eraseNamedMetadata(node);
    return !Linker::linkModules(*unwrap(to), std::move(library), Linker::LinkOnlyNeeded);
}

namespace
{
// Operands for which LLVM 22 ends the process: those in registers that its selection has no moves
// for. Values may differ between lanes, so assembly reads vector registers; a result may be in a
// scalar one.
bool has_no_moves(const InlineAsm::ConstraintInfo &constraint, StringRef code)
{
    if (constraint.Type == InlineAsm::isClobber || !code.consume_front("{"))
        return false;
    const bool is_vector = code.starts_with("v") || code.starts_with("a"),
               is_result = constraint.Type == InlineAsm::isOutput && code.starts_with("s");
    return (!is_vector && !is_result) || code.size() < 2 || (code[1] != '[' && !isDigit(code[1]));
}
} // namespace

char *kiln_shim_check_constraints(LLVMTypeRef type, const char *constraints, size_t length,
                                  unsigned *out_operands)
{
    StringRef text(constraints, length);
    *out_operands = 0;
    for (const InlineAsm::ConstraintInfo &constraint : InlineAsm::ParseConstraints(text)) {
        if (constraint.isIndirect)
            return LLVMCreateMessage("memory operands ('*') are not supported");
        if (constraint.Type == InlineAsm::isLabel)
            return LLVMCreateMessage("labels ('!') are not supported");
        if (llvm::any_of(constraint.Codes, [](const std::string &code) {
                return code == "m" || code == "o" || code == "V" || code == "p";
            }))
            return LLVMCreateMessage("memory operands are not supported");
        for (const std::string &code : constraint.Codes)
            if (has_no_moves(constraint, code))
                return LLVMCreateMessage(
                    ("an operand cannot be in the register '" + code + "'").c_str());
        *out_operands += constraint.Type != InlineAsm::isClobber;
    }
    Error error = InlineAsm::verify(cast<FunctionType>(unwrap(type)), text);
    return error ? LLVMCreateMessage(toString(std::move(error)).c_str()) : nullptr;
}

kiln_shim_subject_t kiln_shim_diagnostic_subject(LLVMDiagnosticInfoRef info_ref)
{
    static const struct {
        DiagnosticKind kind;
        kiln_shim_subject_t subject;
    } rows[] = {
        {DK_InlineAsm, KILN_SHIM_SUBJECT_ASSEMBLY},
        {DK_StackSize, KILN_SHIM_SUBJECT_REGISTERS},
        {DK_RegAllocFailure, KILN_SHIM_SUBJECT_REGISTERS},
        {DK_Linker, KILN_SHIM_SUBJECT_BITCODE},
    };
    const DiagnosticInfo &info = *unwrap(info_ref);
    if (auto *source =
            dyn_cast<DiagnosticInfoSrcMgr>(&info)) // or an error of the assembler in generated code
        return source->isInlineAsmDiag() ? KILN_SHIM_SUBJECT_ASSEMBLY : KILN_SHIM_SUBJECT_UNKNOWN;
    if (info.getKind() == DK_ResourceLimit)
        return StringRef(cast<DiagnosticInfoResourceLimit>(info).getResourceName()) ==
                       "local memory"
                   ? KILN_SHIM_SUBJECT_LDS
                   : KILN_SHIM_SUBJECT_REGISTERS;
    for (const auto &row : rows)
        if (info.getKind() == row.kind)
            return row.subject;
    return KILN_SHIM_SUBJECT_UNKNOWN;
}

char *kiln_shim_diagnostic_message(LLVMDiagnosticInfoRef info_ref)
{
    if (auto *assembly =
            dyn_cast<DiagnosticInfoInlineAsm>(unwrap(info_ref))) // else it ends with `!srcloc`
        return LLVMCreateMessage(assembly->getMsgStr().str().c_str());
    return LLVMGetDiagInfoDescription(info_ref);
}

uint64_t kiln_shim_assembly_place(LLVMDiagnosticInfoRef info_ref)
{
    const DiagnosticInfo &info = *unwrap(info_ref);
    if (auto *assembly = dyn_cast<DiagnosticInfoInlineAsm>(&info))
        return assembly->getLocCookie();
    if (auto *source = dyn_cast<DiagnosticInfoSrcMgr>(&info))
        return source->isInlineAsmDiag() && !source->getLocCookie() ? UINT64_MAX
                                                                    : source->getLocCookie();
    return 0;
}
