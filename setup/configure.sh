#!/usr/bin/env bash
# Configures the build tree `setup/configure.sh TREE [NVCC]`, unless it already is configured in just this way.
# ARCHITECTURES, if set, is CMake's list; otherwise it is 90, and the machine code of the GPU that is here. TOGETHER, if set, is
# how many programs are compiled at a time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly tree=$1
nvcc=${2:-.venv/cuda/bin/nvcc}
[[ $nvcc != */* ]] || nvcc=$(realpath --no-symlinks -- "$nvcc")  # CMake would look for it in another folder
readonly nvcc
unset CUDAARCHS CUDACXX CUDAFLAGS CUDA_PATH CUDA_HOME NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS

version=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
architectures=${ARCHITECTURES:-90}
if [[ -z ${ARCHITECTURES:-} ]] && card=$(.venv/bin/python setup/gpu.py "$nvcc" 2>/dev/null); then
  if [[ $card != 90 ]] && "$nvcc" --list-gpu-code | grep -qx "sm_$card"; then
    architectures+=";$card-real"
  fi
fi

arguments=(-G Ninja -S . -B "$tree" "-DCMAKE_MAKE_PROGRAM=$PWD/.venv/bin/ninja" "-DCMAKE_CUDA_COMPILER=$nvcc"
  "-DCMAKE_CUDA_ARCHITECTURES=$architectures" -DCMAKE_BUILD_TYPE=Release ${TOGETHER:+"-DWEFT_TOGETHER=$TOGETHER"})
processor=$(sed -n '/^flags/{p;q}' /proc/cpuinfo | cksum)  # the emulator is built for what it can do
packages=$({ cat .venv/.book .venv/.test .venv/.gpu .venv/.peers 2>/dev/null || true; } | cksum)
wanted=$(printf '%s\n' "$PWD" "$version" "$processor" "$packages" "${arguments[@]}")
if [[ -e $tree/build.ninja && "$(cat "$tree/configured" 2>/dev/null)" == "$wanted" ]]; then
  exit 0
fi
mkdir -p "$tree"
if [[ $tree != build ]]; then  # the reader's own results are one, whichever compiler made the programs
  mkdir -p build/results
  ln -sfn ../results "$tree/results"
fi
if ! .venv/bin/cmake --fresh "${arguments[@]}" >"$tree/configure.log" 2>&1; then
  cat "$tree/configure.log" >&2
  exit 1
fi
printf '%s\n' "$wanted" >"$tree/configured"
