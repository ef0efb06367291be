"""What the controls of an explorer refuse."""

import numpy as np
import pytest

from nta_book.explore import Choice, Explorer, Slider, Switch
from nta_book.viz import token
from nta_core import NTAError


def explorer(**wrong):
    right = {"question": "Which?", "controls": [Switch("on")], "alt": "A token."}
    right |= {"render": lambda s: token(s.on), "words": lambda s: "One token."}
    return Explorer(**(right | wrong))


@pytest.mark.parametrize(("call", "words"), [
    (lambda: Slider("C", ["a", "b"]), "a value of slider 'C'='a': must be a finite number"),
    (lambda: Slider("C", [0, np.nan]), "finite"),
    (lambda: Slider("C", [0, 1], live=(0, 1, 1e-9)), "more than 10,000 values: take longer steps"),
    (lambda: Slider("C", [0, 1], live=(0, 1)), "live="),
    (lambda: Slider("C", [0, 1], live=("0", 1, 1)), "live='0'"),
    (lambda: Slider("C", [0, 1], format="{:d} {}"), "cannot write 0"),
    (lambda: Slider("C", [0, 1], format=3), "a text or a function"),
    (lambda: Slider("C", [0, 1], format=lambda value: value), "is no text"),
    (lambda: Slider("C", 5), "values must be a list"),
    (lambda: Slider(3, [0, 1]), "must be a Python name"),
    (lambda: Slider("C", [0, 1], default=np.zeros(2)), "has no value"),
    (lambda: Slider("C", [0, 1], play="yes"), "play='yes'"),
    (lambda: Choice("c", 5), "values must be a list"),
    (lambda: Choice("c", "ab", label=3), "must be a text"),
    (lambda: explorer(question=None), "question must be a str"),
    (lambda: explorer(controls=[None]), "each of the controls"),
    (lambda: explorer(render=None), "render must be a function"),
    (lambda: explorer(presets=[1]), "presets map labels to states"),
    (lambda: explorer(presets={"a": 1}), "a state maps names"),
    (lambda: explorer().at(on=np.zeros(2)), "has no value"),
])  # fmt: skip
def test_it_is_said_what_is_wrong(call, words):
    with pytest.raises(NTAError, match=words):
        call()
