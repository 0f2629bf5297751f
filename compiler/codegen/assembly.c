// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks inline assembly, which users write and LLVM trusts. Text that would end the process is
// rejected beforehand; errors that only the assembler can find get the location of their call.
//
// Note that a call's location reaches LLVM's diagnostic only as a number, `!srcloc`. Here it
// encodes line and column; the call that carries it knows the file.
//
// An operand with the constraint `s` must be in a scalar register, but LLVM 22 computes products of
// floats, volatile loads and others in vector registers and does not copy them for assembly
// (workarounds.def: scalar_operands). A readfirstlane does. It is added after LLVM's passes,
// because InstCombine drops it from a product of uniform factors, which is allowed: the bug is that
// selection ignores the constraint. It is added only for scalars: elements of tiles differ between
// lanes. Selection removes it where the operand is in a scalar register already.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/number.h"
#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"
#include "codegen/llvm_shim.h"

static kiln_status_t bad_reference(const char *what)
{
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "inline assembly: %s", what);
}

static unsigned read_number(const char **at, const char *end)
{
    unsigned number = 0;
    for (; *at < end && kiln_is_digit(**at); ++*at)
        number = number < 100000 ? number * 10 + (unsigned)(**at - '0') : number;
    return number;
}

// Checks the text after a '$': an operand, `${N:m}`, a part of a choice `$(a$|b$)`, or the dollar
// sign itself.
static kiln_status_t check_reference(const char **at, const char *end, unsigned operands,
                                     bool *in_choice)
{
    const char *p = *at;
    if (p < end && strchr("$(|)", *p)) {
        if (*p == '(' && *in_choice)
            return bad_reference("choices '$(' are nested");
        *in_choice = *p == '(' || (*in_choice && *p != ')');
        *at = p + 1;
        return KILN_OK;
    }
    bool braces = p < end && *p == '{';
    p += braces;
    if (braces && p < end && *p == ':') {
        static const char *const names[] = {":private}", ":comment}", ":uid}"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if ((size_t)(end - p) >= strlen(names[i]) &&
                memcmp(p, names[i], strlen(names[i])) == 0) {
                *at = p + strlen(names[i]);
                return KILN_OK;
            }
        return bad_reference("expected private, comment or uid and '}' after '${:'");
    }
    if (p == end || !kiln_is_digit(*p))
        return bad_reference("expected an operand number after '$'; write '$$' for a dollar sign");
    const unsigned number = read_number(&p, end);
    if (number >= operands)
        return kiln_status_make(
            KILN_STATUS_INVALID_INPUT,
            "inline assembly: operand $%u is out of range: the constraints have %u", number,
            operands);
    if (braces && p < end && *p == ':')
        p += p + 1 < end ? 2 : 1;
    if (braces && (p == end || *p++ != '}'))
        return bad_reference("unterminated '${'");
    *at = p;
    return KILN_OK;
}

// Directives repeat, fill and read files: only those that emit a few bytes or define a value are
// harmless.
static kiln_status_t check_directive(const char *at, const char *end)
{
    static const char *const harmless[] = {".byte", ".short", ".hword", ".word",  ".long", ".int",
                                           ".quad", ".2byte", ".4byte", ".8byte", ".set"};
    size_t length = 1;
    while (at + length < end && (kiln_is_alphanumeric(at[length]) || strchr("_.$", at[length])))
        length++;
    if (at + length < end && at[length] == ':') // a label
        return KILN_OK;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strlen(harmless[i]) == length && memcmp(harmless[i], at, length) == 0)
            return KILN_OK;
    return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                            "inline assembly: the directive '%.*s' is not supported",
                            length < 40 ? (int)length : 40, at);
}

// Statements end at a newline; a statement may be preceded by labels, comments and the marker of a
// choice.
static kiln_status_t check_statements(const char *text, size_t length)
{
    bool begins = true;
    for (const char *at = text, *end = text + length; at < end; at++) {
        bool marks = *at == '$' && at + 1 < end && strchr("(|)", at[1]);
        if (*at == '/' && at + 1 < end && at[1] == '*') {
            for (at += 2; at + 1 < end && (at[0] != '*' || at[1] != '/'); at++)
                continue;
            at++;
        } else if (marks || *at == '\n' || *at == '\r' || *at == ':' || *at == ';') {
            begins = true;
            at += marks;
        } else if (*at == '.' && begins) {
            KILN_TRY(check_directive(at, end));
            begins = false;
        } else if (!kiln_is_blank(*at)) {
            begins = false;
        }
    }
    return KILN_OK;
}

