# Every target sets up what it needs in .venv: python3, pip and (for nothing yet) node and a C compiler are all a machine must have.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test lint verify benchmarks clean

demo: $(READY)
	@mkdir -p out
	$(BIN)/pliant run examples/four_bar.yaml -o out/four_bar.h5
	$(BIN)/pliant plot out/four_bar.h5 left.end.position energy.kinetic energy.potential -o out/four_bar.png
	$(BIN)/pliant animate out/four_bar.h5 -o out/four_bar.gif
	@echo "see out/four_bar.png and out/four_bar.gif; the results are in out/four_bar.h5"

test: lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(READY)
	$(BIN)/ruff check src tests examples benchmarks
	$(BIN)/mypy

verify: $(READY)
	$(BIN)/pliant verify
	$(BIN)/pliant verify --accuracy fine A01_pendulum A02_four_bar A02_double_four_bar A03_andrews A04_bricard heavy_top
	$(BIN)/python tests/fuzz_models.py --cases 100000
	$(BIN)/python tests/kill_runs.py --times 50
	$(BIN)/python benchmarks/accuracy.py
	$(BIN)/python tests/verify_methods.py
	$(BIN)/pliant study dimcd
	$(BIN)/python benchmarks/calculix.py
	$(BIN)/python benchmarks/flex_reduction.py

benchmarks: $(READY) .venv/.peers
	PLIANT_PEERS_PYTHON=$(CURDIR)/.venv/peers/bin/python $(BIN)/pliant bench --peers
	PLIANT_PEERS_PYTHON=$(CURDIR)/.venv/peers/bin/python $(BIN)/python benchmarks/time_to_accuracy.py
	PLIANT_PEERS_PYTHON=$(CURDIR)/.venv/peers/bin/python $(BIN)/python benchmarks/flexible_pendulum.py

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	@touch $@

.venv/.peers: $(READY)
	$(PYTHON) -m venv .venv/peers
	.venv/peers/bin/python -m pip install --quiet exudyn mujoco pin numpy scipy
	@touch $@

clean:
	rm -rf .venv out .pytest_cache .mypy_cache .ruff_cache
