# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Has the processes that Triton's tests start do as the one that runs the tests (kiln_simulator_plugin.py)."""
import os

if "KILN_TRITON_TESTS" in os.environ:
    import kiln_simulator_plugin
    kiln_simulator_plugin.begin(os.environ["KILN_TRITON_TESTS"])
