# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inductor's templates for products and convolutions on the simulator, with fused operations, measured by predicted time; and tensors of all kinds as arguments of
Triton's kernels."""
import time
import unittest

import torch
import torch._dynamo
import torch._inductor.config as config
import torch.nn.functional as F
from torch import nn

import kiln_triton

kiln_triton.enable(device="sim", inductor=True)
config.max_autotune_gemm = True
config.max_autotune_gemm_backends = "TRITON"
config.test_configs.max_mm_configs = 2
config.compile_threads = 1
config.fx_graph_cache = False

import triton
import triton.language as tl
from kiln_triton import sim
from torch._inductor.runtime.benchmarking import benchmarker

R = torch.randn


@triton.jit
def double(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def accumulate(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(z + i, mask=i < n) + tl.load(x + i, mask=i < n), mask=i < n)


class Templates(unittest.TestCase):

    def setUp(self):
        torch._dynamo.reset()
        torch.manual_seed(0)

    def check(self, function, *inputs):
        with torch.no_grad():
            before = sim.launches()
            got = torch.compile(function)(*inputs)
            self.assertGreater(sim.launches(), before)
            torch.testing.assert_close(got, function(*inputs), rtol=1e-3, atol=1e-3)

    def test_products(self):
        """A product alone, and fused with operations before and after it."""
        linear = nn.Linear(64, 96).eval()
        cases = {
            "mm": (torch.mm, R(64, 128), R(128, 96)),
            "linear, GELU": (lambda x: F.gelu(linear(x)), R(32, 64)),
            "bias, ReLU": (lambda a, b, c: torch.relu(a @ b + c), R(64, 128), R(128, 96), R(96)),
            "addmm": (lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2).tanh(), R(48), R(32, 64), R(64, 48)),
            "bmm": (lambda a, b: torch.relu(a @ b), R(4, 32, 64), R(4, 64, 48)),
            "before": (lambda a, b: (a.relu() * 2) @ b, R(64, 64), R(64, 48)),
            "in place": (lambda a, b, c: (a @ b).add_(c).mul_(2), R(64, 64), R(64, 48), R(64, 48)),
            "one row": (lambda a, b: torch.relu(a @ b), R(1, 64), R(64, 48)),
        }
        for name, case in cases.items():
            with self.subTest(name):
                torch._dynamo.reset()
                self.check(*case)

    def test_convolutions(self):
        cases = {
            "2d, bias": (lambda x, w, b: F.conv2d(x, w, b, 2), R(2, 8, 14, 13), R(16, 8, 3, 3), R(16)),
            "2d": (lambda x, w: F.conv2d(x, w, None, 1, 1), R(2, 8, 14, 13), R(16, 8, 3, 3)),
            "2d, no batch": (lambda x, w, b: F.conv2d(x, w, b), R(8, 14, 13), R(16, 8, 3, 3), R(16)),
            "2d, groups, ReLU": (lambda x, w, b: F.relu(F.conv2d(x, w, b, groups=2)), R(2, 8, 14, 13), R(16, 4, 3, 3), R(16)),
            "2d, dilation": (lambda x, w, b: F.conv2d(x, w, b, dilation=2), R(2, 8, 14, 13), R(16, 8, 3, 3), R(16)),
            "2d of one": (lambda x, w, b: F.gelu(F.conv2d(x, w, b)), R(2, 8, 14, 13), R(16, 8, 1, 1), R(16)),
            "3d": (lambda x, w, b: F.conv3d(x, w, b), R(1, 4, 6, 7, 8), R(8, 4, 3, 3, 3), R(8)),
            "transposed": (lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2), R(2, 8, 7, 6), R(8, 16, 3, 3), R(16)),
        }
        for name, case in cases.items():
            with self.subTest(name):
                torch._dynamo.reset()
                self.check(*case)

    def test_training(self):
        for module, x in ((nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64)), R(32, 64)),
                          (nn.Sequential(nn.Conv2d(4, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3, stride=2)), R(2, 4, 12, 12))):
            torch._dynamo.reset()
            torch.compile(module)(x).square().mean().backward()
            got = [parameter.grad for parameter in module.parameters()]
            module.zero_grad(set_to_none=True)
            module(x).square().mean().backward()
            torch.testing.assert_close(got, [parameter.grad for parameter in module.parameters()], rtol=1e-3, atol=1e-3)

    def test_predicted_time(self):
        """Functions that launch kernels always take the same predicted time; others take the host's time."""
        x, z = R(4096), torch.zeros(4096)
        launch = lambda: double[(16,)](x, z, 4096, BLOCK=256)
        times = [benchmarker.benchmark_cpu(launch), benchmarker.benchmark(launch, device="cpu")]
        self.assertEqual(times[0], times[1])
        self.assertTrue(0 < times[0] < 0.1, times)
        self.assertGreater(benchmarker.benchmark_cpu(lambda: time.sleep(0.002)), 1)


