# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The build backend of the wheel `kiln-triton` (PEP 517), called by pip: CMake builds the target
kiln-triton in build/ (KILN_BUILD_DIR), and its folder python/kiln_triton is packed together with
its libraries and their dependencies, except those that every Linux has.

Bundled dependencies are not modified. The dynamic loader finds them because kiln_triton loads them
first, in the order of lib/needed/ORDER.
"""
import base64
import hashlib
import os
import re
import subprocess
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.abspath(os.path.join(HERE, "..", "..", "..", ".."))
SYSTEM = re.compile(r"(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so")


def _build():
    build = os.path.abspath(os.environ.get("KILN_BUILD_DIR") or os.path.join(SOURCE, "build"))
    if not os.path.exists(os.path.join(build, "CMakeCache.txt")):
        subprocess.run(["cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", "-DKILN_TESTS=OFF"], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "kiln-triton"], check=True)
    return os.path.join(build, "python", "kiln_triton")


def _needed(libraries):
    """Paths of the dependencies of these libraries, each after its own dependencies."""
    order = []

    def visit(path):
        # The dynamic section lists the direct dependencies, ldd their paths.
        dynamic = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
        places = dict(re.findall(r"^\s*(\S+) => (/\S+)", subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout, re.M))
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
            if not SYSTEM.match(name) and name not in [os.path.basename(known) for known in order]:
                visit(places[name])
                order.append(places[name])

    for path in libraries:
        visit(path)
    return order


def _contents(package):
    """Yields (name in the wheel, path or bytes)."""
    for name in sorted(os.listdir(package)):
        if name.endswith(".py"):
            yield f"kiln_triton/{name}", os.path.join(package, name)
    libraries = [os.path.join("lib", f"{name}.so") for name in ("libkiln", "libkiln-rt", "libkiln-tune", os.path.join("hip", "libamdhip64"), "libkiln-aoti")]
    paths = [os.path.realpath(os.path.join(package, library)) for library in libraries]
    yield from ((f"kiln_triton/{library}", path) for library, path in zip(libraries, paths))
    needed = [path for path in _needed(paths) if os.path.realpath(path) not in paths]  # kiln_triton loads its own in order, too
    for path in needed:
        yield f"kiln_triton/lib/needed/{os.path.basename(path)}", os.path.realpath(path)
    yield "kiln_triton/lib/needed/ORDER", "".join(os.path.basename(path) + "\n" for path in needed).encode()
    for name in ("kiln_triton.pth", "kiln_triton_startup.py"):
        yield name, os.path.join(HERE, name)


def _version():
    with open(os.path.join(SOURCE, "CMakeLists.txt")) as file:
        return re.search(r"^project\(kiln VERSION (\S+)", file.read(), re.M)[1]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package, version = _build(), _version()
    tag, info = f"py3-none-linux_{os.uname().machine}", f"kiln_triton-{version}.dist-info"
    name, record = f"kiln_triton-{version}-{tag}.whl", []
    metadata = f"Metadata-Version: 2.1\nName: kiln-triton\nVersion: {version}\nLicense: Apache-2.0 WITH LLVM-exception\nRequires-Python: >=3.10\n"
    wheel = f"Wheel-Version: 1.0\nGenerator: kiln\nRoot-Is-Purelib: false\nTag: {tag}\n"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for inside, what in [*_contents(package), (f"{info}/METADATA", metadata.encode()), (f"{info}/WHEEL", wheel.encode())]:
            if isinstance(what, str):
                with open(what, "rb") as file:
                    what = file.read()
            archive.writestr(inside, what)
            digest = base64.urlsafe_b64encode(hashlib.sha256(what).digest()).rstrip(b"=").decode()
            record.append(f"{inside},sha256={digest},{len(what)}\n")
        archive.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("kiln-triton can only be built from Kiln's repository")
