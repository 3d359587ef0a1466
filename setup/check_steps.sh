#!/usr/bin/env bash
# `setup/check_steps.sh FOLDER [OPTION…]`: runs the checks of the steps in chapters/FOLDER, or of every step if FOLDER is
# empty; ctest takes the options.
# TREE is the build tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly folder=${1:-[^/]*}
exec .venv/bin/ctest --test-dir "${TREE:-build}" --output-on-failure --no-tests=error --tests-regex "^$folder/[0-9]" "${@:2}"
