#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# venv.sh DIRECTORY NAME PACKAGE...: prints the path of a Python that has these packages of PyPI: DIRECTORY/NAME/bin/python, a virtual environment that is
# made once. KILN_TEST_VENVS names another DIRECTORY, to share environments between builds. Where it can't be made, it says why and exits with 77, which ctest reports as
# skipped.
#
# In builds with AddressSanitizer, it is a script that loads the sanitizer's runtime first; the C++ library comes with it, because the runtime looks for
# its functions only once. Python and its packages free little at their end, so leaks are left to the other tests.
set -u
if [ "${KILN_TEST_SANITIZER:-}" = thread ]; then
    echo "SKIPPED: $2 under ThreadSanitizer: what its threads and LLVM hand each other is not instrumented, and would count as races" >&2
    exit 77
fi
directory=${KILN_TEST_VENVS:-$1} name=$2
shift 2
venv=$directory/$name
mkdir -p "$directory"
exec 9>"$directory/.lock"
flock 9
if [ ! -e "$venv/.complete" ]; then
    rm -rf "$venv"
    if ! python3 -m venv "$venv" >"$directory/$name.log" 2>&1 ||
        ! "$venv/bin/python" -m pip --disable-pip-version-check install --quiet --timeout 20 --retries 1 "$@" >>"$directory/$name.log" 2>&1; then
        echo "SKIPPED: no virtual environment with $*: $(tail -n 1 "$directory/$name.log")" >&2
        rm -rf "$venv"
        exit 77
    fi
    touch "$venv/.complete"
fi
[ -n "${KILN_TEST_SANITIZER:-}" ] || { echo "$venv/bin/python"; exit; }
script=$venv/bin/python-sanitized
printf '#!/bin/sh\nLD_PRELOAD=$KILN_TEST_PRELOAD ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 exec "${0%%-sanitized}" "$@"\n' >"$script.new"
chmod +x "$script.new"
mv "$script.new" "$script"
echo "$script"
