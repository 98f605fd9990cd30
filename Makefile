# SPDX-License-Identifier: Apache-2.0
#
#   make demo     trains GPT-2 124M on four ranks of this machine
#   make test     every test
#   make test-runtimes   what needs other runtimes' packages, such as PyTorch
#   make wheel    the tools and the Python package, as one file for pip
#   make test-wheel      installs it where nothing of ours is, and uses it
#   make test-launchers  a program through mpirun, Slurm, Ray and Spark
#   make fuzz     ten minutes of libFuzzer over every reader of files
#   make bench    the benchmarks
#   make docs     references of passes, dialects and interfaces, in build/docs
#   make format   clang-format over all sources; format-check only looks
#   make tidy     clang-tidy over lib and tools; FILES=PATTERN takes a part
#   make hooks    the checks of .pre-commit-config.yaml, before every commit
#
# Each installs and builds what is missing first; a second run does not. What
# is built is counted: [done/of all, seconds].

BUILD  := build/release
STAMPS := build/stamps
VENV   := .venv
RUNTIMES := build/runtimes-venv
LAUNCHERS := build/launchers-venv
PYTHON := $(VENV)/bin/python

NINJA  := NINJA_STATUS='[%f/%t, %e s] ' ninja -C

.PHONY: build demo test test-runtimes wheel test-wheel test-launchers fuzz bench docs packages format format-check tidy hooks clean
.DEFAULT_GOAL := build

build: $(STAMPS)/packages $(BUILD)/build.ninja
	@$(NINJA) $(BUILD)

# The tool and the runtime that programs link: neither tests nor other tools.
demo: $(STAMPS)/packages $(BUILD)/build.ninja
	@$(NINJA) $(BUILD) shardsmith
	@scripts/demo $(BUILD)/bin/shardsmith

# Programs that tests end by a signal must not ignore it, as they would under
# nohup or behind & in a script.
# Python's packages are fetched while the compiler works.
test:
	@$(MAKE) --no-print-directory -j 2 build $(STAMPS)/venv
	@env --default-signal=HUP,INT,TERM scripts/run-tests $(BUILD) $(PYTHON)

# The packages take 6 GB, and are in an environment of their own.
test-runtimes: build $(STAMPS)/runtimes-venv $(STAMPS)/runtimes-packages
	@scripts/test-runtimes $(BUILD) $(RUNTIMES)/bin/python

wheel: $(STAMPS)/packages $(BUILD)/build.ninja
	@$(NINJA) $(BUILD) shardsmith-standalone
	@scripts/make-wheel $(BUILD) build/wheel

test-wheel: wheel
	@scripts/test-wheel build/wheel

test-launchers: build $(STAMPS)/launchers-packages
	@/usr/bin/python3 -m venv $(LAUNCHERS)
	@$(LAUNCHERS)/bin/pip install --quiet --disable-pip-version-check ray==2.60.0 pyspark==4.3.0
	@$(LAUNCHERS)/bin/python scripts/test-launchers $(BUILD)

# The first time all libraries are built once more, with sanitizers.
fuzz: build
	@cmake --preset fuzz > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@$(NINJA) build/fuzz fuzz
	@/usr/bin/python3 test/fuzz/fuzz.py run build/fuzz --seeds-from $(BUILD) --seconds 600

bench: build $(STAMPS)/venv
	@scripts/run-benchmarks $(BUILD) $(PYTHON)

docs: $(STAMPS)/packages
	@scripts/make-docs build/docs

$(STAMPS)/packages: scripts/apt-packages.txt scripts/install-packages
	@scripts/install-packages $<
	@mkdir -p $(@D) && touch $@

$(STAMPS)/%-packages: scripts/apt-packages-%.txt scripts/install-packages
	@scripts/install-packages $<
	@mkdir -p $(@D) && touch $@

$(STAMPS)/venv: python/requirements-test.txt $(STAMPS)/packages
	@echo "Python environment in $(VENV): $$(grep -v '^#' $< | tr '\n' ' ')"
	@/usr/bin/python3 -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	@mkdir -p $(@D) && touch $@

PARSERS := test/runtimes/requirements-parsers.txt

$(STAMPS)/runtimes-venv: test/runtimes/requirements.txt $(PARSERS) $(STAMPS)/packages
	@echo "Python environment in $(RUNTIMES): $$(cat $< $(PARSERS) | grep -v '^#' | tr '\n' ' ')"
	@/usr/bin/python3 -m venv $(RUNTIMES)
	@$(RUNTIMES)/bin/pip install --quiet --disable-pip-version-check -r $<
	@$(RUNTIMES)/bin/pip install --quiet --disable-pip-version-check --no-deps -r $(PARSERS)
	@mkdir -p $(@D) && touch $@

$(BUILD)/build.ninja: $(STAMPS)/packages CMakePresets.json
	@cmake --preset release -DSHARDSMITH_WERROR=$(or $(SHARDSMITH_WERROR),OFF) > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }

SOURCES = $(shell git ls-files '*.c' '*.cpp' '*.h')
FILES  := (lib|tools)/
LLVM   := /usr/lib/llvm-22/bin

format: $(STAMPS)/style-packages
	@$(LLVM)/clang-format -i $(SOURCES)

format-check: $(STAMPS)/style-packages
	@$(LLVM)/clang-format --dry-run --Werror $(SOURCES)

# Files are compiled several at once, but read one by one.
tidy: $(STAMPS)/packages $(STAMPS)/style-packages
	@mkdir -p build
	@cmake --preset tidy > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@ninja --quiet -C build/tidy headers
	@$(LLVM)/run-clang-tidy -quiet -p build/tidy '$(CURDIR)/$(FILES).*\.cpp$$'

hooks: $(STAMPS)/venv $(STAMPS)/style-packages
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check pre-commit
	@$(VENV)/bin/pre-commit install

clean:
	@rm -rf build out
