# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs when Python starts (kiln_triton.pth): with KILN_TRITON=1, `import triton` enables Kiln. Otherwise it does nothing."""
import os

if os.environ.get("KILN_TRITON", "").lower() in ("1", "y", "yes", "on", "true"):
    import importlib.util
    import sys

    class _Finder:

        def find_spec(self, name, path=None, target=None):
            if name != "triton":
                return None
            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.loader is not None:
                execute = spec.loader.exec_module

                def then_enable(module):
                    execute(module)
                    import kiln_triton
                    kiln_triton.enable()

                spec.loader.exec_module = then_enable
            return spec

    sys.meta_path.insert(0, _Finder())
