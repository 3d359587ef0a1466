#!/usr/bin/env bash
# `tests/emulator/sanitize.sh TREE [NVCC]`: builds the emulator's tests with sanitizers and runs them: addresses and undefined
# behaviour in one tree, where programs run on the emulator, too; threads in another. Little is optimised, and the debugger
# gets lines alone: both trees are built in a quarter of an hour on two cores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly tree=$1 nvcc=${2:-$PWD/.venv/cuda/bin/nvcc}
export UBSAN_OPTIONS=print_stacktrace=1 WEFT_EMULATOR_THREADS=4

run() {
  local -r folder=$tree/sanitize-$1 flags=$2
  .venv/bin/cmake -G Ninja -S . -B "$folder" "-DCMAKE_MAKE_PROGRAM=$PWD/.venv/bin/ninja" "-DCMAKE_CUDA_COMPILER=$nvcc" \
    -DCMAKE_CUDA_ARCHITECTURES=90 -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG='-O1 -g1' \
    "-DCMAKE_CXX_FLAGS=$flags -fno-sanitize-recover=all" "-DCMAKE_EXE_LINKER_FLAGS=$flags" \
    >"$folder.log" 2>&1 || { cat "$folder.log" >&2; return 1; }
  .venv/bin/ninja -C "$folder" emulator_tests
  for isa in avx512 avx2 baseline; do
    echo "$1, $isa:"
    local status=0
    WEFT_EMULATOR_ISA=$isa "$folder/tests/emulator/emulator_tests" || status=$?
    [[ $status == 0 || $status == 77 ]] || return "$status"  # 77: this processor has no such vectors
  done
}

# Runs a program on the emulator, into which the sanitizer's library has to be loaded: programs are built as ever.
emulate() {
  local -r folder=$tree/sanitize-address program=$1
  local status=0
  shift
  echo "address, $program $*"
  LD_PRELOAD=$(c++ -print-file-name=libasan.so) ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:exitcode=$found \
    "$folder/emulate" "$folder/$program" "$@" >"$folder.log" 2>&1 || status=$?
  [[ $status == 0 || $status == "$allowed" ]] || { cat "$folder.log" >&2; return 1; }
}

run_programs() {
  local -r programs=tests/emulator/programs step=30_three_tf32 found=99
  local program mutant allowed=0
  .venv/bin/ninja -C "$tree/sanitize-address" emulate "$programs/all" "7-sgemm-$step"
  for program in barriers calls cluster groups printing repeated spinning linked \
    runtime_copies runtime_launches runtime_libraries runtime_streams; do
    emulate "$programs/$program"
  done
  emulate "chapters/7-sgemm/$step" --small
  allowed=1  # what the checker says of a mistake
  for mutant in copy_with_gap compare_ahead load_ahead call_ahead sum_ahead pass_on_unwritten \
    read_partly_unwritten copy_unwritten read_shared_unwritten read_too_early write_one_place atomic_and_plain; do
    emulate "$programs/mutants" "$mutant"
  done
}

mkdir -p "$tree"
run address '-fsanitize=address,undefined'
run_programs
run threads '-fsanitize=thread'
