# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# examples.py KILN SOURCE FOLDER: runs the examples of all help texts in FOLDER, where examples/ and test/ are those of
# SOURCE, in the order of the verbs; each must succeed. Those that need a GPU or other programs are only parsed.
import os
import re
import subprocess
import sys

kiln, source, folder = sys.argv[1:]
NEEDS_GPU = {"verify"}
os.makedirs(folder + "/build")
for name in "examples", "test":
    os.symlink(f"{source}/{name}", f"{folder}/{name}")
os.symlink(os.path.dirname(kiln), folder + "/build/bin")
environment = {**os.environ, "HOME": folder, "KILN_CACHE_DIR": folder + "/cache", "KILN_DEVICE": "sim",
               "PATH": os.path.dirname(kiln) + ":" + os.environ["PATH"]}
verbs = re.findall(r"^  ([a-z]+) ", subprocess.run([kiln, "--help"], capture_output=True, text=True, check=True).stdout, re.M)
ran = 0
for verb in verbs:
    text = subprocess.run([kiln, verb, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  # .*\n  (kiln .*)$", text.partition("\nExamples:\n")[2], re.M)
    if len(commands) != 2:
        sys.exit(f"the help of {verb} has {len(commands)} examples, not 2")
    for command in commands:
        if not command.startswith(f"kiln {verb}"):
            sys.exit(f"an example of {verb} is of another verb: {command}")
        if verb in NEEDS_GPU:
            continue
        if "build/bin/softmax" in command and not os.path.exists(folder + "/build/bin/softmax"):
            print("not built: build/bin/softmax")
            continue
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"exit code {done.returncode} of: {command}\n{done.stderr}")
        ran += 1
print(f"{ran} examples")