// LLVM looks up the register class of a clobbered range without checking that it exists:
// `~{v[0:127]}` ends the process.
static kiln_status_t check_clobbers(const char *text, size_t length)
{
    enum { MAX_IN_A_ROW = 12 };
    for (const char *at = text, *end = text + length; at < end; at++) {
        const char *name = at + 2;
        if (end - at < 2 || memcmp(at, "~{", 2) != 0)
            continue;
        while (name < end && kiln_is_alphanumeric(*name))
            name++;
        if (name == end || *name++ != '[')
            continue;
        const unsigned first = read_number(&name, end);
        if (name == end || *name++ != ':')
            continue;
        const unsigned last = read_number(&name, end), count = last - first + 1;
        if (last < first || (count > MAX_IN_A_ROW && count != 16 && count != 32)) {
            const char *close = memchr(at, '}', (size_t)(end - at));
            size_t shown = close && close - at < 40 ? (size_t)(close - at) + 1 : 2;
            return kiln_status_make(
                KILN_STATUS_INVALID_INPUT,
                "inline assembly constraints: unsupported register range '%.*s'; a clobber covers "
                "1 to %d, 16 or 32 registers, so use several clobbers for more",
                (int)shown, at, MAX_IN_A_ROW);
        }
    }
    return KILN_OK;
}

kiln_status_t kiln_codegen_check_assembly(LLVMTypeRef type, const char *text, size_t length,
                                          const char *constraints, size_t constraints_length)
{
    unsigned operands;
    char *message = kiln_shim_check_constraints(type, constraints, constraints_length, &operands);
    if (message) {
        kiln_status_t status =
            kiln_status_make(KILN_STATUS_INVALID_INPUT, "inline assembly constraints: %s", message);
        LLVMDisposeMessage(message);
        return status;
    }
    KILN_TRY(check_clobbers(constraints, constraints_length));
    if (length && memchr(text, '\0', length))
        return bad_reference("unexpected NUL byte");
    KILN_TRY(check_statements(text, length));
    bool in_choice = false;
    for (const char *at = text, *end = text + length; at < end;)
        if (*at++ == '$')
            KILN_TRY(check_reference(&at, end, operands, &in_choice));
    return KILN_OK;
}

static uint64_t place_of(LLVMMetadataRef location)
{
    return (uint64_t)LLVMDILocationGetLine(location) << 32 | LLVMDILocationGetColumn(location);
}

static const char PLACE[] = "srcloc";

void kiln_codegen_place_assembly(LLVMValueRef call)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(call);
    if (!location)
        return;
    LLVMContextRef context = LLVMGetModuleContext(
        LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))));
    LLVMValueRef number = LLVMConstInt(LLVMInt64TypeInContext(context), place_of(location), 0);
    LLVMSetMetadata(call, LLVMGetMDKindIDInContext(context, PLACE, sizeof PLACE - 1),
                    LLVMMDNodeInContext(context, &number, 1));
}

static const char SCALARS[] = "kiln-scalars"; // for each operand '1' if it is a scalar for `s`

// Whether the operand of that number has to be in a scalar register. Results come first.
static bool wants_scalar(const char *constraints, size_t length, unsigned number)
{
    const char *at = constraints, *end = constraints + length;
    for (; number > 0 && at; number--) {
        at = memchr(at, ',', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    while (at && at < end && strchr("=&%", *at))
        at++;
    if (!at || at == end)
        return false;
    if (kiln_is_digit(*at)) // the register of a result
        return wants_scalar(constraints, length, read_number(&at, end));
    return *at == 's' || (*at == '{' && at + 1 < end && at[1] == 's');
}

void kiln_codegen_mark_scalars(LLVMValueRef call, const bool *are_scalars, unsigned results)
{
    size_t length;
    const char *constraints = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &length);
    const unsigned count = LLVMGetNumArgOperands(call);
    char marks[KILN_MOST_ASSEMBLY_OPERANDS];
    bool has_any = false;
    for (unsigned i = 0; i < count; i++) {
        const bool is = are_scalars[i] && wants_scalar(constraints, length, results + i);
        marks[i] = is ? '1' : '0';
        has_any |= is;
    }
    if (!has_any)
        return;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMGetCalledValue(call)));
    LLVMAddCallSiteAttribute(
        call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(context, SCALARS, sizeof SCALARS - 1, marks, count));
}

