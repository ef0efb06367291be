# Two commands matter:  make serve  (read the book)   make test  (check everything)
# Both set up .venv first, and repeat nothing that is up to date.

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
PORT   ?= 8000

VENV := .venv
PY   := $(VENV)/bin/python
READY := $(VENV)/.stamp

.DEFAULT_GOAL := help
.PHONY: help setup serve book yes_or_no pdf engines test lint lab bench experiments restamp constraints newest escape elsewhere clean

help:            ## list the commands
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: $(READY)  ## build the book and serve it on http://127.0.0.1:$(PORT)/  (PORT=...)
	@$(PY) -m tools.serve_book --port $(PORT)

test: $(READY)   ## run every check: style, types, units, chapters, build, crawl, browser
	@$(PY) -m tools.run_checks

book: $(READY)   ## build the book into _build/html
	@$(PY) -m tools.build_book

pdf: yes_or_no book  ## print the whole book into one PDF, linked from its start page  (SOLUTIONS=no CODE=all|no)
	@$(PY) -m tools.make_pdf $(if $(filter no,$(SOLUTIONS)),--without-solutions) $(if $(CODE),--code $(CODE))

yes_or_no:
	@$(if $(filter-out yes no,$(SOLUTIONS)),$(error SOLUTIONS is yes or no, not "$(SOLUTIONS)"))

engines: book    ## every page in Firefox and WebKit, under fingers and keys, all light cells in its own Python
	@$(PY) -m tools.install_browser
	@NTA_ENGINES=all NTA_EVERY_PAGE=1 $(PY) -m pytest -q -n 2 $(addprefix tests/browser/test_,other_engines.py hands.py pages.py cells_in_page.py)

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

setup: $(READY)  ## create .venv and install everything, as pinned in constraints.txt

constraints: $(READY)  ## pin the newest versions that requirements-dev.txt allows
	@$(PY) -m tools.refresh_constraints

newest: $(READY) ## build the book with the newest version of everything (blocks nothing)
	@$(PY) -m tools.other_versions newest

escape: $(READY) ## build its pages with Sphinx 9 and no Jupyter Book (blocks nothing)
	@$(PY) -m tools.other_versions escape

elsewhere: $(READY)  ## run every page as Binder, a hub and Colab would (make test: some pages)
	@NTA_EVERY_PAGE=1 $(PY) -m tools.run_checks elsewhere

clean:           ## remove what was built (not .venv)
	rm -rf _build build .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.*

$(READY): requirements.txt requirements-dev.txt constraints.txt pyproject.toml package-lock.json
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: none found (set PYTHON=...)"; exit 1; }
	@echo "setting up $(VENV): a few minutes the first time"
	@$(PYTHON) tools/set_up.py $(VENV)
	@$(PY) -m nta_book.page.bundle
	@$(PY) -m nta_book.runtime
	@touch $@
