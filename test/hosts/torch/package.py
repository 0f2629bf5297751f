# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""package.py make|run FOLDER: a model as an AOTInductor package with Kiln's kernels; made in one process and run in another that has only PyTorch."""
import os
import sys

import torch


class Block(torch.nn.Module):

    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = torch.nn.LayerNorm(256), torch.nn.Linear(256, 1024), torch.nn.Linear(1024, 256)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


verb, folder = sys.argv[1:]
package, data = os.path.join(folder, "block.pt2"), os.path.join(folder, "data.pt")
if verb == "make":
    import torch._inductor.config as config

    import kiln_triton
    kiln_triton.enable(device="sim", inductor=True)
    config.max_autotune_gemm, config.max_autotune_gemm_backends, config.compile_threads = True, "TRITON", 1
    config.test_configs.max_mm_configs = 1
    torch.manual_seed(1)
    block, x = Block().eval(), torch.randn(64, 256)
    with torch.no_grad():
        torch.save((x, block(x)), data)
        torch._inductor.aoti_compile_and_package(torch.export.export(block, (x,)), package_path=package)
else:
    x, wanted = torch.load(data)
    got = torch._inductor.aoti_load_package(package)(x)
    error = ((got - wanted).norm() / wanted.norm()).item()
    print(f"package: relative error {error:.1e}; {'kiln_triton' in sys.modules and 'with' or 'without'} kiln_triton")
    sys.exit(error > 1e-5)
