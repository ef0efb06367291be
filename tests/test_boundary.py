"""The boundary of the three packages: garbage in, a finite answer or a sentence out.

``NTA_GARBAGE=500 pytest tests/test_boundary.py`` throws more of it, and other garbage each time.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from nta_book.sphinx import public
from tests import garbage
from tests.garbage import GARBAGE, NoMaker, call_of, fault, public_paths, shown, targets

TARGETS = {name: (name, function, owner) for name, function, owner in targets(public_paths())}
MANY = int(os.environ.get("NTA_GARBAGE", "0"))

plain = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text(st.characters(exclude_characters="/\\"), max_size=5)  # no path leads out of here
    | st.binary(max_size=3)
)
numbers = arrays.arrays(
    arrays.floating_dtypes() | arrays.integer_dtypes() | arrays.complex_number_dtypes(),
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
)
nested = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner)
)
anything = st.sampled_from(GARBAGE).map(lambda make: make()) | nested | numbers


@pytest.fixture(scope="module", autouse=True)
def _in_a_corner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever is written lands in a folder of its own; memory and processes are scarce."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("garbage"))
    with garbage.little_memory():
        yield
    os.chdir(before)


@pytest.mark.parametrize("name", TARGETS)
def test_garbage_gets_a_finite_answer_or_a_sentence(name: str) -> None:
    call = call_of(*TARGETS[name])
    found = fault(call)
    assert not found, f"{name} with right arguments {dict(call.arguments)}: {found}"
    if not call.parameters:
        return

    @settings(
        max_examples=MANY or 30,
        derandomize=not MANY,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def throw(data: st.DataObject) -> None:
        several = st.lists(st.sampled_from(call.parameters), min_size=1, max_size=2, unique=True)
        spoilt = {parameter: data.draw(anything) for parameter in data.draw(several)}
        if spoilt.get("client", 0) is not None:  # None is right there, and starts processes
            found = fault(call, **spoilt)
            words = ", ".join(f"{key}={shown(value)}" for key, value in spoilt.items())
            assert not found, f"{name}({words}): {found}"

    throw()


def test_every_public_callable_is_here() -> None:
    covered = {name for name in TARGETS if name in public_paths()}
    functions = {
        path for path in public_paths() if public.kind_of(public.value_of(path)) == "function"
    }
    assert functions <= covered
    methods = {"nta_core.Automaton.compose", "nta_core.Dataset.from_text", "nta_core.Theory.of"}
    assert methods | {"nta_core.Dataset", "nta_core.TokenPriorityGraphs.__getitem__"} <= set(
        TARGETS
    )
    assert len(TARGETS) > 200


# ---- the suite finds what is planted -------------------------------------------------------------

SHOP = """
import numpy as np
from nta_core import OptionError
from nta_core.boundary import check_weights, number

def raw(W): return len(W.shape)
def careful(W): return check_weights(W, 4).sum()
def silent(step_size): return step_size if isinstance(step_size, float) else 0.0
def told(step_size):
    "Returns nan, inf or -inf as it got them."
    return silent(step_size)
def loud(step_size): return np.float64(number(step_size, "step_size")) * 1e300
def slow(steps):
    while steps == -1: pass
def hungry(W):
    if W is None: np.ones(10**11)
def mute(W):
    if W is None: raise OptionError("")
def lazy(W):
    yield len(W)
def strange(basket): ...
class Till:
    def pay(self, steps): return 1 / (steps if isinstance(steps, int) else 1)
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple]:
    (tmp_path / "toyshop.py").write_text(textwrap.dedent(SHOP))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(garbage, "SECONDS", 0.2)
    names = re.findall(r"^(?:def|class) (\w+)", SHOP, re.M)
    return {name: (name, *rest) for name, *rest in targets(tuple(f"toyshop.{n}" for n in names))}


@pytest.mark.parametrize(
    ("name", "spoilt", "words"),
    [
        ("raw", {"W": None}, "AttributeError: 'NoneType' object has no attribute 'shape'"),
        ("silent", {"step_size": float("nan")}, "nan in the answer"),
        ("silent", {"step_size": float("inf")}, "infinity in the answer"),
        ("loud", {"step_size": 1e300}, "RuntimeWarning: overflow"),
        ("slow", {"steps": -1}, "no answer after 0.2 s"),
        ("hungry", {"W": None}, "MemoryError"),
        ("mute", {"W": None}, "without a sentence"),
        ("lazy", {"W": 3}, "TypeError: object of type 'int' has no len()"),
        ("Till.pay", {"steps": 0}, "ZeroDivisionError"),
    ],
)
def test_planted_faults_are_found(shop, name, spoilt, words) -> None:
    call = call_of(*shop[f"toyshop.{name}"])
    assert fault(call) is None
    assert words in fault(call, **spoilt)
    assert any(words.partition(":")[0] in found for _, _, found in garbage.faults_of(call))


def test_what_is_careful_or_documented_passes(shop) -> None:
    assert list(garbage.faults_of(call_of(*shop["toyshop.careful"]))) == []
    told = call_of(*shop["toyshop.told"])
    assert [fault(told, step_size=bad) for bad in (float("nan"), float("inf"))] == [None, None]


def test_a_parameter_that_nobody_can_fill_is_named(shop) -> None:
    with pytest.raises(NoMaker, match=r"toyshop.strange takes basket.*add 'basket'"):
        call_of(*shop["toyshop.strange"])
