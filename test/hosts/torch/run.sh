#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# run.sh BUILD: TorchInductor and AOTInductor with Kiln on the simulator. Only where KILN_TEST_HOSTS=all, because PyTorch wants 3 GB from PyPI.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1
if [ "${KILN_TEST_HOSTS:-}" != all ]; then
    echo "SKIPPED: PyTorch 2.15; KILN_TEST_HOSTS=all tests it" >&2
    exit 77
fi
python=$("$here/../venv.sh" "$build/venvs" torch-2.15 torch==2.15.0 numpy transformers==5.23.0) || exit $?
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TORCHINDUCTOR_CACHE_DIR=$work/inductor TRITON_HOME=$work KILN_TRITON_FALLBACK=error TRITON_DEFAULT_FP_FUSION=1 HF_HUB_OFFLINE=1
PYTHONPATH=$build/python "$python" "$here/tuned.py" &&
    PYTHONPATH=$build/python "$python" "$here/models.py" &&
    PYTHONPATH=$build/python "$python" "$here/package.py" make "$work" &&
    TRITON_LIBHIP_PATH=$build/lib/hip/libamdhip64.so "$python" "$here/package.py" run "$work"
