# SPDX-License-Identifier: Apache-2.0
#
#   make demo    trains GPT-2 124M on four ranks of this machine
#   make test    every test
#   make fuzz    ten minutes of libFuzzer over every reader of files
#   make bench   the benchmarks
#
# Each installs and builds what is missing first; a second run does not.

BUILD  := build/release
STAMPS := build/stamps
VENV   := .venv
PYTHON := $(VENV)/bin/python

.PHONY: build demo test fuzz bench packages format format-check tidy clean
.DEFAULT_GOAL := build

build: $(STAMPS)/packages $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet

demo: build
	@scripts/demo $(BUILD)/bin/shardsmith

test: build $(STAMPS)/venv
	@scripts/run-tests $(BUILD) $(PYTHON)

# The first time all libraries are built once more, with sanitizers.
fuzz: build
	@cmake --preset fuzz > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@ninja -C build/fuzz --quiet fuzz
	@/usr/bin/python3 test/fuzz/fuzz.py run build/fuzz --seeds-from $(BUILD) --seconds 600

bench: build $(STAMPS)/venv
	@scripts/run-benchmarks $(BUILD) $(PYTHON)

$(STAMPS)/packages: scripts/apt-packages.txt scripts/install-packages
	@scripts/install-packages
	@mkdir -p $(@D) && touch $@

$(STAMPS)/venv: python/requirements-test.txt $(STAMPS)/packages
	@echo "Python environment in $(VENV): $$(grep -v '^#' $< | tr '\n' ' ')"
	@/usr/bin/python3 -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	@mkdir -p $(@D) && touch $@

$(BUILD)/build.ninja: $(STAMPS)/packages CMakePresets.json
	@cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }

SOURCES := $(shell git ls-files '*.cpp' '*.h' 2>/dev/null)

format:
	@/usr/lib/llvm-22/bin/clang-format -i $(SOURCES)

format-check:
	@/usr/lib/llvm-22/bin/clang-format --dry-run --Werror $(SOURCES)

tidy: build
	@/usr/lib/llvm-22/bin/run-clang-tidy -quiet -p $(BUILD) '/(lib|tools)/.*\.cpp$$'

clean:
	@rm -rf build out
