// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds threads ("T67:2") and offsets in LDS in a layout's text, and colours them.
#include "colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/gfx942.h"
#include "base/number.h"

bool kiln_layout_is_coloured(const char *when)
{
    const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");
    if (when && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return isatty(STDOUT_FILENO) && !(none && *none) && terminal && strcmp(terminal, "dumb") != 0;
}

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

// Colours of the 256 of xterm that differ with any colour vision (Okabe and Ito), as text.
static void begin_warp(unsigned thread, kiln_string_t *out)
{
    static const unsigned colours[] = {214, 117, 36, 227, 32, 166, 175, 250};
    kiln_string_appendf(out, "\033[38;5;%um",
                        colours[thread / KILN_GFX942_LANES % (sizeof colours / sizeof *colours)]);
}

// The higher the bank, the darker.
static void begin_bank(unsigned offset, unsigned bits, kiln_string_t *out)
{
    enum { WHITE = 255, GREYS = 23, BLACK_TEXT = 16, WHITE_TEXT = 231, MIDDLE = 244 };
    const unsigned bank = offset * bits / (8 * KILN_GFX942_LDS_BANK_BYTES) % KILN_GFX942_LDS_BANKS;
    const unsigned grey = WHITE - bank * GREYS / (KILN_GFX942_LDS_BANKS - 1);
    kiln_string_appendf(out, "\033[38;5;%u;48;5;%um", grey > MIDDLE ? BLACK_TEXT : WHITE_TEXT,
                        grey);
}

// The length of a coloured part that begins here; 0: none does.
static size_t begin(const char *at, unsigned lds_bits, kiln_string_t *out)
{
    const bool is_thread = *at == 'T' && digits(at + 1);
    if (lds_bits && digits(at)) {
        begin_bank((unsigned)strtoul(at, NULL, 10), lds_bits, out);
        return digits(at);
    }
    if (lds_bits || !is_thread)
        return 0;
    begin_warp((unsigned)strtoul(at + 1, NULL, 10), out);
    const size_t length = 1 + digits(at + 1);
    return at[length] == ':' ? length + 1 + digits(at + length + 1) // a cell
                             : strcspn(at, "\n");                   // a row of a thread
}

void kiln_layout_colour(const char *text, unsigned lds_bits, kiln_string_t *out)
{
    static const char END[] = "\033[0m";
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        // Other lines are types and headings.
        const char *at = line, *end = line + length, *first = line + strspn(line, " ");
        const bool has_cells = line[0] == ' ' && (lds_bits ? digits(first) : *first == 'T') > 0;
        while (has_cells && at < end) {
            const bool starts = at == line || !(kiln_is_alphanumeric(at[-1]) || at[-1] == '_');
            const size_t part = starts ? begin(at, lds_bits, out) : 0;
            kiln_string_append_bytes(out, at, part ? part : 1);
            if (part)
                kiln_string_append(out, END);
            at += part ? part : 1;
        }
        if (!has_cells)
            kiln_string_append_bytes(out, line, length);
        line = end;
    }
}
