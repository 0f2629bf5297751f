#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the code that Kiln's short list of LLVM passes leads to with that of default<O3>: test/bench/compare_o3.sh BUILD FILE...
# Prints, for each file, instructions in all and in each loop, vector registers in brackets: Kiln's, then O3's.
set -euo pipefail
build=$1
shift
llvm=/usr/lib/llvm-22/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count() {
    "$build/bin/kiln" inspect "$work/code.hsaco" | awk '
        /^  vector registers  / { vgprs = $3 }
        /^  code:/              { total = $2 }
        /^  loop/               { if (n) loops = loops " " sum; sum = 0; n++; next }
        /^  [^ ]/               { next }
        n                       { sum += $1 }
        END                     { if (n) loops = loops " " sum; printf "%d [%d]%s", total, vgprs, n ? ", loops" loops : "" }'
}

for file; do
    "$build/bin/kiln" compile "$file" --no-line-info -o "$work/code.hsaco"
    ours=$(count)
    "$build/bin/kiln" compile "$file" --no-line-info --no-llvm-passes --emit=llvm -o "$work/raw.ll"
    $llvm/opt -passes='default<O3>' -mcpu=gfx942 "$work/raw.ll" -o "$work/o3.bc"
    $llvm/llc -O3 -mcpu=gfx942 -filetype=obj "$work/o3.bc" -o "$work/o3.o"
    $llvm/ld.lld -shared "$work/o3.o" -o "$work/code.hsaco"
    printf '| %s | %s | %s |\n' "$(basename "$(dirname "$file")")" "$ours" "$(count)"
done
