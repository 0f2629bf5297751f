#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# all_flags.sh KILN DIRECTORY: that every flag which KILN's verbs show in their help is in the verb's man page and in each shell's completion of it.
set -euo pipefail
kiln=$1 directory=$2 wrong=0 count=0
lacks() {
    echo "$1"
    wrong=1
}
for verb in $("$kiln" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    man=$directory/man/man1/kiln-$verb.1
    bash=$(sed -n "/^    $verb)/,/^        ;;/p" "$directory/bash-completion/completions/kiln")
    zsh=$(sed -n "/^$verb)/,/^    ;;/p" "$directory/zsh/site-functions/_kiln")
    for flag in $("$kiln" "$verb" --help=all | sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p'); do
        count=$((count + 1))
        grep -qF -e "\\-\\-${flag//-/\\-}" "$man" || lacks "$man lacks --$flag"
        case $bash in *"--$flag"*) ;; *) lacks "bash's completion of $verb lacks --$flag" ;; esac
        case $zsh in *"'*--$flag"*) ;; *) lacks "zsh's completion of $verb lacks --$flag" ;; esac
        grep -q -e "from $verb' -l $flag " "$directory/fish/vendor_completions.d/kiln.fish" || lacks "fish's completion of $verb lacks --$flag"
    done
done
[ $count -gt 150 ] || lacks "only $count flags were found in the helps"
exit $wrong
