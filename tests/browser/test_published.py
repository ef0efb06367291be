"""A page as it is published, with the buttons of a checkout that has an address, under a finger."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FloatRect, Locator

from tests.browser import checks
from tests.small_book import write_small_book
from tools.build_book import build

PAGE = (
    "# A page\n\nSome words.\n\n## A section\n\nMore.\n\n## Another\n\nStill more."  # has contents
)
ALL_BUTTONS = (
    "addEventListener('load', () => document.head.insertAdjacentHTML('beforeend', "
    "'<style>.bd-header-article .btn { display: flex !important }</style>'))"
)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, serve: Callable[[Path], str]) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NTA_REPOSITORY", "git@github.com:someone/a-book.git")
        book = write_small_book(tmp_path_factory.mktemp("published"), [PAGE])
        build(book)
    return serve(book / "_build" / "html")


@pytest.mark.parametrize("planted", ["", ALL_BUTTONS], ids=["the page", "planted"])
def test_a_phone_has_room_for_the_buttons_of_a_published_page(
    touched: Browser, published: str, planted: str
) -> None:
    with checks.opened(
        touched, published, "book/index.html", first=planted, **checks.ON_A_PHONE
    ) as (page, _):
        page.get_by_role("button", name="Launch interactive content").tap()
        links = page.locator(".dropdown-launch-buttons .dropdown-item")
        inside = [box["x"] + box["width"] <= checks.PHONE["width"] for box in boxes(links)]
        problems = checks.sideways_scroll(page) + checks.small_targets(page)
    assert len(inside) == 3
    assert all(inside)
    assert bool(problems) == bool(planted), problems


def boxes(links: Locator) -> list[FloatRect]:
    """Where links stand that are seen."""
    return [box for link in links.all() if (box := link.bounding_box())]
