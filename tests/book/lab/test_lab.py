"""The Token Lab as a Python object: traits, the dataset behind them, what its output carries."""

from __future__ import annotations

import json

import numpy as np
import pytest
import traitlets

from nta_book.lab import CAT_AND_DOG, MIME, BookWidget, TokenLab
from nta_book.lab.widget import anywidget
from nta_book.page.bundle import lab_module
from nta_core import FIG3, FIG8, DataError, Dataset, OptionError, TextError

VIEW = "application/vnd.jupyter.widget-view+json"


def test_the_dataset_follows_the_text_and_the_text_the_dataset() -> None:
    lab = TokenLab(FIG3)
    assert lab.dataset == FIG3
    assert lab.draft == lab.text == FIG3.to_text()
    lab.text = "a b c -> b\nc a -> a"  # what the front end sends after an edit
    assert lab.dataset == Dataset.from_text("a b c -> b\nc a -> a")
    lab.dataset = FIG8
    assert lab.text == FIG8.to_text()
    assert lab.dataset == FIG8


def test_a_vocabulary_larger_than_the_races_survives() -> None:
    wide = Dataset([[0, 2]], [2], K=4, names=("z", "y", "x", "w"))
    assert TokenLab(wide).dataset == wide


def test_edits_can_be_observed() -> None:
    lab, seen = TokenLab(FIG3), []
    lab.observe(lambda change: seen.append(lab.dataset.n), "text")
    lab.dataset = FIG3.subset([0, 1])
    lab.dataset = FIG3.subset([1, 0])
    assert seen == [2, 2]


def test_an_empty_lab_has_no_dataset_and_says_so() -> None:
    lab = TokenLab()
    lab.text = ""
    with pytest.raises(DataError, match="holds no race"):
        _ = lab.dataset
    lab.dataset = FIG3
    assert lab.dataset == FIG3


@pytest.mark.parametrize("value", ["a b -> a", [[0, 1]], None, np.eye(2)])
def test_only_a_dataset_is_a_dataset(value: object) -> None:
    with pytest.raises(OptionError, match=r"Dataset\.from_text"):
        TokenLab(value)
    lab = TokenLab(FIG3)
    with pytest.raises(OptionError):
        lab.dataset = value
    assert lab.dataset == FIG3


def test_text_that_cannot_be_read_is_refused_with_its_place() -> None:
    lab = TokenLab(FIG3)
    with pytest.raises(TextError, match="line 2, column 1: no arrow") as refusal:
        lab.text = "a b -> a\nnonsense"
    assert refusal.value.line == 2
    assert lab.dataset == FIG3
    with pytest.raises(traitlets.TraitError):
        lab.text = 5


@pytest.mark.parametrize(
    ("dataset", "what"),
    [
        (Dataset([[0, 16]], [0]), "16 tokens in the vocabulary, got 17"),
        (Dataset([[0, 1]] * 121, [0] * 121), "120 races, got 121"),
        (Dataset([[0] * 25], [0]), "24 tokens in one race, got 25"),
        (Dataset([[0]], [0], names=["x" * 17]), "16 characters in one name, got 17"),
    ],
)
def test_what_cannot_be_drawn_is_refused(dataset: Dataset, what: str) -> None:
    with pytest.raises(DataError, match=f"at most {what}"):
        TokenLab(dataset)


def test_a_lab_as_large_as_allowed_is_drawn() -> None:
    full = Dataset([list(range(16)) + [0] * 8] * 120, [3] * 120)
    assert TokenLab(full).dataset == full


def test_with_a_kernel_the_output_is_live_and_static(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NTA_BOOK_BUILD", raising=False)
    data, metadata = TokenLab(FIG3)._repr_mimebundle_()
    assert VIEW in data
    assert data[MIME]["module"] == "token_lab"
    assert metadata == {}


def test_during_a_book_build_the_output_is_static_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NTA_BOOK_BUILD", "1")
    data, metadata = TokenLab(FIG3, compact=True, home="token_lab.html")._repr_mimebundle_()
    assert sorted(data) == [MIME, "text/plain"]
    assert data["text/plain"] == "TokenLab(7 races, compact)"
    text = FIG3.to_text()
    page = {"address": False, "compact": True, "home": "token_lab.html", "play": False}
    assert data[MIME] == {
        "module": "token_lab",
        "label": "Token Lab: train one attention layer",
        "state": {**page, "draft": text, "text": text},
    }
    assert metadata == {}
    json.dumps(data)


def test_without_anything_to_talk_to_the_static_form_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NTA_BOOK_BUILD", raising=False)
    monkeypatch.setattr(anywidget.AnyWidget, "_repr_mimebundle_", lambda self, **kwargs: None)
    data, _ = TokenLab(FIG3)._repr_mimebundle_()
    assert sorted(data) == [MIME, "text/plain"]


def test_only_the_full_lab_keeps_the_address_of_a_page() -> None:
    assert TokenLab(FIG3).page_state()["address"] is True
    assert TokenLab(FIG3, compact=True).page_state()["address"] is False
    assert TokenLab(FIG3).address is False  # with a kernel the address is the notebook's


def test_a_lab_opens_with_words_unless_told_otherwise() -> None:
    lab = TokenLab(play=True)
    assert lab.dataset == CAT_AND_DOG
    assert lab.page_state()["play"] is True
    assert lab.page_state()["text"].startswith("mouse cat chases -> mouse\n")
    with pytest.raises(OptionError, match="play"):
        TokenLab(play="yes")


def test_every_widget_has_a_label_and_brings_its_module() -> None:
    for widget in BookWidget.__subclasses__():
        assert widget.label
        assert str(widget._esm) == lab_module(widget.module).read_text(encoding="utf-8")
