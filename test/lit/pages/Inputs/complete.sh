#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# complete.sh FILE: what the completion in FILE offers after some words.
source "$1"
try() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _kiln
    echo "$*: (${COMPREPLY[*]})"
}
try kiln com
try kiln compile --emit = t
try kiln compile --emit =
try kiln run --print
try kiln run --num-w
try kiln doctor --num-w
