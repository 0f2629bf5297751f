# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets up child processes of Triton's tests like the process that runs the tests (kiln_simulator_plugin.py)."""
import os

if "KILN_TRITON_TESTS" in os.environ:
    import kiln_simulator_plugin
    kiln_simulator_plugin.begin(os.environ["KILN_TRITON_TESTS"])