static void give_scalars(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call)
{
    static const char READ[] = "llvm.amdgcn.readfirstlane";
    LLVMAttributeRef attribute = LLVMGetCallSiteStringAttribute(
        call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, SCALARS, sizeof SCALARS - 1);
    unsigned count;
    const char *marks = attribute ? LLVMGetStringAttributeValue(attribute, &count) : NULL;
    for (unsigned i = 0; marks && i < count; i++) {
        LLVMValueRef value = LLVMGetOperand(call, i);
        LLVMTypeRef type = LLVMTypeOf(value);
        if (marks[i] != '1' || LLVMIsConstant(value))
            continue;
        const unsigned id = LLVMLookupIntrinsicID(READ, sizeof READ - 1);
        LLVMPositionBuilderBefore(builder, call);
        LLVMValueRef held = LLVMBuildCall2(
            builder, LLVMIntrinsicGetType(LLVMGetModuleContext(module), id, &type, 1),
            LLVMGetIntrinsicDeclaration(module, id, &type, 1), &value, 1, "");
        LLVMSetOperand(call, i, held);
    }
}

void kiln_codegen_give_scalars(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef inst = kiln_first_instruction(module); inst;
         inst = kiln_next_instruction(inst))
        if (LLVMIsACallInst(inst) && LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
            give_scalars(module, builder, inst);
    LLVMDisposeBuilder(builder);
}

kiln_status_t kiln_codegen_at_instruction(kiln_status_t status, LLVMValueRef instruction)
{
    LLVMMetadataRef location = instruction ? LLVMInstructionGetDebugLoc(instruction) : NULL;
    LLVMMetadataRef file = location ? LLVMDIScopeGetFile(LLVMDILocationGetScope(location)) : NULL;
    if (!status || !file)
        return status;
    unsigned length;
    const char *text = LLVMDIFileGetFilename(file, &length);
    if (!text || !length) // a location in an unnamed file is useless
        return status;
    char *name = strndup(text, length);
    if (name)
        status = kiln_status_at(status, name, LLVMDILocationGetLine(location),
                                LLVMDILocationGetColumn(location));
    free(name);
    return status;
}

kiln_status_t kiln_codegen_at_call(kiln_status_t status, LLVMValueRef function)
{
    LLVMUseRef use = LLVMGetFirstUse(function);
    return kiln_codegen_at_instruction(status, use ? LLVMIsAInstruction(LLVMGetUser(use)) : NULL);
}

// Whether an instruction is assembly that a user wrote. Kiln's own has no text or carries Kiln's
// attribute.
static bool is_users_assembly(LLVMValueRef instruction)
{
    if (!LLVMIsACallInst(instruction) || !LLVMIsAInlineAsm(LLVMGetCalledValue(instruction)))
        return false;
    size_t length;
    LLVMGetInlineAsmAsmString(LLVMGetCalledValue(instruction), &length);
    return length && !LLVMGetCallSiteStringAttribute(
                         instruction, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                         KILN_SHIM_OWN_ASSEMBLY, sizeof KILN_SHIM_OWN_ASSEMBLY - 1);
}

// The first that satisfies `fits`, else the first of all; NULL if the user wrote none.
static LLVMValueRef find_assembly(LLVMModuleRef module, bool (*fits)(LLVMValueRef, const void *),
                                  const void *wanted)
{
    LLVMValueRef first = NULL;
    for (LLVMValueRef inst = kiln_first_instruction(module); inst;
         inst = kiln_next_instruction(inst)) {
        if (!is_users_assembly(inst))
            continue;
        if (fits(inst, wanted))
            return inst;
        first = first ? first : inst;
    }
    return first;
}

static bool is_at(LLVMValueRef assembly, const void *place)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(assembly);
    return location && place_of(location) == *(const uint64_t *)place;
}

static bool mentions(LLVMValueRef assembly, const void *symbol)
{
    size_t length;
    const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(assembly), &length);
    return symbol && memmem(text, length, symbol, strlen(symbol));
}

kiln_status_t kiln_codegen_at_assembly(kiln_status_t status, LLVMModuleRef module, uint64_t place)
{
    return kiln_codegen_at_instruction(status, find_assembly(module, is_at, &place));
}

LLVMValueRef kiln_codegen_find_assembly(LLVMModuleRef module, const char *symbol)
{
    return find_assembly(module, mentions, symbol);
}
