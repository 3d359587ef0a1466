#!/usr/bin/env bash
# `setup/chapter.sh N`: checks the steps of chapter N, on a GPU or on the emulator, times them where there is a GPU, and
# prints the chapter's tables.
# DEVICE is gpu or emulator, or empty for the best that is there; TREE is the build tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly chapter=$1 device=${DEVICE:-} tree=${TREE:-build} python=.venv/bin/python
readonly nvcc=${NVCC:-.venv/cuda/bin/nvcc}
folders=(chapters/"$chapter"-*/)
readonly folder=${folders[0]%/}
status=0

say() { printf 'chapter %s: %s\n' "$chapter" "$*" >&2; }

case $device in
  '' | gpu | emulator) ;;
  *)
    say "DEVICE=$device is unknown: gpu or emulator"
    exit 2
    ;;
esac

gpu=no why='it was asked for the emulator'
if [[ $device != emulator ]]; then
  why=$($python setup/gpu.py "$nvcc" 2>&1) && gpu=yes
fi
[[ $gpu == no ]] || "${MAKE:-make}" --no-print-directory .venv/.gpu
setup/configure.sh "$tree" "${NVCC:-}"
if [[ $gpu == yes ]]; then
  setup/build.sh "$tree" all counts
  "$tree/reproduce" --chapter "$chapter" --output build/results || status=$?
elif [[ $device == gpu ]]; then
  setup/build.sh "$tree" "${folder#chapters/}-steps"
  say "not checked and not timed: $why"
  status=1
else
  setup/build.sh "$tree" "${folder#chapters/}-steps" emulate reproduce
  say "checked on the emulator and not timed: $why"
  "$tree/reproduce" emulate --chapter "$chapter" || status=$?
fi
((status != 130)) || exit 130
$python -m book --build "$tree" chapter "$chapter"
exit "$status"
