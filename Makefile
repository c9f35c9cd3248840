# Everything a developer does, on a machine with python3, Rust and make.
#
#   make run     set up, then the headline comparison and its report
#   make test    all tests: Rust in a debug build, then Python and the golden fingerprints in the release build
#   make lint    formatters, linters, words, types
#   make bench   speed side by side with the other simulators that are installed
#   make instructions  instructions per frame, held against the committed figures (valgrind)
#   make mutants changes lines of the protocol machines that the last commit touched, and names changes that no test notices
#                (MODULE=tcp: lines of that module; SHARD=0/50: every 50th of them; SINCE=COMMIT: what changed since then)
#   make wheel   a wheel for users without Rust, in dist/
#   make docs    the documentation, in site/
#   make lock    pin the Python tools anew (after a change of pyproject.toml or requirements.in)
#   make clean   remove all that was built; records of runs stay

V := $(CURDIR)/.venv
export VIRTUAL_ENV := $(V)
export PATH := $(V)/bin:$(PATH)
export PYO3_PYTHON := $(V)/bin/python
# maturin builds through uv: without this it would resolve over the network at every rebuild
export UV_OFFLINE := 1

ENGINE := $(shell find Cargo.toml Cargo.lock crates profiles techniques scenarios studies -type f 2>/dev/null)
PYTHON_CODE := python tests $(wildcard examples benches docs studies)

.PHONY: run test test-rust test-python test-real-time lint bench instructions mutants wheel docs lock clean setup
.DEFAULT_GOAL := run

setup: $(V)/.ext

# What each command loads is compiled once: where PYTHONDONTWRITEBYTECODE is set, as in many containers, every start would
# do it again (0.3 s of 0.7 s, and 1 s more for a figure). Compiling all that is installed would take longer than it saves.
STARTED := $(addprefix $(V)/lib/python3*/site-packages/,numpy typer rich msgspec pandas matplotlib jinja2)

# Installing keeps one processor busy: the other builds the engine meanwhile. It builds the package that
# maturin builds: with the features of another package, maturin would compile the simulator a second time. If it fails,
# maturin says why.
$(V)/.deps: requirements.lock
	@echo "Setting up in .venv: Python packages, and the engine from Rust in a release build. The first time takes two to four minutes."
	python3 -m venv $(V)
	@PYO3_BUILD_EXTENSION_MODULE=1 cargo build --release --locked -p multihop-py & \
	pip install -q --disable-pip-version-check --no-compile --require-hashes -r $<; \
	status=$$?; wait; exit $$status
	python -m compileall -q -j 0 $(STARTED)
	touch $@

$(V)/.ext: $(V)/.deps pyproject.toml $(ENGINE)
	@echo "Building the engine into .venv. After a change of Rust this takes up to a minute."
	maturin develop --release --locked --uv
	python -m compileall -q -j 0 python
	touch $@

# The headline: seven hops, a quiet and a noisy channel, the queue that drops against the queue that keeps.
HEADLINE := multihop compare chain --techniques drr,persistent-queue --runs 10
run: setup
	$(HEADLINE) --set air.bit-error-rate=1e-6 --out out/quiet
	$(HEADLINE) --set air.bit-error-rate=5e-5 --out out/noisy
	multihop report out/quiet out/noisy --out out/report.html

# Side by side, one fills the processor while the other waits for a compiler or a clock. What runs in real time comes after.
test: setup
	@$(MAKE) --no-print-directory -j 2 test-rust test-python
	@$(MAKE) --no-print-directory test-real-time

test-rust: $(V)/.deps
	@echo "Compiling the tests of the engine in a debug build: some minutes the first time."
	cargo test --locked --no-run
	cargo test -q --locked

test-python: setup
	pytest -q -n logical --dist loadfile -m "not long and not alone"

# A machine that does much else at once may be late: what failed runs once more, alone.
test-real-time: setup
	pytest -q -n 3 --dist loadgroup -m "alone and not long" \
	  || pytest -q --last-failed --last-failed-no-failures none -m "alone and not long"

# The fuzz targets, too; libFuzzer, which would take a C++ compiler, is not built for that.
lint: setup
	cargo fmt --all --check
	CUSTOM_LIBFUZZER_PATH=./unlinked.a cargo clippy -q --workspace --all-targets --locked -- -D warnings
	ruff check -q $(PYTHON_CODE)
	ruff format -q --check $(PYTHON_CODE)
	python docs/words.py
	mypy --no-error-summary

bench: setup
	python benches/side_by_side.py
	python benches/wifi_speed.py

instructions: setup
	python benches/instructions.py --check

# A mutant is a copy of the code with one line changed. Those that no test fails for are listed in target/mutants.out.
MUTANTS := target/tools/bin/cargo-mutants
SINCE := HEAD~1
$(MUTANTS):
	UV_OFFLINE=0 cargo install -q --locked --root target/tools cargo-mutants

mutants: $(V)/.deps $(MUTANTS)
ifdef MODULE
	$(MUTANTS) mutants -p multihop-proto -f 'crates/proto/src/$(MODULE)/**' $(if $(SHARD),--shard $(SHARD)) -o target -- --lib
else
	git diff $(SINCE) -- crates/proto > target/since.diff
	$(MUTANTS) mutants -p multihop-proto --in-diff target/since.diff $(if $(SHARD),--shard $(SHARD)) -o target -- --lib
endif

# Guided by a profile, an engine needs a seventh fewer instructions. Without rustup's LLVM tools the wheel is built plainly.
wheel: export UV_OFFLINE := 0
wheel: $(V)/.deps
	rm -rf dist
	@rustup component add llvm-tools 2>/dev/null || echo "rustup's llvm-tools are missing: the wheel is not guided by a profile."
	maturin build -q --profile dist --locked --out dist $$(rustup component list --installed 2>/dev/null | grep -q llvm-tools && echo --pgo)
	@ls dist/*.whl

docs: setup
	NO_MKDOCS_2_WARNING=1 mkdocs build --strict
	@echo "The documentation is built: open site/index.html in a browser."

lock: export UV_OFFLINE := 0
lock: $(V)/.deps
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --upgrade pyproject.toml requirements.in -o requirements.lock

clean:
	rm -rf $(V) target dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis
