#!/usr/bin/env bash
# Installs what one group of targets needs: `setup/install.sh book`, `… test`, `… gpu`, `… peers` or `… fuzz`.
# Distribution packages come by apt-get (as root; an ordinary user is told their names), Python's go into .venv.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly group=${1:?book, test, gpu, peers or fuzz}
readonly unfinished=.venv/.unfinished
unset PYTHONPATH PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_NO_INPUT=1

say() { printf 'set-up: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

trap 'say interrupted: the next make goes on from here; exit 130' INT
exec 9<setup/install.sh  # one set-up at a time: two makes in one clone wait for each other
flock 9

# The first Python that is new enough and can make virtual environments; the one that was named, if one was.
find_python() {
  local candidate
  local -a candidates=(python3 /usr/bin/python3 python3.13 python3.12 python3.11)
  [[ -z ${PYTHON:-} ]] || candidates=("$PYTHON")
  for candidate in "${candidates[@]}"; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      printf '%s' "$candidate"
      return
    fi
  done
  return 1
}

has_header() { printf '#include <%s>\n' "$1" | "${CXX:-g++}" -x c++ -E - >/dev/null 2>&1; }

# Names of the distribution's packages that this group still lacks.
missing_packages() {
  case $group in
    book)
      command -v g++ >/dev/null || echo g++
      has_header doctest/doctest.h || echo doctest-dev
      has_header nlohmann/json.hpp || echo nlohmann-json3-dev
      has_header CLI/CLI.hpp || echo libcli11-dev
      has_header xxhash.h || echo libxxhash-dev
      has_header zstd.h || echo libzstd-dev
      has_header lz4.h || echo liblz4-dev
      [[ -x .venv/bin/python ]] || find_python >/dev/null || echo python3-venv
      ;;
    test)
      if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then
        if [[ $(. /etc/os-release && echo "${ID:-}") == debian ]]; then
          echo chromium chromium-driver
        else
          say "NO BROWSER TESTS: this system has no Chromium package with its driver (a snap will not do)"
        fi
      fi
      ;;
    fuzz) command -v clang++-19 >/dev/null || echo clang-19 libclang-rt-19-dev ;;
  esac
}

install_packages() {
  local missing
  missing=$(missing_packages | xargs)
  [[ -n $missing ]] || return 0
  command -v apt-get >/dev/null || die "install these first (Debian's names): $missing"
  [[ $EUID -eq 0 ]] || die "install these first: sudo apt-get install $missing"
  say "installing from the distribution: $missing"
  local log
  log=$(mktemp)
  local -a install=(apt-get install --yes --quiet --no-install-recommends -o DPkg::Lock::Timeout=300)
  # shellcheck disable=SC2086  # $missing is a list
  if ! DEBIAN_FRONTEND=noninteractive "${install[@]}" $missing >"$log" 2>&1; then
    { apt-get update --quiet && DEBIAN_FRONTEND=noninteractive "${install[@]}" $missing; } >"$log" 2>&1 ||
      { tail -n 5 "$log" >&2; die "apt-get could not install $missing (its whole output: $log)"; }
  fi
  rm -f "$log"
}

# An interrupted installation leaves its mark; the environment is then made anew from pip's own cache.
make_environment() {
  local python
  if [[ ! -e $unfinished && "$(cat .venv/.place 2>/dev/null)" == "$(pwd -P)" ]] && .venv/bin/python -c 'import pip' 2>/dev/null; then
    return
  fi
  python=$(find_python) || die "no Python 3.11 or later that can make virtual environments (set PYTHON=…)"
  say "making .venv with $("$python" --version)"
  "$python" -m venv --clear .venv
  pwd -P >.venv/.place
}

requirements_file() { [[ $group == book ]] && echo requirements.txt || echo "requirements-$group.txt"; }

# What is imported is compiled then; all of it now would take longer than the installing.
install_from() {
  local errors  # kept here, not in a file: the disk may be full
  exec 3>&2
  if ! errors=$(.venv/bin/python -m pip install --no-deps --require-hashes --only-binary :all: --no-compile \
    --progress-bar off -r "$1" 2>&1 > >(sed -nu 's/^ *Downloading \(.*\/\)\?/  /p' >&3)); then
    printf '%s\n' "$errors" | tail -n 5 >&2
    die "pip could not install $(requirements_file)"
  fi
}

# These take half of the time to unpack: a second pip unpacks them beside the rest. If that one is left behind, by an
# interruption or an error of the other, it still holds the lock.
install_requirements() {
  local file beside many='^(babel|cmake|numpy|ziglang)=='
  file=$(requirements_file)
  say "installing $file into .venv"
  touch "$unfinished"
  if [[ $group == book ]]; then
    install_from <(awk -v many="$many" '/^[a-z]/ { beside = $0 ~ many } beside' "$file") &
    beside=$!
    install_from <(awk -v many="$many" '/^[a-z]/ { beside = $0 ~ many } !beside' "$file")
    wait "$beside"
  else
    install_from "$file"
  fi
}

# PyPI's CUDA lacks the two names under which compilers and linkers look for its libraries.
finish_cuda() {
  local -a found=(.venv/lib/python3*/site-packages/nvidia/cu13)
  ln -sfn "${found[0]#.venv/}" .venv/cuda
  ln -sfn lib .venv/cuda/lib64
  ln -sfn libcudart.so.13 .venv/cuda/lib/libcudart.so
  .venv/cuda/bin/nvcc --version >/dev/null || die "the CUDA compiler in .venv does not start"
}

[[ -z ${PYTHON:-} ]] || "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  die "PYTHON=$PYTHON is no Python 3.11 or later"
install_packages
[[ $group != fuzz ]] || exit 0  # nothing of Python's
make_environment
install_requirements
[[ $group != book ]] || finish_cuda
rm -f "$unfinished"
cat setup/install.sh "$(requirements_file)" | cksum >".venv/.$group"
