"""The reference of the public names: each with its docstring, a namespace with its essay."""

import inspect
from importlib import import_module

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .gallery import parsed


class Api(SphinxDirective):
    """The names that are listed, one a line."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """autodoc's description of each."""
        lines = []
        for name in " ".join(self.content).split():
            room, _, word = f"dalembert.{name}".rpartition(".")
            found = getattr(import_module(room), word)
            if inspect.ismodule(found):
                lines += [f".. automodule:: {room}.{word}", ""]
            elif inspect.isclass(found):
                lines += [f".. autoclass:: {room}.{word}", "   :members:", ""]
            else:
                lines += [f".. autofunction:: {room}.{word}", ""]
        return parsed(self, "\n".join(lines))


def setup(app) -> dict:
    """Register the directive ``api``."""
    app.add_directive("api", Api)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
