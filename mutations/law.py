"""Laws: what they say, the line that holds them, and the line that breaks them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "dalembert"
PAPERS = ROOT / "src" / "dalembert_papers"


@dataclass(frozen=True)
class Law:
    """One law.

    Attributes:
        name: short, unique.
        law: what it says, in words or as a formula.
        file: where it is held, below ``src/dalembert``.
        here: a piece of the file that stands in it once.
        broken: the piece that would stand there.
        tests: files or folders of tests that are to notice, below ``tests``.
    """

    name: str
    law: str
    file: str
    here: str
    broken: str
    tests: tuple[str, ...]

    @property
    def room(self) -> str:
        """The room or hall file it belongs to."""
        return Path(self.file).parts[0].removesuffix(".py")

    def text(self, source: Path = SOURCE) -> str:
        """The whole broken file.

        Raises:
            ValueError: the piece does not stand there once: the library has moved on.
        """
        text = (source / self.file).read_text(encoding="utf-8")
        if text.count(self.here) != 1:
            raise ValueError(f"{self.name}: {self.file} has {text.count(self.here)} times: {self.here}")
        return text.replace(self.here, self.broken)

    @property
    def line(self) -> int:
        """The first line that is broken."""
        text = (SOURCE / self.file).read_text(encoding="utf-8")
        return text[: text.index(self.here)].count("\n") + 1


def laws(folder: Path = Path(__file__).parent / "laws") -> list[Law]:
    """All laws of the files of a folder, in order."""
    found: list[Law] = []
    for file in sorted(folder.glob("*.toml")):
        for row in tomllib.loads(file.read_text(encoding="utf-8"))["law"]:
            found.append(Law(**{**row, "tests": tuple(row["tests"])}))
    return found
