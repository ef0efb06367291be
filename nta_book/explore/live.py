"""The live form of an explorer: ipywidgets with finer values, for JupyterLab and Binder."""

import html
import json
from collections.abc import Mapping
from typing import Any

from nta_book.errors import ExplorerError
from nta_book.explore.compute import Recipe, State
from nta_book.explore.controls import Control, Slider
from nta_book.viz.drawing import PLOTLY_MIME, Drawing, Panels, walk
from nta_core.boundary import needs

ipywidgets = needs("ipywidgets", wanted_for="an explorer with a kernel", extra="pictures")
WIDE = {"description_width": "initial"}


class Live:
    """Widgets that redraw the picture when a control moves.

    Attributes
    ----------
    box : ipywidgets.VBox
        What a notebook shows.
    controls : dict from name to widget
    buttons : dict from label to Button
        Presets and "reset".
    output : ipywidgets.Output
        The picture.
    words : ipywidgets.HTML
    """

    def __init__(
        self, recipe: Recipe, controls: tuple[Control, ...], presets: Mapping[str, State]
    ) -> None:
        self.recipe = recipe
        self.controls = {control.name: _widget(control) for control in controls}
        self.output = ipywidgets.Output()
        self.words = ipywidgets.HTML()
        self.buttons = {label: self._button(label, state) for label, state in presets.items()}
        for widget in self.controls.values():
            widget.observe(self._moved, "value")
        self._moving = False
        self.draw()
        question = ipywidgets.HTML(f"<strong>{html.escape(recipe.question)}</strong>")
        buttons = ipywidgets.HBox(list(self.buttons.values()), layout={"flex_flow": "row wrap"})
        self.box = ipywidgets.VBox(
            [question, *self.controls.values(), buttons, self.output, self.words]
        )

    @property
    def state(self) -> State:
        """The values the controls stand at."""
        return State({name: widget.value for name, widget in self.controls.items()})

    def draw(self) -> None:
        """Draw the present state; a state that fails says so in words."""
        try:
            picture, words = self.recipe.picture(self.state)
        except ExplorerError as error:
            self.words.value = f'<p role="alert">{html.escape(str(error))}</p>'
            return
        self.output.outputs = tuple(_outputs(picture))
        self.words.value = f"<p>{html.escape(words)}</p>"

    def _moved(self, _: object) -> None:
        if not self._moving:
            self.draw()

    def _button(self, label: str, state: State) -> Any:
        button = ipywidgets.Button(description=label, layout={"width": "auto"})

        def go(_: object) -> None:
            self._moving = True  # one redraw for all controls together
            try:
                for name, value in state.items():
                    self.controls[name].value = value
            finally:
                self._moving = False
            self.draw()

        button.on_click(go)
        return button


def _widget(control: Control) -> Any:
    look: dict[str, Any] = {"style": WIDE, "layout": {"width": "min(100%, 480px)"}}
    look |= {"value": control.default, "description": control.label}
    if isinstance(control, Slider):
        values = sorted({*control.fine, *control.values})
        options = [(control.written(value), value) for value in values]
        if len(dict(options)) < len(options):  # the format is too coarse for the fine values
            options = [(f"{value:.6g}", value) for value in values]
        return ipywidgets.SelectionSlider(options=options, **look)
    if control.kind == "switch":
        return ipywidgets.Checkbox(indent=False, **look)
    options = list(zip(control.labels, control.values, strict=True))
    return ipywidgets.Dropdown(options=options, **look)


def _outputs(picture: Drawing | Panels | Any) -> list[dict[str, Any]]:
    """The picture as outputs of a notebook cell: HTML for drawings, plotly's JSON for charts."""
    singles = list(walk(picture))
    if all(isinstance(single, Drawing) for single in singles):
        shown = [{"text/html": picture._repr_html_(), "text/plain": repr(picture)}]
    else:
        shown = [
            {"text/html": single._repr_html_()}
            if isinstance(single, Drawing)
            else {PLOTLY_MIME: json.loads(single.to_json())}
            for single in singles
        ]
    return [{"output_type": "display_data", "data": data, "metadata": {}} for data in shown]
