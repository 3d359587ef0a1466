#!/usr/bin/env bash
# Checks and times every step of the book on this machine's GPU, rebuilds the book, and says what came out.
# TREE is the build tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly tree=${TREE:-build} nvcc=${NVCC:-.venv/cuda/bin/nvcc}
make=("${MAKE:-make}" --no-print-directory)

why=$(.venv/bin/python setup/gpu.py "$nvcc" 2>&1) || { printf 'reproduce: %s\n' "$why" >&2; exit 1; }
"${make[@]}" .venv/.gpu .venv/.peers
"${make[@]}" steps
setup/build.sh "$tree" peers

commit=$(git -c safe.directory="$PWD" describe --always --exclude='*' --abbrev=12 --dirty 2>/dev/null || true)
status=0
"$tree/reproduce" --output build/results --commit "$commit" || status=$?
((status != 130)) || exit 130
"${make[@]}" book
.venv/bin/python -m book --build "$tree" reproduce || status=1
exit "$status"
