# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that ends between its launch and the first replay of it. dies.py LOG: a log with a predicted launch"""

import os
import socket
import sys

lines = [line for line in open(sys.argv[1], "rb") if b'"kind":"kernel"' in line]
peer = socket.socket(socket.AF_UNIX)
peer.connect(os.environ["KILN_SIM_REPLAYS"])
peer.sendall(lines[0])
peer.close()
