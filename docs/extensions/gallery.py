"""A page for each system of the gallery, from its file: what it says, the system live and typeset, facts."""

import inspect
import re
from html import escape
from textwrap import dedent
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from . import live
from .bibliography import linked
from .docstrings import converted
from .downloads import links, notebook, script, write

_LOG = logging.getLogger(__name__)
SHOWN = 4  # columns over time
MODES = 12  # changes of contacts


class Gallery(SphinxDirective):
    """The system whose name is given."""

    required_arguments = 1
    option_spec: ClassVar = {"principles": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Everything but the title."""
        try:
            return self._page()
        except Exception as error:
            _LOG.warning("%s: %s: %s", self.arguments[0], type(error).__name__, error, location=self.get_location())
            return []

    def _page(self) -> list[nodes.Node]:
        from dalembert.apps import gallery

        name = self.arguments[0]
        module, wanted = gallery.module(name), self.options.get("principles", "nonholonomic vakonomic").split()
        listing = _listing(name, module, wanted)
        shown = [nodes.rubric("", "Take hold of it"), live.frame(self.env.app, self.env.docname, name)]
        found = [*self._text(_about(module)), *shown, *_given(module), *self._code(listing), *_motion(listing)]
        found += [*self._rst(_starts(module)), *self._rst(_facts(module)), *self._variants(module)]
        return [*found, _downloads(self.env.app, name, listing), self._source(module)]

    def _rst(self, text: str) -> list[nodes.Node]:
        return parsed(self, text)

    def _text(self, docstring: str) -> list[nodes.Node]:
        return self._rst("\n".join(converted(docstring.splitlines())))

    def _code(self, listing: str) -> list[nodes.Node]:
        return [nodes.rubric("", "Run it"), nodes.literal_block(listing, listing, language="python")]

    def _variants(self, module) -> list[nodes.Node]:
        found = getattr(module, "VARIANTS", {})
        rows = []
        for name, variant in found.items():
            options = ", ".join(f"{k}={v!r}" for k, v in variant.options.items())
            rows.append(f"- {name}: ``system({options})``")
        return self._rst("\n".join(["**Other systems of the file**", "", *rows])) if rows else []

    def _source(self, module) -> nodes.Node:
        code = inspect.getsource(module)
        name = module.__name__.rpartition(".")[2]
        from sphinx.highlighting import PygmentsBridge

        shown = PygmentsBridge("html", self.config.pygments_style).highlight_block(code, "python")
        return nodes.raw(
            "", f'<details class="source"><summary>systems/{name}.py</summary>{shown}</details>', format="html"
        )


def parsed(directive: SphinxDirective, text: str) -> list[nodes.Node]:
    """reStructuredText as nodes."""
    holder = nodes.Element()
    lines = ["````{eval-rst}", *text.splitlines(), "````"]
    directive.state.nested_parse(StringList(lines, source=directive.env.docname), 0, holder)
    return holder.children


def _about(module) -> str:
    return inspect.cleandoc(module.__doc__)


def _given(module) -> list[nodes.Node]:
    from dalembert.show.html.markup import FRAGMENT
    from dalembert.show.html.system import fragment

    style = nodes.raw("", f"<style>{FRAGMENT}</style>", format="html")
    return [style, nodes.rubric("", "The system"), _html(fragment(module.system()))]


def _listing(name: str, module, principles: list[str]) -> str:
    """A script that runs the system."""
    from dalembert.apps import gallery
    from dalembert.spelling import typed

    study, label = gallery.study(name), next(iter(module.STARTS))
    system, run = study.system, study.runs[0]
    text = dedent(f"""\
        import dalembert as da
        from dalembert.systems import {name}

        system = {name}.system()
        start = {name}.STARTS["{label}"]
        equations = {typed(principles[0] if system.constraints else "free")}(system)
        path = da.simulate(equations, equations.start(**start), until={run.until:g})
        print(path)
        """)
    if len(principles) == 1 or not study.compares:
        return text
    lam = ", ".join(f'"{c.multiplier.name}": 0' for c in system.constraints)
    asked = ", ".join(f'"{p}"' for p in principles)
    return text + dedent(f"""
        start = {{**start, {lam}}}
        both = da.compare(system, [{asked}], start=start, until={study.compares[0].until:g})
        print(both)
        """)


def _motion(listing: str) -> list[nodes.Node]:
    """What the script prints, and figures of the motion."""
    import contextlib
    import io

    from dalembert.show.html import comparison, path

    names: dict = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(listing, "listing", "exec"), names)
    both = names.get("both")
    failed = [run.audit for run in (names["path"], *getattr(both, "paths", ())) if not run.ok]
    if failed:
        raise ValueError(f"the run is not ok: {failed[0]}")
    text = printed.getvalue().rstrip()
    shown = [_html(path.figures(names["path"], {}, SHOWN))]
    if both is not None:
        shown += [nodes.rubric("", "Both principles from one start"), _html(comparison.figures(both, {}, SHOWN - 2))]
    return [nodes.literal_block(text, text, language="none", classes=["output"]), *shown]


def _html(fragment: str) -> nodes.Node:
    return nodes.raw("", f'<div class="dalembert">{fragment}</div>', format="html")


def _starts(module) -> str:
    rows = [f"- {label}: {_values(start)}" for label, start in module.STARTS.items()]
    return "\n".join(["**Starts**", "", *rows])


def _values(start) -> str:
    return ", ".join(f"``{k} = {_number(v)}``" for k, v in start.items())


def _number(value) -> str:
    return f"{value:.6g}" if isinstance(value, int | float) else re.sub(r"\s+", " ", str(value))


def _facts(module) -> str:
    """What the tests check of this system."""
    facts = module.FACTS
    rows = [f"- constraints: {', '.join(f'{k} {v}' for k, v in facts.kinds.items())}"] if facts.kinds else []
    if facts.growth:
        reach = "every position can be reached" if facts.generating else "not every position can be reached"
        rows.append(f"- growth vector {facts.growth}: {reach}")
    rows += [f"- constant on every path: {k} = ``{v}``" for k, v in facts.integrals.items()]
    rows += [f"- constant along nonholonomic motions: {k}{_short_of(v)}" for k, v in facts.conserved.items()]
    rows += [f"- constant along vakonomic motions: {k}{_short_of(v)}" for k, v in facts.vakonomic.items()]
    rows += [f"- contacts, {label}: {_modes(said)}" for label, said in facts.modes.items()]
    if facts.agree:
        said = [f"{label}: {'yes' if yes else 'no'}" for label, yes in facts.agree.items()]
        rows.append(
            f"- is the nonholonomic motion vakonomic for some multipliers? {facts.coincide} ({', '.join(said)})"
        )
    if hasattr(module, "EXACT"):
        rows.append(f"- closed solution of the {facts.principle} motion: ``exact(t, start, parameters)``")
    else:
        rows.append(f"- no closed solution is given, which no test checks; what is known: {_code(module.UNSOLVED)}")
    return "\n".join(["**Facts, each checked by a test**", "", *rows])


def _code(text: str) -> str:
    return text.replace("`", "``")


def _modes(said) -> str:
    """What contacts do, each in turn."""
    shown = [f"{contact} {word}" for contact, word in said]
    return ", ".join(shown[:MODES]) + (f", and {len(shown) - MODES} more" if len(shown) > MODES else "")


def _short_of(expression) -> str:
    text = str(expression)
    return f" = ``{text}``" if len(text) <= 100 else ""


def _downloads(app, name: str, listing: str) -> nodes.Node:
    from dalembert.apps import gallery

    files = {f"gallery/{name}.py": script(gallery.about(name), [listing.rstrip()])}
    files[f"gallery/{name}.ipynb"] = notebook([("markdown", f"# {gallery.about(name)}"), ("code", listing)])
    files.update(_system_file(name))
    for file, text in files.items():
        write(app, file, text)
    return links(app.env.docname, list(files))


def _system_file(name: str) -> dict[str, str]:
    from dalembert.apps import gallery
    from dalembert.study import write_source

    return {f"gallery/{name}.toml": write_source(gallery.study(name))}


class Systems(SphinxDirective):
    """Cards of all systems."""

    def run(self) -> list[nodes.Node]:
        """A picture, the name with a link, one line."""
        from dalembert.apps import gallery

        cards = [self._card(name, gallery.about(name)) for name in gallery.names()]
        return [nodes.container("", *cards, classes=["cards"])]

    def _card(self, name: str, about: str) -> nodes.Node:
        from dalembert.apps import gallery

        words = escape(f"{gallery.study(name).system.title}: the bodies on their way")
        picture = f'<img src="../{live.still(self.env.app, name)}" alt="{words}" loading="lazy"/>'
        image = nodes.raw("", f'<a href="{name}.html">{picture}</a>', format="html")
        return nodes.container("", image, *parsed(self, f":doc:`{name} </gallery/{name}>`: {linked(about)}"))


def setup(app) -> dict:
    """Register the directives."""
    app.add_directive("gallery", Gallery)
    app.add_directive("systems", Systems)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
