# Needs nothing but python3 with venv, make and the package index.
#   make demo   set everything up in .venv, run the main job on the icons that ship with rankscope; ends with the page to open
#   make workbench  set everything up in .venv, serve the same icons to judge and to search in a browser
#   make test   set everything up, run lint, types and the tests that do not take long: within 8 minutes on two cores
#   make test-all  that, then the tests marked thorough: real collections, long work, all cases and examples
#   make torch  beside that, torch for the processor, for the tests that need it
#   make spark  an environment of its own, .venv-spark, for the tests that need Spark (pyspark wants pandas below 3)
#   make spark-tests  those tests; they need Java too
#   make site   the documentation as a site in site-output, which opens from the disk
#   make dist   wheel and source archive in dist, checked for the package index
#   make bench  timed comparisons with the peers, written to docs/performance.md
PYTHON ?= python3
BIN := .venv/bin
STAMPS := .venv/stamps
SPARK := .venv-spark

.PHONY: demo workbench test test-all lint types tests torch spark spark-tests docs gallery site dist install bench clean

demo: install
	$(BIN)/rankscope demo -o demo-output

workbench: $(STAMPS)/web
	$(BIN)/rankscope serve --demo

install: $(STAMPS)/core

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "rankscope needs Python 3.11 or later; set PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "python3 has no venv module; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }

$(STAMPS)/core: pyproject.toml | $(BIN)/python
	@echo "Installing rankscope and what it needs into .venv; the first time this takes about a minute"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/web: pyproject.toml $(STAMPS)/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[web,images]'
	@touch $@

$(STAMPS)/dev: pyproject.toml $(STAMPS)/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,peers,all]'
	@touch $@

test: lint
	@begin=$$(date +%s); $(MAKE) --no-print-directory -j2 types tests && \
	    echo "lint aside, make test took $$(( ($$(date +%s) - begin) / 60 )) min $$(( ($$(date +%s) - begin) % 60 )) s"

test-all: test
	$(BIN)/python -m pytest -n auto -rs -m thorough

lint: $(STAMPS)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMPS)/dev
	$(BIN)/mypy

tests: $(STAMPS)/dev
	$(BIN)/python -m pytest -n auto -rs -m 'not thorough'

torch: $(STAMPS)/dev
	$(BIN)/python tools/cpu_torch.py

spark: $(SPARK)/stamps/spark

$(SPARK)/stamps/spark: pyproject.toml
	$(PYTHON) -m venv $(SPARK)
	$(SPARK)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[spark,feedback]' 'pytest>=8' 'hypothesis>=6.112'
	@mkdir -p $(SPARK)/stamps && touch $@

spark-tests: spark
	$(SPARK)/bin/python -m pytest -m spark -rs $$(grep -rl 'mark\.spark' tests)

docs: $(STAMPS)/dev
	$(BIN)/python tools/make_docs.py

gallery: $(STAMPS)/dev
	@mkdir -p gallery-output
	cd gallery-output && for page in ../docs/gallery/*.py ../docs/gallery/papers/*_figure*.py; do ../$(BIN)/python $$page || exit 1; done

$(STAMPS)/site: pyproject.toml $(STAMPS)/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[site]'
	@touch $@

site: $(STAMPS)/site
	$(BIN)/python tools/make_site.py

$(STAMPS)/publish: pyproject.toml $(STAMPS)/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[publish]'
	@touch $@

dist: $(STAMPS)/publish
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

$(STAMPS)/bench: pyproject.toml $(STAMPS)/dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@

bench: $(STAMPS)/bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv $(SPARK) demo-output gallery-output .site site-output .cache dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .bench
