# Two commands for a fresh machine with Python 3.11 or newer: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := .venv-demo
FRAMEWORKS := .venv-frameworks
# three, since tests wait for processes, servers and browsers; the longest files first (tests/conftest.py)
WORKERS ?= 3
SHARED := -n $(WORKERS) --dist loadfile --no-loadscope-reorder
TESTS := --ignore=tests/frameworks $(SHARED) --durations=10
# pure computing: no browser, no server, no training, hardly a process
FAST := $(addprefix tests/,model store signals metrics catalog vitals rules comparison render readers requirements diagnosis) \
  --ignore=tests/diagnosis/live
PACKAGES := web/node_modules/.ready
NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
# tests start hundreds of processes: each would compile all that it imports again where images forbid bytecode
unexport PYTHONDONTWRITEBYTECODE

RECENT := 'import sys; sys.exit(sys.version_info < (3, 11) and "runvitals needs Python 3.11 or newer; set PYTHON=...")'

.PHONY: demo test test-fast pytest coverage check web browser bench docs docs-site dist sbom scoreboard scoreboard-made scoreboard-judge changelog clean test-frameworks

# the developers' environment if it is there; else one with the product alone
demo: $(if $(wildcard $(READY)),$(READY),$(DEMO)/.ready)  ## train a healthy and a sick agent here, and see both judged
	$(if $(wildcard $(READY)),$(BIN),$(DEMO)/bin)/runvitals demo

test: check pytest  ## everything CI runs, but for the large frameworks

test-fast: $(READY)  ## what a change of a rule, a metric or a reader breaks; for every day
	$(BIN)/python -m pytest $(FAST) $(SHARED) -n 2 --durations=10

pytest: $(READY) web browser  ## the tests alone
	$(BIN)/python -m pytest $(TESTS)

coverage: $(READY) web browser  ## the same tests, and which lines they never reach; takes longer
	$(BIN)/python -m pytest $(TESTS) --cov --cov-report=term

test-frameworks: $(FRAMEWORKS)/.ready  ## adapters and examples with the real frameworks, formulas against them; downloads gigabytes
	$(FRAMEWORKS)/bin/python -m pytest tests/frameworks tests/lab/test_cartpole.py $(SHARED) -n 2

# not those that the code writes, and that have names of metrics in every line
PROSE := README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md $(filter-out docs/requirements.md docs/gallery.md docs/reference/%,$(shell git ls-files 'docs/*.md' 2>/dev/null))

check: $(READY)  ## style, types, what may import what, spelling and prose
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/proselint check --config proselint.json $(PROSE)

web: $(PACKAGES)  ## the dashboard's page: types from the server's contract, checks, tests, build
	$(BIN)/python -m runvitals.server > web/openapi.json
	cd web && $(NODE) npm run check && $(NODE) npm test && $(NODE) npm run build

browser:  ## Chromium for the tests of the page, where this machine lacks one and we may install it
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq chromium; } \
	  || echo "no Chromium here: the tests in a browser will be skipped"

bench: $(READY) web  ## the figures in the README, measured here
	$(BIN)/python -m benchmarks

scoreboard: $(READY)  ## make labelled runs in .scoreboard/ (hours on two cores, resumable), then judge them
	$(BIN)/python -m benchmarks.lab.scoreboard
	$(MAKE) scoreboard-judge

scoreboard-made: $(FRAMEWORKS)/.ready  ## make labelled runs of SB3, TRL, Trainer and scripts in .scoreboard/made (two hours, resumable)
	$(FRAMEWORKS)/bin/python -m benchmarks.made

scoreboard-judge: $(READY)  ## judge the labelled runs that are there, next to other tools; writes .scoreboard/scoreboard.md
	$(BIN)/python -m benchmarks.judging.judge --rivals --curve --write

docs: $(READY)  ## write the reference pages from the code
	$(BIN)/python -m tests.catalog.reference_pages
	$(BIN)/python -m tests.readers.formats_page
	$(BIN)/python -m tests.rules.reference_pages
	$(BIN)/python -m tests.server.reference_page
	$(BIN)/python -m tests.requirements
	$(BIN)/python -m tests.lab.rl_metrics_table
	$(BIN)/python -m tests.import_map

docs-site: $(READY) web  ## the documentation as a site in build/site, with the reports of sick runs; some minutes
	$(BIN)/python -m benchmarks.lab.gallery --reports docs/gallery
	SOURCE_DATE_EPOCH=0 NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "look at it, with its search: $(BIN)/python -m http.server --directory build/site"

dist: $(READY) web docs-site sbom  ## sdist and wheel in dist/ with the site, built twice to show that nothing but the sources decides
	rm -rf dist build/again
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/python -m build --no-isolation --outdir build/again .
	cd build/again && sha256sum runvitals-* | (cd ../../dist && sha256sum --check --strict)

sbom: $(READY) $(PACKAGES)  ## what a wheel brings along, in build/sbom: Python packages, and what the page is built and tested with
	rm -rf build/sbom && mkdir -p build/sbom
	$(PYTHON) -m venv build/sbom/venv
	RUNVITALS_PAGE=later build/sbom/venv/bin/python -m pip install --quiet --disable-pip-version-check .
	$(BIN)/cyclonedx-py environment --output-reproducible -o build/sbom/python.cdx.json build/sbom/venv
	cd web && $(NODE) npm sbom --package-lock-only --sbom-format cyclonedx > ../build/sbom/page.cdx.json
	rm -r build/sbom/venv

changelog: $(READY)  ## gather changes/ into CHANGELOG.md
	$(BIN)/towncrier build --yes

$(DEMO)/.ready: pyproject.toml
	$(PYTHON) -c $(RECENT)
	@echo "Installing runvitals into $(DEMO), once; this takes a minute or two."
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/python -m pip install --disable-pip-version-check --editable .
	touch $@

# The page is built by the target `web`, so not while installing. uv fetches several packages at once, and
# what both environments need only once; where it cannot be had or fails, pip does the same more slowly.
define install
	$(1)/bin/python -m pip install --quiet --disable-pip-version-check uv \
	  && RUNVITALS_PAGE=later $(1)/bin/uv pip install --quiet --python $(1)/bin/python $(2) \
	  || RUNVITALS_PAGE=later $(1)/bin/python -m pip install --quiet --disable-pip-version-check $(2)
endef

$(READY): pyproject.toml
	$(PYTHON) -c $(RECENT)
	$(PYTHON) -m venv $(VENV)
	$(call install,$(VENV),--editable '.[dev]')
	touch $(READY)

$(PACKAGES): web/package-lock.json $(READY)
	cd web && $(NODE) npm ci
	touch $@

# torch first and by itself: asked for by the others, it would come with several GB of CUDA packages
$(FRAMEWORKS)/.ready: pyproject.toml
	$(PYTHON) -m venv $(FRAMEWORKS)
	$(FRAMEWORKS)/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(call install,$(FRAMEWORKS),--editable '.[frameworks]')
	$(call install,$(FRAMEWORKS),--no-deps verl)
	touch $@

clean:
	rm -rf $(VENV) $(DEMO) $(FRAMEWORKS) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage htmlcov build dist
