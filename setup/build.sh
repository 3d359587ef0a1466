#!/usr/bin/env bash
# Builds targets of a configured tree: `setup/build.sh TREE [TARGET…]`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# One build at a time: two in one tree spoil Ninja's record of what depends on what, and all is built anew ever after.
# Ninja itself, for cmake --build ends at once when it is interrupted, and leaves Ninja behind.
exec flock --no-fork "$1/configured" .venv/bin/ninja -C "$@"
