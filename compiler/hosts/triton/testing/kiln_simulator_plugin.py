# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pytest plugin that runs Triton's own tests with Kiln as the compiler and the simulator as the GPU:

    PYTHONPATH=build/python:compiler/hosts/triton/testing pytest -p kiln_simulator_plugin --log=core.log --part=1/40 --confcutdir=TRITON/python \\
        TRITON/python/test/unit/language/test_core.py

The tests use PyTorch's device "cuda", which is the CPU here, as the simulator uses the host's memory. `--part=M/N` runs the M-th and then every N-th test: each
part is a sample of all tests, and no process accumulates ten thousand kernels. `--compiler=triton` compiles with Triton's own pipeline: tests that fail there,
too, are not failures of Kiln. `--log=FILE` records when each test begins and ends, one JSON object per line, and skips tests that began in an earlier run.
`run_unit_tests.py` runs all parts in this way and continues after a test that terminated its process.
"""
import json
import os

os.environ.setdefault("KILN_SIM_CLOCK", "off")  # no test measures time
os.environ.setdefault("KILN_TRITON_FALLBACK", "error")

import kiln_triton
from kiln_triton import _library

kiln_triton.enable(device="sim")

import pytest
import torch
from _pytest.runner import runtestprotocol
from torch.overrides import TorchFunctionMode


def _host(value):
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    return "cpu" if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")) else value


# The CPU's sums of 16-bit numbers may differ from the GPU's, for which the tests' tolerances are chosen. So references are computed in f64 and rounded once.
_PRODUCTS = (torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__)


class _OnTheHost(TorchFunctionMode):

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.Tensor.cuda:
            return args[0]
        if function is torch.Tensor.pin_memory:
            return args[0]
        kwargs = kwargs or {}
        if "device" in kwargs:
            device = kwargs["device"]
            kwargs = {**kwargs, "device": "cpu" if isinstance(device, int) else _host(device)}
        if kwargs.get("pin_memory"):
            kwargs = {**kwargs, "pin_memory": False}
        if function is torch.Tensor.to:
            args = tuple(_host(value) for value in args)
        if function in _PRODUCTS and args[0].is_floating_point():
            return function(args[0].double(), args[1].double(), **kwargs).to(args[0].dtype)
        return function(*args, **kwargs)


class _Properties:
    name, gcnArchName, major, minor, multi_processor_count, warp_size = "Kiln's simulator", "gfx942", 9, 4, 304, 64
    total_memory, shared_memory_per_block = 1 << 34, 65536


class _Stream:
    cuda_stream = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def synchronize(self):
        pass

    wait_stream = wait_event = lambda self, other: None


class _Device(_Stream):

    def __init__(self, device=None):
        pass


def _pretend():
    from triton.backends import backends
    backends["nvidia"].driver.is_active = staticmethod(lambda: False)  # it would query torch.cuda
    cuda = torch.cuda
    cuda.is_available = lambda: True
    cuda.device_count = lambda: 1
    cuda.current_device = lambda: 0
    cuda.set_device = cuda.empty_cache = lambda *device: None
    cuda.synchronize = cuda.init = lambda *device: None
    cuda.get_device_capability = lambda device=None: (9, 4)
    cuda.get_device_name = lambda device=None: _Properties.name
    cuda.get_device_properties = lambda device=None: _Properties
    cuda.current_stream = cuda.default_stream = lambda device=None: _Stream()
    cuda.Stream, cuda.device, cuda.stream = _Stream, _Device, lambda stream: stream
    cuda.manual_seed = torch.manual_seed


def pytest_addoption(parser):
    parser.addoption("--compiler", default="kiln", choices=("kiln", "triton"))
    parser.addoption("--part", default="1/1", help="M/N: run the M-th test and every N-th after it")
    parser.addoption("--log", help="append results to this file; tests recorded in it are not run again")


def _leave_to_triton(*arguments):
    raise kiln_triton.Refused("--compiler=triton")


def begin(compiler):
    _pretend()
    if compiler == "triton":
        os.environ["KILN_TRITON_FALLBACK"], _library.compile = "warn", _leave_to_triton
    os.environ["KILN_TRITON_TESTS"] = compiler  # for sitecustomize.py
    _OnTheHost().__enter__()


class _Log:
    """Records how tests begin and end, so that results survive a test that terminates the process."""

    def __init__(self, path):
        self.begun = set()
        if os.path.exists(path):
            with open(path) as file:
                self.begun = {json.loads(line)["test"] for line in file}
        self.file = open(path, "a", buffering=1)

    def write(self, **entry):
        self.file.write(json.dumps(entry) + "\n")

    def pytest_runtest_logstart(self, nodeid):
        self.write(test=nodeid, outcome="begun")

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.write(test=report.nodeid, outcome=report.outcome, seconds=round(report.duration, 2), reason="" if report.passed else report.longreprtext)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    """Runs tests with the mark `forked`, which modify global state, in a child process. (pytest-forked 1.7 does not work with pytest 9.)"""
    if not item.get_closest_marker("forked"):
        return None
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        with os.fdopen(write, "w") as file:
            json.dump([hook.pytest_report_to_serializable(config=item.config, report=report) for report in runtestprotocol(item, log=False)], file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(child, 0)
    lost = pytest.TestReport(item.nodeid, item.location, {}, "failed", "the test terminated its process", "call")
    reports = [hook.pytest_report_from_serializable(config=item.config, data=data) for data in json.loads(text)] if text else [lost]
    for report in reports:
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_configure(config):
    begin(config.getoption("--compiler"))
    if config.getoption("--log"):
        config.pluginmanager.register(_Log(config.getoption("--log")), "kiln-log")


def pytest_collection_modifyitems(config, items):
    part, parts = (int(number) for number in config.getoption("--part").split("/"))
    log = config.pluginmanager.get_plugin("kiln-log")
    items[:] = [item for item in items[part - 1 :: parts] if not log or item.nodeid not in log.begun]
