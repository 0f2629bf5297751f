# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# lit tests: a RUN line drives the `kiln` command, FileCheck reads what it prints.
# Substitutions: %kiln is the command, %lib the folder of libraries, %examples and %source the
# repository's folders; %cc and %cxx are the compilers of this build, with its sanitizers, %patience
# how much longer than usual a command may take, %kills how many commands of the tuner are killed
# (KILN_TEST_KILLS), %warnings the warnings that headers are kept clean
# of, %runtime_headers the runtime's folders of headers. Files under Inputs/ are no tests.
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "kiln"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".mir", ".ttir", ".ttgir", ".ll", ".c", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.kiln_binary_dir, "test", "lit")

bin_dir = os.path.join(config.kiln_binary_dir, "bin")
config.environment["PATH"] = os.pathsep.join([bin_dir, config.llvm_tools_dir, os.environ["PATH"]])
config.environment["KILN_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "MALLOC_PERTURB_"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.substitutions.append(("%patience", "10" if config.sanitize else "1"))
config.substitutions.append(("%kiln", os.path.join(bin_dir, "kiln")))
config.substitutions.append(("%kills", os.environ.get("KILN_TEST_KILLS", "24")))
sanitize = f" -fsanitize={config.sanitize}" if config.sanitize else ""
if config.sanitize:
    config.available_features.add("sanitizer")
config.substitutions.append(("%cc", config.c_compiler + sanitize))
config.substitutions.append(("%cxx", config.cxx_compiler + sanitize))
config.substitutions.append(("%warnings", "-Wall -Wextra -Wshadow -Wconversion -Werror"))
runtime = os.path.join(config.kiln_source_dir, "runtime")
config.substitutions.append(("%runtime_headers", f"-I{runtime}/include -I{runtime}/base/include"))
config.substitutions.append(("%lib", os.path.join(config.kiln_binary_dir, "lib")))
config.substitutions.append(("%examples", os.path.join(config.kiln_source_dir, "examples")))
config.substitutions.append(("%source", config.kiln_source_dir))
config.substitutions.append(("%python", sys.executable))
if shutil.which("doxygen") and shutil.which("sphinx-build"):  # ./dev docs installs them, with what they need
    config.available_features.add("docs-site")
if not any(map(os.path.exists, ("/dev/kfd", "/dev/dxg"))):
    config.available_features.add("no-gpu-driver")
shallow = subprocess.run(["git", "-C", config.kiln_source_dir, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True)
if shallow.stdout.strip() == "false":  # neither a shallow clone nor a copy without history
    config.available_features.add("history")


def open_mpi_works():
    """Whether mpirun is Open MPI's, and starts programs that find its library."""
    if not shutil.which("mpirun"):
        return False
    program = "import ctypes; ctypes.CDLL('libmpi.so.40', ctypes.RTLD_GLOBAL)"
    try:
        command = ["mpirun", "--version"], [sys.executable, "-c", program]
        return all(subprocess.run(words, capture_output=True, timeout=60).returncode == 0 for words in command)
    except (OSError, subprocess.TimeoutExpired):
        return False


if open_mpi_works():  # Debian's openmpi-bin
    config.available_features.add("mpirun")
for name in list(os.environ):  # where it is, if not where it was built for; and how it starts programs here
    if name.startswith(("OPAL_", "OMPI_", "PMIX_", "PRTE_")):
        config.environment[name] = os.environ[name]
