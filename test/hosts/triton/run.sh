#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# run.sh BUILD VERSION CHOSEN: the tests of this folder under that version of Triton. Versions other than the CHOSEN one run only where
# KILN_TEST_HOSTS=all, because each wants some 300 MB from PyPI.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1 version=$2 chosen=$3
if [ "$version" != "$chosen" ] && [ "${KILN_TEST_HOSTS:-}" != all ]; then
    echo "SKIPPED: Triton $version; KILN_TEST_HOSTS=all tests all versions" >&2
    exit 77
fi
python=$("$here/../venv.sh" "$build/venvs" "triton-$version" "triton==$version.*" numpy) || exit $?
# Triton's driver is C that it compiles itself.
"$python" -c 'import sysconfig, os, sys; sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))' || {
    echo "SKIPPED: Triton's driver needs Python.h (package python3-dev)" >&2
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
env -u KILN_TRITON -u KILN_TRITON_DEVICE TRITON_HOME="$work" KILN_CACHE_DIR="$work/kiln" KILN_TRITON_FALLBACK=error PYTHONPATH="$build/python" KILN_TEST_PYTHON="$build/python" \
    PYTHONDONTWRITEBYTECODE=1 "$python" -m unittest discover -s "$here" -p 'test_*.py'
