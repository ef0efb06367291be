# Two commands matter:  make serve  (read the book)   make test  (check everything)
# Both set up .venv first, and repeat nothing that is up to date.

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
PORT   ?= 8000

VENV := .venv
PY   := $(VENV)/bin/python
READY := $(VENV)/.stamp

.DEFAULT_GOAL := help
.PHONY: help setup serve book pdf test lint lab bench experiments restamp clean

help:            ## list the commands
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: $(READY)  ## build the book and serve it on http://127.0.0.1:$(PORT)/  (PORT=...)
	@$(PY) -m tools.serve_book --port $(PORT)

test: $(READY)   ## run every check: style, types, units, chapters, build, crawl, browser
	@$(PY) -m tools.run_checks

book: $(READY)   ## build the book into _build/html
	@$(PY) -m tools.build_book

pdf: book        ## print the whole book into one PDF, linked from its start page
	@$(PY) -m tools.make_pdf

lab: $(READY)    ## open the chapters in JupyterLab
	@$(VENV)/bin/jupyter lab book

bench: $(READY)  ## measure speed and weight against their targets
	@$(PY) -m benchmarks

experiments: $(READY)  ## compute stored results that are missing or old (NAME=... for one, anyway)
	@$(PY) -m experiments $(NAME)

restamp: $(READY)  ## after code has moved: renew the stamps of results whose spot cells come out the same
	@$(PY) -m experiments --restamp $(NAME)

lint: $(READY)   ## style and types only
	@$(PY) -m tools.run_checks style types

setup: $(READY)  ## create .venv and install everything

clean:           ## remove what was built (not .venv)
	rm -rf _build build .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.*

$(READY): requirements.txt requirements-dev.txt pyproject.toml package-lock.json
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: none found (set PYTHON=...)"; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if v >= (3, 11) else f"Python 3.11 or newer is needed, {sys.executable} is {v[0]}.{v[1]}: set PYTHON=...")'
	@echo "setting up $(VENV): a few minutes the first time"
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt -e .
	@$(PY) -m nta_book.page.bundle
	@touch $@
