"""A live page inside a cell of a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

HEIGHT = 46  # em: the bodies, the transport and one row of figures
MAY = "allow-scripts allow-downloads allow-popups"  # in its frame: it does not reach what is the notebook's


@dataclass(frozen=True)
class Cell:
    """A page that a notebook shows in a frame of its own, without a file and without the network.

    Attributes:
        title: what the page is of.
        page: the whole of it, as ``da.explore(system, "page.html")`` writes it.
    """

    title: str
    page: str

    def __str__(self) -> str:
        return f'a page of {self.title or "a system"}: a notebook shows it, da.explore(system, "page.html") writes it'

    __repr__ = __str__

    def _repr_html_(self) -> str:
        frame = f'sandbox="{MAY}" style="width: 100%; height: {HEIGHT}em; border: 0" title="{escape(self.title)}"'
        return f'<iframe srcdoc="{escape(self.page)}" {frame}></iframe>'
