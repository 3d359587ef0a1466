# Warp & Weft. `make` lists the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules
# One thing after the other; the builds below are parallel in themselves.
.NOTPARALLEL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
# What another Python or another CUDA toolkit left in the environment must not reach the build; nor must what make says
# to other makes: Ninja takes it for itself, and complains. Python keeps what it has compiled: else it starts in seconds.
unexport MAKEFLAGS MFLAGS PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE CUDAARCHS CUDACXX CUDAFLAGS CUDA_PATH CUDA_HOME NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS

python := .venv/bin/python
chapters := $(sort $(foreach folder,$(wildcard chapters/*-*/),$(firstword $(subst -, ,$(notdir $(patsubst %/,%,$(folder)))))))

# NVCC=… is another CUDA compiler, with a build tree of its own.
NVCC ?=
ifeq ($(NVCC),)
tree := build
else
nvcc_version := $(shell "$(NVCC)" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')
ifeq ($(nvcc_version),)
$(error NVCC=$(NVCC) is no CUDA compiler that starts here)
endif
ifneq ($(firstword $(shell printf '%s\n' 12.4 $(nvcc_version) | sort -V)),12.4)
$(error NVCC=$(NVCC) is version $(nvcc_version): 12.4 or later is needed)
endif
tree := build/nvcc-$(nvcc_version)
endif
export TREE := $(tree)
export NVCC

.PHONY: help setup configure steps counts book test bench-emulator fuzz-emulator fuzz-book sanitize-emulator tune7 reproduce bundle open clean $(chapters:%=chapter%)

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{ printf "%-22s %s\n", $$1, $$2 }'
	@for n in $(chapters); do printf '%-22s %s\n' "make chapter$$n" "check chapter $$n's steps and show what was predicted, counted and timed (DEVICE=gpu|emulator)"; done
	@echo 'NVCC=/path/to/nvcc names another CUDA compiler, 12.4 or later; PYTHON=… another Python, 3.11 or later.'

# A clone that has moved needs its environment anew: a virtual environment holds its own path.
ifneq ($(shell cat .venv/.place 2>/dev/null),$(CURDIR))
.venv/.book: moved
.PHONY: moved
moved:
endif
.venv/.book: requirements.txt setup/install.sh
	@setup/install.sh book
.venv/.test: requirements-test.txt .venv/.book
	@setup/install.sh test
.venv/.gpu: requirements-gpu.txt .venv/.book
	@setup/install.sh gpu
.venv/.peers: requirements-peers.txt .venv/.book
	@setup/install.sh peers

setup: .venv/.book ## install what the other targets need (they do so themselves)

configure: .venv/.book
	@setup/configure.sh "$$TREE" "$$NVCC"

steps: configure
	@setup/build.sh "$$TREE"

counts: configure
	@setup/build.sh "$$TREE" book

draw_and_weave = $(python) -m figures --build "$$TREE" --output "$$TREE/figures" --skip-missing; \
  $(python) docs/build.py "$$TREE"

book: counts ## build the book, build/html/index.html; needs no GPU
	@$(draw_and_weave)
	@echo "The book: $$PWD/$$TREE/html/index.html"

# Pages are woven on one core: meanwhile the others build what the tests alone need.
test: .venv/.test counts ## run all tests
	@trap wait EXIT; setup/build.sh "$$TREE" tests & $(draw_and_weave); wait $$!
	@$(python) tests/run.py "$$TREE"

bench-emulator: configure ## time the emulator on chapter 6 and on SGEMM, and hold it against its floors
	@setup/build.sh "$$TREE" chapters/6-transpose/all emulate bench_sgemm bench_plain
	@$(python) tests/emulator/bench/run.py "$$TREE"

# SECONDS for each of two readers.
fuzz-emulator: SECONDS ?= 60
fuzz-emulator: configure ## feed the emulator's readers damaged programs (SECONDS=60)
	@setup/install.sh fuzz
	@setup/build.sh "$$TREE" chapters/6-transpose/all
	@tests/emulator/fuzz/run.sh "$$TREE" '$(SECONDS)'

fuzz-book: SECONDS ?= 60
fuzz-book: counts ## feed the readers of the book's data damaged results, descriptions, counts and sources (SECONDS=60)
	@$(python) tests/book/fuzz.py "$$TREE" '$(SECONDS)'

sanitize-emulator: configure ## run the emulator's tests under the address, undefined-behaviour and thread sanitizers
	@tests/emulator/sanitize.sh "$$TREE" "$$NVCC"

$(chapters:%=chapter%): chapter%: .venv/.book
	@setup/chapter.sh '$*'
# A chapter that is not there.
chapter%:
	@echo "there is no chapter $*: make lists those that there are" >&2; exit 2

# SHAPES="4096x4096x4096 …": the products, those that the steps are timed at if none are named.
tune7: .venv/.book ## find out which tiles are fastest for chapter 7 on this GPU (SHAPES="4096x4096x4096 …")
	@why=$$($(python) setup/gpu.py "$${NVCC:-.venv/cuda/bin/nvcc}" 2>&1) || { printf 'tune7: %s\n' "$$why" >&2; exit 1; }
	@make --no-print-directory .venv/.gpu steps
	@$(python) chapters/7-sgemm/tune.py "$$TREE" build/results $(SHAPES)

reproduce: ## check and time every step on this machine's GPU, and rebuild the book with your values beside its own
	@setup/reproduce.sh

# Machine code for every generation that the compiler knows and the book serves; younger ones take the PTX. Each program is
# compiled alone, so that it travels without the kernels of others.
bundle: export ARCHITECTURES := $(if $(filter 12.%,$(nvcc_version)),70-real;)75-real;80-real;86-real;89-real;90
bundle: export TOGETHER := 1
bundle: .venv/.gpu .venv/.peers ## pack the steps, to time them on a machine with a GPU but without network, compiler or Python
	@setup/configure.sh "$$TREE/bundle" "$$NVCC"
	@setup/build.sh "$$TREE/bundle" all peers
	@code/benchmark/bundle/pack.sh "$$TREE/bundle" build/warp-and-weft.tar.gz

open: book ## open the book in the browser
	@command -v xdg-open >/dev/null || { echo "no xdg-open here: open $$PWD/$$TREE/html/index.html yourself" >&2; exit 1; }
	@xdg-open "$$TREE/html/index.html"

clean: ## remove what was built, except your own measurements in build/results
	@if rmdir build/results 2>/dev/null || [ ! -d build/results ]; then rm -rf build; else \
	  find build -mindepth 1 -maxdepth 1 ! -name results -exec rm -rf {} + && echo 'kept build/results: your own measurements'; fi
