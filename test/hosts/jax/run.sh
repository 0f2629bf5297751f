#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# run.sh BUILD: jax-triton lowers its calls by Kiln, and JAX's own launcher runs them on the simulator. --no-deps leaves out XLA for ROCm, which wants ROCm.
set -eu
build=$1 here=$(cd "$(dirname "$0")" && pwd)
python=$("$here/../venv.sh" "$build/venvs" jax-0.10 --no-deps jax-triton==0.3.1 jax==0.10.2 jaxlib==0.10.2 jax-rocm7-plugin==0.10.2 triton==3.6.0 \
    absl-py==2.5.1 ml_dtypes==0.6.0 numpy==2.4.6 opt_einsum==3.4.0 scipy==1.17.1) || exit $?
LD_LIBRARY_PATH=$build/lib/hip PYTHONPATH=$build/python JAX_PLATFORMS=cpu KILN_TRITON_FALLBACK=error exec "$python" "$here/jax_triton_test.py"
