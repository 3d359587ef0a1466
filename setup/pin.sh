#!/usr/bin/env bash
# Writes requirements*.txt anew from setup/*.in, with hashes, for Python 3.11 and later. Needs `uv`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export UV_CUSTOM_COMPILE_COMMAND=setup/pin.sh
pin() {
  local name=$1
  shift
  uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
    "$@" "setup/$name.in" -o "$name.txt"
}
pin requirements
pin requirements-test -c requirements.txt --no-emit-package playwright --no-emit-package greenlet
pin requirements-gpu -c requirements.txt
pin requirements-peers --no-deps