class Arguments(unittest.TestCase):

    def tearDown(self):
        self.assertEqual(sim._memory.users, {})

    def test_wrappers(self):
        """Objects like triton_kernels' Tensor and FlagGems' TypedPtr, and objects with only an address."""

        class Holder:
            pass

        class Wrapped:

            def __init__(self, tensor):
                self.storage, self.dtype = Holder(), tensor.dtype
                self.storage.data = tensor

            def data_ptr(self):
                return self.storage.data.data_ptr()

        class Typed:

            def __init__(self, tensor):
                self.tensor, self.dtype = tensor, tensor.dtype

            def data_ptr(self):
                return self.tensor.data_ptr()

            def untyped_storage(self):
                return self.tensor.untyped_storage()

        class Address:

            def __init__(self, tensor):
                self.address, self.dtype = tensor.data_ptr(), tensor.dtype

            def data_ptr(self):
                return self.address

            def untyped_storage(self):
                return self

            def size(self, dimension=0):
                return 4

        class OfStorage:

            def __init__(self, tensor):
                self.storage, self.dtype = tensor.untyped_storage(), tensor.dtype

            def data_ptr(self):
                return self.storage.data_ptr()

        for kind in (Wrapped, Typed, Address, OfStorage):
            with self.subTest(kind.__name__):
                x, z = torch.arange(100, dtype=torch.float32), torch.zeros(100)
                double[(1,)](kind(x), kind(z), 100, BLOCK=128)
                torch.testing.assert_close(z, 2 * x)
                if kind is not Address:
                    with self.assertRaisesRegex(RuntimeError, "memory violation"):
                        double[(2,)](torch.zeros(300), kind(z), 200, BLOCK=128)

    def test_tensors(self):
        whole = torch.arange(1000, dtype=torch.float32)
        parameter = nn.Parameter(whole.clone())
        for x in (whole[100:300], whole.view(10, 100)[3], parameter, torch.from_numpy(whole.numpy()[100:]), whole[500:].as_strided((3,), (1,), 200), whole[:1].expand(1000)):
            z = torch.zeros(1000)
            double[(1,)](x, z[300:], 100, BLOCK=128)
            wanted = torch.as_strided(x.detach(), (100,), (1,), x.storage_offset()) * 2
            torch.testing.assert_close(z[300:400], wanted)
        x, z = torch.tensor(3.0), torch.zeros(())
        double[(1,)](x, z, 1, BLOCK=128)
        self.assertEqual(z, 6)

    def test_numpy_of_tensors(self):
        """Tensor.numpy() has the tensor's storage."""
        z = torch.zeros(100)
        double[(1,)](torch.arange(1000, dtype=torch.float32)[500:600].numpy()[:3], z, 100, BLOCK=128)
        torch.testing.assert_close(z, 2 * torch.arange(500, 600, dtype=torch.float32))

    def test_empty(self):
        whole = torch.ones(100)
        for empty in (torch.empty(0), torch.empty(3, 0), whole[5:5], whole[100:]):
            double[(1,)](empty, empty, 0, BLOCK=128)
            double[(0,)](empty, empty, 0, BLOCK=128)

    def test_autotune(self):
        configs = [triton.Config({"BLOCK": block}, num_warps=1) for block in (64, 128, 256)]
        tune = lambda kernel, **options: triton.autotune(configs=configs, key=["n"], **options)(triton.jit(kernel.fn))
        grid = lambda meta: (triton.cdiv(400, meta["BLOCK"]),)
        for kind in (lambda tensor: tensor, lambda tensor: tensor.numpy()):
            for options, wanted in (({"restore_value": ["z"]}, torch.arange(100, 500) + 1.0), ({"reset_to_zero": ["z"]}, torch.ones(400))):
                whole = torch.arange(1000, dtype=torch.float32)
                tune(accumulate, **options)[grid](kind(torch.ones(400)), kind(whole[100:500]), 400)
                torch.testing.assert_close(whole[100:500], wanted)
                torch.testing.assert_close(whole[500:], torch.arange(500, 1000, dtype=torch.float32))
                tune(accumulate, **options)[(1,)](kind(whole), kind(whole[5:5]), 0)
                tune(accumulate, **options)[(0,)](kind(torch.empty(0)), kind(torch.empty(0)), 0)


if __name__ == "__main__":
    unittest.main()
