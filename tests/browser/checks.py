"""What must hold for a page in a browser, as functions that return the problems they find."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from playwright.sync_api import Browser, ElementHandle, Locator, Page, Request, Route, TimeoutError

PHONE = {"width": 360, "height": 740}
ON_A_PHONE = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
DESK = {"width": 1280, "height": 900}
CONTROLS = (  # plotly has its own; a link copies and changes nothing
    ":is(input, select, button:not(.nta-play, .nta-link)):not(.nta-plot *)"
)
MOST_STARTS = 10
LEAST_CONTRAST = 4.5
LEAST_TARGET = 44  # px, where a finger goes
LEAST_TYPE = 12  # px
SWIPE = 240  # px
MOST_TAPS = 8  # points of a plot, some of which may lie under others or say nothing
PATIENT_TAP = 1500  # ms until a plot shows a value, on a busy machine
MOST_DIGITS = 4  # of a tick, significant ones
LAPTOP = {"width": 1280, "height": 800}
# The opening explorer begins above `start`; `shown` px of its picture stand on the first screen.
FIRST_SCREEN = {"start": 420, "height": LAPTOP["height"], "shown": 40}
MOST_SHIFT = 0.05  # of what the browser calls layout shift
#: Runs before the page's own scripts, where `jumps` will be asked.
WATCH = """new PerformanceObserver((list) => {
  globalThis.ntaShift = list.getEntries().reduce((sum, { value }) => sum + value,
    globalThis.ntaShift ?? 0);
}).observe({ type: 'layout-shift', buffered: true })"""
PROBES = Path(__file__).with_name("probes.js")
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


@contextmanager
def opened(
    browser: Browser, root: str, name: str, *, first: str = "", **options: object
) -> Iterator[tuple[Page, list[str]]]:
    """Open a page of a book with every address outside it refused.

    Parameters
    ----------
    root
        Address of the book with a slash at its end, ``http:`` or ``file:``.
    name
        The page, relative to the root.
    first
        A script that runs before those of the page.

    Returns
    -------
    page, complaints
        The list grows while the page is used: refused and failed requests, errors of its scripts.
    """
    context = browser.new_context(**{"viewport": DESK, **options})  # type: ignore[arg-type]
    context.add_init_script(path=PROBES)
    context.add_init_script(first)
    page, complaints = context.new_page(), []

    def gate(route: Route) -> None:
        if route.request.url.startswith((root, "data:", "blob:")):
            route.continue_()
        else:
            complaints.append(f"left the book: {route.request.url}")
            route.abort()

    def failed(request: Request) -> None:
        if request.url.startswith(root):
            complaints.append(f"failed: {request.url}")

    context.route("**/*", gate)
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
    page.on("requestfailed", failed)
    page.on("response", lambda r: complaints.append(f"{r.status} {r.url}") if r.status > 399 else 0)
    try:
        page.goto(root + name, wait_until="load")
        yield page, complaints
    finally:
        context.close()


def jumps(page: Page) -> list[str]:
    """What one reads stays where it is until the page, opened with `WATCH`, has come to rest."""
    page.wait_for_timeout(1000)
    page.wait_for_function(
        "[...document.querySelectorAll('.nta-explorer, .nta-widget')].slice(0, 1)"
        ".every((e) => ['drawn', 'error'].includes(e.dataset.state))"
    )
    page.wait_for_timeout(500)
    shift = page.evaluate("globalThis.ntaShift ?? 0")
    return [f"what one reads moves: {shift:.3f}"] if shift > MOST_SHIFT else []


def undrawn(page: Page, *, patience: float = 30) -> list[str]:
    """Every figure, explorer and widget ends up drawn, with a size; every formula is typeset."""
    page.evaluate("window.nta?.drawAll()")
    _wait(page, "probe.settled()", seconds=patience)
    return list(page.evaluate("probe.undrawn()"))


def dead_controls(page: Page) -> list[str]:
    """Every control of every explorer, moved by keyboard, changes the picture or the words."""
    dead = []
    for explorer in page.query_selector_all(".nta-explorer"):
        controls = explorer.query_selector_all(CONTROLS)
        dead += [control for control in controls if not _moves(page, explorer, control)]
        players = explorer.query_selector_all(".nta-play")
        dead += [button for button in players if not _plays(page, explorer, button)]
    return [f"moves nothing: {control.evaluate('e => probe.nameOf(e)')}" for control in dead]


def lifeless_explorers(page: Page) -> list[str]:
    """Some control of every explorer changes something: its states were found and drawn."""
    return [
        f"nothing moves: {explorer.evaluate('e => e.textContent.trim().slice(0, 80)')}"
        for explorer in page.query_selector_all(".nta-explorer")
        if not any(_moves(page, explorer, c) for c in explorer.query_selector_all(CONTROLS))
    ]


def _moves(page: Page, explorer: ElementHandle, control: ElementHandle) -> bool:
    """Move a control from the starting state; if nothing changes, from others as well.

    A preset may show the state one is in, and a choice may matter only where a slider has not yet
    reached its end; a control that changes nothing from anywhere is dead.
    """
    for other, key in [(None, ""), *_ways_to_leave_the_start(explorer, control)][:MOST_STARTS]:
        explorer.evaluate("e => probe.reset(e)")
        if other is not None:
            other.press(key)
        if any(_changes(page, explorer, control, key) for key in _keys(control)):
            return True
    return False


def _ways_to_leave_the_start(
    explorer: ElementHandle, control: ElementHandle
) -> Iterator[tuple[ElementHandle, str]]:
    for other in explorer.query_selector_all(":is(input, select):not(.nta-plot *)"):
        if not control.evaluate("(e, other) => e === other", other):
            yield from ((other, key) for key in _keys(other))


def _keys(control: ElementHandle) -> tuple[str, ...]:
    """Return the keys that move a control away from where it stands."""
    kind = str(control.evaluate("e => e.type || e.tagName"))
    keys = {"checkbox": ("Space",), "radio": ("Space", "ArrowDown")}
    return ("Enter",) if kind in ("button", "submit") else keys.get(kind, ("End", "Home"))


def _plays(page: Page, explorer: ElementHandle, button: ElementHandle) -> bool:
    """Start the player, see it move, and stop it: it must not move things for other controls."""
    _press(page, explorer, button, "Enter")
    moved = bool(explorer.evaluate("e => probe.changed(e, 5000)"))  # slow for few values
    if button.text_content() == "❚❚":
        button.press("Enter")
    return moved


def _changes(page: Page, explorer: ElementHandle, control: ElementHandle, key: str) -> bool:
    _press(page, explorer, control, key)
    return bool(explorer.evaluate("e => probe.followed(e, 500)"))


def _press(page: Page, explorer: ElementHandle, control: ElementHandle, key: str) -> None:
    explorer.evaluate("e => probe.remember(e)")
    control.focus()
    page.keyboard.press(key)


def sideways_scroll(page: Page) -> list[str]:
    """Nothing sticks out of a narrow window."""
    _wait(page, "probe.narrow()", seconds=1)  # plots follow the window a little later
    if page.evaluate("probe.narrow()"):
        return []
    return [f"the page scrolls sideways: {page.evaluate('probe.sticksOut()')}"]


def small_targets(page: Page) -> list[str]:
    """A finger has room on every control, also on those of the two sidebars."""
    return _with_sidebars(page, f"probe.smallTargets({LEAST_TARGET})")


def small_words(page: Page) -> list[str]:
    """Every word can be read, as it is seen: drawings may be scaled."""
    return _with_sidebars(page, f"probe.smallWords({LEAST_TYPE})")


def hidden_focus(page: Page) -> list[str]:
    """Whatever a key brings the focus to shows that it has it."""
    page.keyboard.press("Tab")  # from now on the browser knows that keys are used
    return list(page.evaluate("probe.hiddenFocus()"))


def lost_focus(page: Page) -> list[str]:
    """Whatever a button of a lab or an explorer does, the focus stays with it or goes on."""
    return list(page.evaluate("probe.lostFocus()"))


def only_on_hover(page: Page) -> list[str]:
    """Nothing is seen or said only under a pointer; needs http, where sheets can be read."""
    return list(page.evaluate("probe.onlyOnHover()"))


def trapping_pictures(page: Page) -> list[str]:
    """A finger that swipes over a picture moves the page, and leaves the picture as it was."""
    found = []
    for k in range(page.evaluate("probe.pictureCount()")):
        x, y = page.evaluate(f"probe.showPicture({k})")
        before = page.evaluate(f"[scrollY, probe.rangesOf({k})]")
        _swipe_up(page, x, y)
        after = page.evaluate(f"[scrollY, probe.rangesOf({k})]")
        if after[0] - before[0] < SWIPE / 2 or after[1] != before[1]:
            name = page.evaluate(f"probe.nameOfPicture({k})")
            found.append(f"a swipe does not scroll over {name}")
    return found


def _swipe_up(page: Page, x: float, y: float) -> None:
    """Move a finger up, as the browser itself hears it."""
    fingers = page.context.new_cdp_session(page)
    for step in range(SWIPE // 20 + 1):
        at = {"x": x, "y": y - 20 * step}
        kind = "touchMove" if step else "touchStart"
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
        page.wait_for_timeout(10)
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    fingers.detach()
    page.wait_for_timeout(100)


def stubborn_plots(page: Page) -> list[str]:
    """A plot shows a value where it is tapped; a button looks closer, another shows all again."""
    found = []
    for plot in page.locator(".nta-plot").all():
        if not plot.is_visible():
            continue
        name = plot.evaluate("e => probe.called(e)")
        taps = min(len(plot.evaluate("e => probe.pointsOf(e)")), MOST_TAPS)
        if taps and not any(_shows_a_value(page, plot, k) for k in range(taps)):
            found.append(f"a tap shows no value: {name}")
        found += [f"{problem}: {name}" for problem in plot.evaluate("e => probe.zooms(e)")]
    return found


def _shows_a_value(page: Page, plot: Locator, k: int) -> bool:
    """Tap the k-th point where it is now: what stands above may still have grown."""
    for x, y in plot.evaluate("e => probe.pointsOf(e)")[k : k + 1]:
        page.touchscreen.tap(x, y)
    try:
        value = plot.locator(".hoverlayer :is(.hovertext, .legend)").first
        value.wait_for(state="attached", timeout=PATIENT_TAP)
    except TimeoutError:
        return False
    return True


def pinched_otherwise(page: Page, most: int = 3) -> list[str]:
    """Two fingers that move apart look closer at a plot; the page stays; a button goes back."""
    found = []
    for plot in page.locator(".nta-plot").all()[:most]:
        if not (plot.is_visible() and plot.evaluate("e => probe.hasRanges(e)")):
            continue
        name = plot.evaluate("e => probe.called(e)")
        x, y = plot.evaluate("e => probe.middleOf(e)")
        before = page.evaluate("[scrollY, visualViewport.scale]")
        whole = plot.evaluate("e => probe.widthOfView(e)")
        _move_apart(page, x, y)
        if page.evaluate("[scrollY, visualViewport.scale]") != before:
            found.append(f"two fingers move the page: {name}")
        if not 0.3 < plot.evaluate("e => probe.widthOfView(e)") / whole < 0.7:
            found.append(f"two fingers come no closer: {name}")
        back = plot.locator("xpath=..").get_by_role("button", name="Whole plot")
        if back.is_visible():
            back.tap()
        page.wait_for_timeout(200)
        if abs(plot.evaluate("e => probe.widthOfView(e)") / whole - 1) > 1e-6:
            found.append(f"it stays as it is: {name}")
    return found


def _move_apart(page: Page, x: float, y: float) -> None:
    """Move two fingers from 40 to 80 pixels apart, as the browser itself hears them."""
    fingers = page.context.new_cdp_session(page)
    for step in range(9):
        half = 20 + 2.5 * step
        at = [{"x": x - half, "y": y, "id": 0}, {"x": x + half, "y": y, "id": 1}]
        kind = "touchMove" if step else "touchStart"
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})
        page.wait_for_timeout(60)
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    fingers.detach()
    page.wait_for_timeout(200)


def _with_sidebars(page: Page, probe: str) -> list[str]:
    """Ask of the page, and again with each of its sidebars open where they are folded away."""
    found = list(page.evaluate(probe))
    for side in ("primary", "secondary"):
        toggle = page.locator(f".bd-header-article .{side}-toggle")
        if toggle.count() and toggle.first.is_visible():
            toggle.first.evaluate("button => button.click()")
            page.wait_for_timeout(350)  # it slides in
            found += [f"{side} sidebar: {problem}" for problem in page.evaluate(probe)]
            page.keyboard.press("Escape")
    return list(dict.fromkeys(found))


def set_theme(page: Page, theme: str) -> None:
    """Switch to a theme as a reader does, with the button in the header; pictures follow it."""
    before = page.evaluate("String(probe.coloursOfPictures())")
    for clicks in range(4):
        if page.evaluate("document.documentElement.dataset.theme") == theme:
            if clicks and before:
                followed = f"String(probe.coloursOfPictures()) !== {json.dumps(before)}"
                _wait(page, followed, seconds=2)
            _wait(page, "document.getAnimations().every(a => a.playState !== 'running')", seconds=5)
            return
        page.evaluate("document.querySelector('button.theme-switch-button').click()")
    raise AssertionError(f"the theme button never reached {theme}")


def stuck_colours(page: Page, theme: str) -> list[str]:
    """Pictures change their colours when the reader switches to the other theme."""
    before = page.evaluate("probe.coloursOfPictures()")
    set_theme(page, theme)
    if not before or page.evaluate("probe.coloursOfPictures()") != before:
        return []
    return ["pictures keep the colours of the other theme"]


def faint_words(page: Page) -> list[str]:
    """Words on plots stand out from the page behind them."""
    return list(page.evaluate(f"probe.faintWords({LEAST_CONTRAST})"))


def long_ticks(page: Page) -> list[str]:
    """No tick and no number in a drawing has more digits than anybody reads."""
    return [
        f"too many digits: {words}" for words in page.evaluate(f"probe.longTicks({MOST_DIGITS})")
    ]


def below_the_first_screen(page: Page) -> list[str]:
    """The opening explorer is seen at once: its question, a control and the top of its picture."""
    _wait(page, "probe.openingIsDrawn()", seconds=30)
    return list(page.evaluate("limits => probe.firstScreen(limits)", FIRST_SCREEN))


def inaccessible(page: Page) -> list[str]:
    """axe-core finds nothing serious or critical, contrast aside."""
    return _axe(page, "document", "rules: {'color-contrast': {enabled: false}}")


def pale_words(page: Page) -> list[str]:
    """axe-core finds enough contrast, looking at one element of each kind of words.

    On long pages looking at every element takes a minute; those of a kind differ in nothing that
    contrast depends on.
    """
    return _axe(page, "{include: probe.kindsOfWords()}", "runOnly: ['color-contrast']")


def _axe(page: Page, where: str, what: str) -> list[str]:
    if not page.evaluate("!!window.axe"):
        page.evaluate(AXE)
    found = page.evaluate(
        f"axe.run({where}, {{resultTypes: ['violations'], preload: false, {what}}})"
    )
    return [
        f"{violation['id']} ({violation['impact']}): {node['html'][:120]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def weight(page: Page) -> int:
    """Return the bytes of everything the page has loaded so far, uncompressed."""
    return int(page.evaluate("probe.weight()"))


def _wait(page: Page, condition: str, *, seconds: float) -> None:
    """Wait for a condition, but not for ever: the caller reports what is still missing."""
    for _ in range(int(seconds * 20)):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
