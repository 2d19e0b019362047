# Every target sets up what it needs in .venv: python3 and pip are all a machine must have; node only to build the viewer anew.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo view test lint bounds verify benchmarks viewer clean

demo: $(READY)
	@mkdir -p out
	$(BIN)/pliant run examples/four_bar.yaml -o out/four_bar.h5
	$(BIN)/pliant plot out/four_bar.h5 left.end.position energy.kinetic energy.potential -o out/four_bar.png
	$(BIN)/pliant animate out/four_bar.h5 -o out/four_bar.gif
	$(BIN)/pliant export out/four_bar.h5 --to html -o out/four_bar.html
	@echo "see out/four_bar.png, out/four_bar.gif and out/four_bar.html; the results are in out/four_bar.h5: $(BIN)/pliant view out/four_bar.h5"

# From a fresh checkout to a moving mechanism in the browser.
view: $(READY)
	@mkdir -p out
	$(BIN)/pliant run examples/four_bar.yaml -o out/four_bar.h5
	$(BIN)/pliant view out/four_bar.h5

test: lint .venv/.programs
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(READY)
	$(BIN)/ruff check src tests examples benchmarks
	$(BIN)/mypy

# Every index of every kernel is looked at: one outside of its array ends the process.
bounds: $(READY)
	PLIANT_BOUNDS=1 $(BIN)/python -m pytest -n 2 --dist loadfile

verify: $(READY)
	$(BIN)/pliant verify
	$(BIN)/pliant verify --accuracy fine A01_pendulum A02_four_bar A02_double_four_bar A03_andrews A04_bricard heavy_top
	$(BIN)/python tests/support/fuzz_models.py --cases 100000
	$(BIN)/python tests/support/fuzz_readers.py --cases 20000
	$(BIN)/python tests/support/kill_runs.py --times 56
	$(BIN)/python tests/support/contact_tangents.py
	PLIANT_GAP_POSES=100000 $(BIN)/python -m pytest tests/kernels/test_gaps.py -q -k "coal or overlaps"
	PLIANT_GAP_POSES=1000000 $(BIN)/python -m pytest tests/kernels/test_gaps.py -q -k "coal and (capsule-box or box-box or -convex)"
	$(BIN)/python tests/support/hunt_mechanisms.py --cases 300
	$(BIN)/python tests/support/hunt_laws.py --cases 2000
	$(BIN)/python tests/support/hunt_contacts.py --cases 10000
	$(BIN)/python tests/support/energy_of_impacts.py --impacts 1000
	$(BIN)/python tests/support/slopes_of_contact.py
	$(BIN)/python tests/support/hunt_mechanisms.py --calm 60 --accuracies 1e-4 1e-6 1e-8 --methods default radau-iia-5 bdf generalized-alpha
	$(BIN)/python tests/support/verify_files.py
	$(BIN)/python benchmarks/accuracy.py
	$(BIN)/python tests/support/verify_methods.py
	$(BIN)/python tests/support/spin_up.py
	$(BIN)/python tests/support/large_motions.py
	$(BIN)/pliant study dimcd
	$(BIN)/pliant study loops
	$(BIN)/python benchmarks/calculix.py
	$(BIN)/python benchmarks/flex_reduction.py
	$(BIN)/python benchmarks/envelope.py

benchmarks: $(READY) .venv/.peers
	PLIANT_PEERS_PYTHON=$(CURDIR)/.venv/peers/bin/python $(BIN)/pliant bench --peers
	PLIANT_PEERS_PYTHON=$(CURDIR)/.venv/peers/bin/python $(BIN)/python benchmarks/time_to_accuracy.py
	PLIANT_PEERS_PYTHON=$(CURDIR)/.venv/peers/bin/python $(BIN)/python benchmarks/flexible_pendulum.py
	PLIANT_PEERS_PYTHON=$(CURDIR)/.venv/peers/bin/python $(BIN)/python benchmarks/flexible_loop.py
	PLIANT_PEERS_PYTHON=$(CURDIR)/.venv/peers/bin/python $(BIN)/python benchmarks/joint_chain.py --peers
	PLIANT_PEERS_PYTHON=$(CURDIR)/.venv/peers/bin/python $(BIN)/python benchmarks/contact.py --peers
	PLIANT_PEERS_PYTHON=$(CURDIR)/.venv/peers/bin/python $(BIN)/python benchmarks/beams.py --peers

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	@touch $@

# The page that src/pliant/view ships; tests tell when it is out of date.
viewer:
	cd viewer && npm install --no-audit --no-fund --no-save && npm run build

# What tests need besides Python, from Debian where it can be had: a browser, CalculiX, and OpenGL without a display for shaded pictures.
# Without them their tests are skipped with the reason.
PROGRAMS := chromium calculix-ccx libegl1 libgl1-mesa-dri
.venv/.programs: $(READY) Makefile
	@missing=""; for name in $(PROGRAMS); do dpkg -s $$name >/dev/null 2>&1 || missing="$$missing $$name"; done; \
	[ -z "$$missing" ] || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq >/dev/null \
		&& DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; } \
		|| echo "cannot install$$missing here (apt-get, as root): the tests that need them are skipped; install them by hand to run these"
	@touch $@

.venv/.peers: $(READY)
	$(PYTHON) -m venv .venv/peers
	.venv/peers/bin/python -m pip install --quiet exudyn mujoco pin drake numpy scipy
	@touch $@

clean:
	rm -rf .venv out .pytest_cache .mypy_cache .ruff_cache
