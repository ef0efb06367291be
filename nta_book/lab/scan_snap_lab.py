"""The Scan and Snap lab as a Python object."""

from typing import Any, ClassVar

from nta_beyond.scansnap import ScanSnapRun, SequenceClasses, make_classes, train_population
from nta_book.lab.widget import BookWidget, traitlets
from nta_core.boundary import is_integer, number, one_of, whole
from nta_core.errors import OptionError

VIEWS = ("attention", "logits", "speed", "growth", "decoder")
OPTIMIZERS = {"plain": ("sgd", 0.0), "momentum": ("sgd", 0.9), "adam": ("adam", 0.0)}
STEPS = (100, 300, 1000, 3000)
# Ends of the sliders; the same numbers stand in page/scan_snap_lab/settings.js, a test compares.
WHOLE = {"K": (2, 8), "queries": (1, 8), "common": (0, 10), "distinct": (2, 10)}
WHOLE["unused"] = (0, 3000)
REAL = {"eta_y": (0.1, 10.0), "eta_z": (0.05, 3.0), "common_weight": (0.1, 3.0)}
REAL |= {"lowest": (0.05, 2.0), "highest": (0.1, 3.0), "shared": (0.0, 1.0)}

_SMALL: dict[str, Any] = {
    **{"eta_y": 1.0, "eta_z": 1.0, "optimizer": "momentum", "steps": 100},
    **{"K": 2, "queries": 2, "common": 10, "distinct": 10, "unused": 0},
    **{"common_weight": 1.0, "lowest": 0.1, "highest": 1.0, "shared": None},
}
_PLAIN: dict[str, Any] = {**_SMALL, "optimizer": "plain", "queries": 1}
#: Name of a preset -> what its button says, its settings, what to look for.
PRESETS: dict[str, tuple[str, dict[str, Any], str]] = {
    "one-common": (
        "Two rivals",
        {
            **_PLAIN,
            **{"eta_y": 0.5, "eta_z": 0.05, "common": 1, "distinct": 3, "lowest": 0.2},
            "steps": 300,
        },
        "c1 and a3 are equally frequent, but c1 is in every class and a3 in class 1 alone. "
        "Who gains?",
    ),
    "syn-small": (
        "The paper's test",
        _SMALL,
        "Syn-Small of the paper: ten common tokens, ten distinct ones, both rates 1. "
        "Which tokens win, and which assumption fails?",
    ),
    "syn-small-10": (
        "Fast decoder",
        {**_SMALL, "eta_y": 10.0},
        "The same with a decoder ten times faster. Does attention end sharper, or flatter?",
    ),
    "adam": (
        "Adam",
        {**_SMALL, "eta_y": 0.5, "eta_z": 0.5, "optimizer": "adam"},
        "The same with Adam, which gives every token steps of about equal size. "
        "Does the most frequent token still lead?",
    ),
    "shared": (
        "A shared token",
        {**_PLAIN, "eta_z": 0.5, "shared": 0.3, "steps": 300},
        "One token stands in both classes, with weight 1 in class 1 and r = 0.3 in class 2. "
        "Does it rise like a distinct token, or sink like a common one?",
    ),
}


