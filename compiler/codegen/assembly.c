// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline assembly, which a user writes and LLVM trusts: what would end the process is refused before, and what only the
// assembler can judge gets the place of its call.
//
// What is easily got wrong: a call's place reaches LLVM's diagnostic as a number alone, `!srcloc`. It is line and column
// here, and the call that carries it knows the file.
#include <ctype.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "codegen/codegen_internal.h"
#include "codegen/llvm_shim.h"

static kiln_status_t bad_reference(const char *what)
{
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "inline assembly: %s", what);
}

// What stands behind a '$': an operand, `${N:m}`, a part of a choice `$(a$|b$)`, or the sign itself.
static kiln_status_t check_reference(const char **at, const char *end, unsigned operands, bool *in_choice)
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
            if ((size_t)(end - p) >= strlen(names[i]) && memcmp(p, names[i], strlen(names[i])) == 0) {
                *at = p + strlen(names[i]);
                return KILN_OK;
            }
        return bad_reference("'${:' stands before private, comment or uid and a '}'");
    }
    if (p == end || !isdigit((unsigned char)*p))
        return bad_reference("a '$' stands before the number of an operand; '$$' is the sign itself");
    unsigned number = 0;
    for (; p < end && isdigit((unsigned char)*p); p++)
        number = number < 100000 ? number * 10 + (unsigned)(*p - '0') : number;
    if (number >= operands)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "inline assembly: there is no operand $%u: the constraints name %u", number, operands);
    if (braces && p < end && *p == ':')
        p += p + 1 < end ? 2 : 1;
    if (braces && (p == end || *p++ != '}'))
        return bad_reference("a '${' lacks its '}'");
    *at = p;
    return KILN_OK;
}

// Directives repeat, fill and read files: only those that lay down a few bytes or name a value are harmless.
static kiln_status_t check_directive(const char *at, const char *end)
{
    static const char *const harmless[] = {".byte", ".short", ".hword", ".word",  ".long", ".int",
                                           ".quad", ".2byte", ".4byte", ".8byte", ".set"};
    size_t length = 1;
    while (at + length < end && (isalnum((unsigned char)at[length]) || strchr("_.$", at[length])))
        length++;
    if (at + length < end && at[length] == ':') // a label
        return KILN_OK;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strlen(harmless[i]) == length && memcmp(harmless[i], at, length) == 0)
            return KILN_OK;
    return kiln_status_make(KILN_STATUS_UNSUPPORTED, "inline assembly: the directive '%.*s' is not supported",
                            length < 40 ? (int)length : 40, at);
}

// Statements end with a line; before a statement there may be labels, comments and the mark of a choice.
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
        } else if (!isspace((unsigned char)*at)) {
            begins = false;
        }
    }
    return KILN_OK;
}

kiln_status_t kiln_codegen_check_assembly(LLVMTypeRef type, const char *text, size_t length, const char *constraints,
                                          size_t constraints_length)
{
    unsigned operands;
    char *message = kiln_shim_check_constraints(type, constraints, constraints_length, &operands);
    if (message) {
        kiln_status_t status =
            kiln_status_make(KILN_STATUS_INVALID_INPUT, "inline assembly's constraints: %s", message);
        LLVMDisposeMessage(message);
        return status;
    }
    if (length && memchr(text, '\0', length))
        return bad_reference("it has a NUL byte");
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
    LLVMContextRef context =
        LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))));
    LLVMValueRef number = LLVMConstInt(LLVMInt64TypeInContext(context), place_of(location), 0);
    LLVMSetMetadata(call, LLVMGetMDKindIDInContext(context, PLACE, sizeof PLACE - 1),
                    LLVMMDNodeInContext(context, &number, 1));
}

kiln_status_t kiln_codegen_at_instruction(kiln_status_t status, LLVMValueRef instruction)
{
    LLVMMetadataRef location = instruction ? LLVMInstructionGetDebugLoc(instruction) : NULL;
    LLVMMetadataRef file = location ? LLVMDIScopeGetFile(LLVMDILocationGetScope(location)) : NULL;
    if (!status || !file)
        return status;
    char name[4096];
    unsigned length;
    const char *text = LLVMDIFileGetFilename(file, &length);
    if (!text || !length) // a place in a file without a name is none
        return status;
    length = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, text, length);
    name[length] = '\0';
    return kiln_status_at(status, name, LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location));
}

kiln_status_t kiln_codegen_at_call(kiln_status_t status, LLVMValueRef function)
{
    LLVMUseRef use = LLVMGetFirstUse(function);
    return kiln_codegen_at_instruction(status, use ? LLVMIsAInstruction(LLVMGetUser(use)) : NULL);
}

// Of several calls the one at that place, else the first.
kiln_status_t kiln_codegen_at_assembly(kiln_status_t status, LLVMModuleRef module, uint64_t place)
{
    LLVMValueRef found = NULL;
    unsigned kind = LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), PLACE, sizeof PLACE - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
                if (!LLVMIsACallInst(inst) || !LLVMGetMetadata(inst, kind))
                    continue; // Kiln's own has no place
                LLVMMetadataRef location = LLVMInstructionGetDebugLoc(inst);
                if (location && place_of(location) == place)
                    return kiln_codegen_at_instruction(status, inst);
                found = found ? found : inst;
            }
    return kiln_codegen_at_instruction(status, found);
}
