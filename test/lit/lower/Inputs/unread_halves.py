# Reads assembly; of the block with the most packed f32 instructions, prints how many of these ignore a half of an
# operand that a load of an earlier instruction, in this iteration or the last, has not written yet.
import re, sys

blocks, block = [], []
for line in sys.stdin:
    line = line.split(";")[0].strip()
    if re.match(r"\.?\w+:|s_c?branch", line):
        blocks.append(block)
        block = []
    elif line:
        block.append(line)
body = max(blocks, key=lambda b: sum(i.startswith("v_pk_") and "_f32" in i for i in b))


def registers(text):
    found = re.match(r"v\[(\d+):(\d+)\]|v(\d+)$", text)
    if not found:
        return set()
    first, last = (found[1], found[2]) if found[1] else (found[3], found[3])
    return set(range(int(first), int(last) + 1))


pending, ignored = [], 0
for line in body + body:
    name, _, rest = line.partition(" ")
    operands = [o.strip() for o in re.split(r",(?![^\[]*\])", re.sub(r" (op_sel|neg_).*", "", rest))]
    if re.match(r"(buffer|global)_load", name):
        pending.append(registers(operands[0]))
    elif name == "s_waitcnt" and (count := re.search(r"vmcnt\((\d+)\)", rest)):
        pending = pending[max(0, len(pending) - int(count[1])):]
    elif re.match(r"v_pk_\w+_f32", name):
        low = re.search(r"op_sel:\[([01,]+)\]", rest)
        high = re.search(r"op_sel_hi:\[([01,]+)\]", rest)
        for i, operand in enumerate(operands[1:]):
            halves = (low[1].split(",")[i] if low else "0", high[1].split(",")[i] if high else "1")
            pair = sorted(registers(operand))
            if len(pair) == 2 and halves[0] == halves[1]:
                ignored += any(pair[halves[0] == "0"] in loaded for loaded in pending)
print("ignored:", ignored)