class ScanSnapLab(BookWidget):
    """Train attention and decoder together, and watch attention scan, then snap.

    The training is `train_population` (contexts of infinite length); it runs in the page anew
    whenever a setting changes.

    Parameters
    ----------
    preset : str
        Settings to start with: "one-common" (where the theory's assumptions hold), "syn-small"
        (the paper's test), "syn-small-10" (a decoder ten times faster), "adam", or "shared" (a
        token that two classes share, at the frequency where its fate turns).
    view : str
        Picture to start with: "attention", "logits", "speed", "growth" or "decoder".
    **settings
        Single settings that differ from the preset: `eta_y`, `eta_z`, `optimizer` ("plain",
        "momentum" or "adam"), `steps` (100, 300, 1000 or 3000), and K, `queries`, `common`,
        `distinct`, `common_weight`, `lowest`, `highest`, `shared`, `unused` of `make_classes`.

    Attributes
    ----------
    settings : dict
        The settings in force.  They follow the reader and can be set, which trains anew.
    view : str
        The picture shown.

    Examples
    --------
    >>> lab = ScanSnapLab("syn-small", eta_z=0.2)
    >>> lab
    ScanSnapLab(K=2, 10 common and 10 distinct tokens, momentum, η_Y=1, η_Z=0.2)
    >>> lab.run.entropy[[0, -1]].round(2)
    array([2.15, 2.11])

    Explained in: chapter 13. Paper: Scan and Snap.
    """

    module: ClassVar[str] = "scan_snap_lab"
    label: ClassVar[str] = "Scan and Snap: train attention and decoder together"

    settings = traitlets.Dict().tag(sync=True)
    view = traitlets.Enum(VIEWS, default_value=VIEWS[0]).tag(sync=True)
    presets: traitlets.List[Any] = traitlets.List(read_only=True).tag(sync=True)
    address = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self, preset: str = "one-common", *, view: str = VIEWS[0], **settings: Any
    ) -> None:
        one_of(preset, "preset", PRESETS)
        one_of(view, "view", VIEWS)
        super().__init__(settings={**PRESETS[preset][1], **settings}, view=view)

    @traitlets.default("presets")
    def _all_presets(self) -> list[list[object]]:
        return [[name, *said] for name, said in PRESETS.items()]

    @traitlets.validate("settings")
    def _possible(self, proposal: dict[str, Any]) -> dict[str, Any]:
        return _checked(dict(proposal["value"]))

    def page_state(self) -> dict[str, Any]:
        """Return the state for a page without a kernel, where the lab keeps the address.

        Examples
        --------
        >>> ScanSnapLab().page_state()["address"]
        True
        """
        return {**super().page_state(), "address": True}

    @property
    def classes(self) -> SequenceClasses:
        """The sequence classes of the settings in force."""
        training = ("eta_y", "eta_z", "optimizer", "steps")
        return make_classes(**{k: v for k, v in self.settings.items() if k not in training})

    @property
    def run(self) -> ScanSnapRun:
        """The run that the reader sees, every step recorded."""
        name, momentum = OPTIMIZERS[self.settings["optimizer"]]
        return train_population(
            self.classes,
            eta_y=self.settings["eta_y"],
            eta_z=self.settings["eta_z"],
            steps=self.settings["steps"],
            optimizer=name,
            momentum=momentum,
        )

    def __repr__(self) -> str:
        s = self.settings
        return (
            f"ScanSnapLab(K={s['K']}, {s['common']} common and {s['distinct']} distinct tokens, "
            f"{s['optimizer']}, η_Y={s['eta_y']:g}, η_Z={s['eta_z']:g})"
        )


def _checked(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings if the lab can show them, or say which one it cannot."""
    unknown, missing = settings.keys() - _SMALL.keys(), _SMALL.keys() - settings.keys()
    if unknown or missing:
        what = "unknown" if unknown else "missing"
        raise OptionError(f"{what} setting {min(unknown or missing)!r}: {', '.join(_SMALL)}")
    one_of(settings["optimizer"], "optimizer", OPTIMIZERS)
    one_of(whole(settings["steps"], "steps"), "steps", STEPS)
    for name, (low, high) in WHOLE.items():
        settings[name] = whole(settings[name], name, least=low, most=high)
    for name, (least, most) in REAL.items():
        if settings[name] is not None or name != "shared":
            value = settings[name]
            real = number(value, name, least=least, most=most)
            settings[name] = int(value) if is_integer(value) else real  # the page writes 1, not 1.0
    if settings["queries"] > settings["K"]:
        raise OptionError(f"queries={settings['queries']}: from 1 to K={settings['K']}")
    if settings["lowest"] > settings["highest"]:
        raise OptionError("lowest: at most highest, the weights of distinct tokens ascend")
    return settings | {"steps": int(settings["steps"])}
