# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""on_terminal.py COMMAND...: runs the command with its stderr on a terminal of 60 columns, prints what it wrote there
with \\r and ESC as text, and exits with its code."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
process = subprocess.Popen(sys.argv[1:], stderr=slave)
os.close(slave)
written = b""
while True:
    try:
        part = os.read(master, 65536)
    except OSError:  # the other end is closed
        break
    if not part:
        break
    written += part
text = written.decode().replace("\r\n", "\n").replace("\r", "\\r").replace("\033", "ESC")
print(text, end="")
sys.exit(process.wait())
