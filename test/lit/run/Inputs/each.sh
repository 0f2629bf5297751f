# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# each.sh COMMAND FLAGS...: runs the command with each of the flags in turn, and prints "code N" after each.
set -f
command=$1
shift
for flags; do
    $command $flags
    echo "code $?"
done
exit 0
