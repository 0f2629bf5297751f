// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges between waves in reductions and scans; see combine.h.
//
// Operands that are exchanged at once lie side by side in LDS, each at a multiple of 16 bytes, so
// that wide accesses stay aligned.
#include "analysis/plan/combine.h"

#include "builder/ir.h"
#include "layout/lds.h"

uint32_t kiln_spread_bits(uint32_t index, uint32_t mask)
{
    uint32_t result = 0;
    for (; mask; mask &= mask - 1, index >>= 1)
        if (index & 1)
            result |= mask & -mask;
    return result;
}

uint32_t kiln_gather_bits(uint32_t value, uint32_t mask)
{
    uint32_t result = 0;
    for (uint32_t bit = 1; mask; mask &= mask - 1, bit <<= 1)
        if (value & mask & -mask)
            result |= bit;
    return result;
}

static int operand_bits(const kiln_wave_exchange_t *exchange, int operand)
{
    return kiln_type_bits(mlirValueGetType(mlirOperationGetOperand(exchange->op, operand)));
}

uint32_t kiln_wave_exchange_operand_bytes(const kiln_wave_exchange_t *exchange, int operand)
{
    enum { ALIGNMENT = 16 };
    uint32_t bytes = (uint32_t)kiln_lds_element_bytes(operand_bits(exchange, operand))
                     << exchange->write.log2_shape[0];
    return (bytes + ALIGNMENT - 1) & ~(uint32_t)(ALIGNMENT - 1);
}

static uint32_t bytes_at_once(const kiln_wave_exchange_t *exchange)
{
    uint32_t bytes = 0;
    for (int i = 0; i < mlirOperationGetNumOperands(exchange->op); i++)
        bytes += kiln_wave_exchange_operand_bytes(exchange, i);
    return bytes;
}

bool kiln_wave_exchange_is_single_round(const kiln_wave_exchange_t *exchange)
{
    return bytes_at_once(exchange) <= KILN_EXCHANGE_SINGLE_ROUND;
}

uint32_t kiln_wave_exchange_scratch(const kiln_wave_exchange_t *exchange)
{
    uint32_t max = 0;
    if (kiln_wave_exchange_is_single_round(exchange))
        return bytes_at_once(exchange);
    for (int i = 0; i < mlirOperationGetNumOperands(exchange->op); i++) {
        uint32_t bytes = kiln_layout_conversion_scratch(&exchange->write, &exchange->read,
                                                        operand_bits(exchange, i));
        max = bytes > max ? bytes : max;
    }
    return max;
}
