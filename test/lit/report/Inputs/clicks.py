# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# clicks.py PAGE.html: where Chromium is installed, uses the page as a reader does (clicks.js), at 800 and 1400 pixels, in
# light and dark: what a click or a key changes, that nothing is wider than the window, that colours can be read, and that
# the console stays empty.
import os
import re
import shutil
import subprocess
import sys
import tempfile

path, here = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
browser = shutil.which("chromium")
for width, dark in ((1400, False), (800, False), (800, True)) if browser else ():
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        script = open(os.path.join(here, "clicks.js")).read()
        text = open(path).read().replace("</body>", f"<script>const DARK = {str(dark).lower()};\n{script}</script>\n</body>")
        open(page, "w").write(text)
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile", f"--window-size={width},900",
                   "--virtual-time-budget=5000", "--enable-logging=stderr", "--dump-dom", f"file://{page}"]
        if dark:
            command.insert(1, "--blink-settings=preferredColorScheme=0")
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "CONSOLE" not in done.stderr, done.stderr
    result = re.search('<body[^>]* data-test="([^"]*)"', done.stdout)
    assert result and re.fullmatch(r"\d+ checks", result[1]), (width, dark, result and result[1])
    assert int(result[1].split()[0]) > 20, result[1]
