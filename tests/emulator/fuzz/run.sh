#!/usr/bin/env bash
# `tests/emulator/fuzz/run.sh TREE SECONDS`: feeds the emulator's readers damaged fat binaries and PTX, each for so many
# seconds. The first inputs are taken from chapter 6's programs. What crashes a reader is kept in TREE/fuzz.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
readonly tree=$1 seconds=$2
readonly folder=$tree/fuzz

.venv/bin/cmake -S tests/emulator/fuzz -B "$folder" -G Ninja "-DCMAKE_MAKE_PROGRAM=$PWD/.venv/bin/ninja" \
  -DCMAKE_CXX_COMPILER=clang++-19 >/dev/null
.venv/bin/ninja -C "$folder" fuzz_fat_binary fuzz_ptx
.venv/bin/python tests/emulator/fuzz/seeds.py "$tree" "$folder/seeds"
for target in fat_binary ptx; do
  mkdir -p "$folder/found/$target" "$folder/crashes"
  "$folder/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
    "-artifact_prefix=$folder/crashes/$target-" "$folder/found/$target" "$folder/seeds/$target"
done
echo "No crash: each of two readers took damaged input for $seconds s."
