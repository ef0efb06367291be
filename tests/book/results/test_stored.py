"""A stored result is read whole, or a sentence says what to do."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nta_book.errors import MissingResult
from nta_book.results import stored_result
from nta_core import NTAError

SOUND = {"title": "Toy", "seconds": 1.0, "cells": [{"settings": {"n": 1}, "values": {"x": 2}}]}


@pytest.mark.parametrize(
    "content",
    [
        "",
        json.dumps(SOUND)[:40],
        "[]",
        "null",
        "{}",
        json.dumps(SOUND | {"cells": [{"settings": {}}]}),
        json.dumps(SOUND | {"cells": 5}),
        b"\xff\xfe",
    ],
)
def test_a_damaged_file_is_called_damaged(tmp_path, content):
    path = tmp_path / "toy.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(MissingResult, match="'toy' is damaged: run make experiments NAME=toy"):
        stored_result("toy", folder=tmp_path)
    path.write_text(json.dumps(SOUND))
    assert stored_result("toy", folder=tmp_path).cells == ({"n": 1, "x": 2},)


@given(st.text() | st.just("x" * 5000) | st.sampled_from(["../data", "/etc/passwd", "a\0b"]))
def test_any_other_name_is_missing(name):
    with pytest.raises(MissingResult, match="no stored result"):
        stored_result(name)


@pytest.mark.parametrize("name", [None, 3, b"open_lab", ["open_lab"]])
def test_a_name_is_a_text(name):
    with pytest.raises(NTAError):
        stored_result(name)


@pytest.mark.parametrize("folder", [None, "data"])
def test_a_folder_is_a_folder(folder, tmp_path):
    with pytest.raises(MissingResult, match="no folder of stored results"):
        stored_result("open_lab", folder=folder)
    with pytest.raises(MissingResult, match="no folder of stored results"):
        stored_result("open_lab", folder=tmp_path / "none")


def test_a_draft_is_no_result(tmp_path):
    (tmp_path / ".0123.draft").write_text(json.dumps(SOUND))
    with pytest.raises(MissingResult, match="stored: none"):
        stored_result(".0123.draft", folder=tmp_path)
