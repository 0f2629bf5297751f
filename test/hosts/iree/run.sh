#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# run.sh BUILD: kernels of Kiln's in a program of IREE's, run by IREE's own HIP driver on the simulator.
set -eu
build=$1 here=$(cd "$(dirname "$0")" && pwd) source=$(cd "$(dirname "$0")/../../.." && pwd)
python=$("$here/../venv.sh" "$build/venvs" iree-3.13 iree-base-compiler==3.13.0 iree-base-runtime==3.13.0 numpy) || exit $?
work=$build/test/iree
rm -rf "$work"
mkdir -p "$work"
exec "$python" "$here/iree_test.py" "$build" "$source" "$work"
