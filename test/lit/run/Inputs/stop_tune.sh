# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# stop_tune.sh SIGNAL LOG COMMAND...: sends the signal when the third candidate has been tried.
signal=$1 log=$2
shift 2
: >"$log" # the command truncates it only when it starts, and an earlier one may have left [3/
"$@" >"$log" 2>&1 &
until grep -q '^\[3/' "$log"; do
    kill -0 $! 2>/dev/null || break
    sleep 0.02
done
kill -s "$signal" $!
wait $!
echo "code $?"
