"""Listings that are run when the documentation is built, so that none can be wrong.

    ```{run}             Python; what it prints and the value of the last line stand below it
    ```{shell}           lines that begin with ``dalembert``; what they answer stands below
    ```{file} ball.toml  a file in the page's folder, for the listings after it
    ```{picture} a.svg   a picture that a listing wrote there

All listings of a page share their names and one empty folder. What fails is a warning, and with ``-W`` an error. A
page is run again when it or the library was changed.
"""

import ast
import contextlib
import hashlib
import io
import os
import shlex
import sys
import tempfile
import traceback
import warnings
from html import escape
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

_LOG = logging.getLogger(__name__)
_PAGE = "dalembert-page"


class Page:
    """The names and the folder of one page."""

    def __init__(self, name: str) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="dalembert-docs-", ignore_cleanup_errors=True)
        self.names: dict = {"__name__": "__main__"}
        self.name, self.pictures = name, []
        self.answers: dict[str, list[dict]] = {}  # of each listing, as a notebook holds them

    @contextlib.contextmanager
    def inside(self):
        """Work in the folder."""
        before = Path.cwd()
        os.chdir(self.folder.name)
        try:
            yield
        finally:
            os.chdir(before)

    def run(self, code: str, doubts: str = "error") -> tuple[str, object]:
        """Run Python; return what it printed and the value of its last line.

        Args:
            code: the listing.
            doubts: what becomes of warnings: ``"error"``, or ``"always"`` to print them.
        """
        tree = ast.parse(code)
        last = tree.body.pop().value if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed, value = io.StringIO(), None
        with self.inside(), contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter(doubts)
            warnings.showwarning = lambda message, *_, **__: print(message)
            exec(compile(tree, self.name, "exec"), self.names)
            if last is not None:
                value = eval(compile(ast.Expression(last), self.name, "eval"), self.names)
        return printed.getvalue(), value

    def command(self, line: str) -> tuple[int, str]:
        """Give one command; return its exit code and what it answered."""
        from click.testing import CliRunner

        from dalembert.apps.cli import main

        program, *arguments = shlex.split(line)
        if program != "dalembert":
            raise ValueError(f"only commands of dalembert are run here, not {line}")
        # the child process for foreign files is left out: the listing is ours, and starting Python takes time
        environment = {"DALEMBERT_CONFINED": str(Path(self.folder.name) / ".phase"), "COLUMNS": "80"}
        with self.inside():
            done = CliRunner().invoke(main, arguments, env=environment, prog_name="dalembert")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, done.output


def page(env) -> Page:
    """The page that is being read."""
    if _PAGE not in env.temp_data:
        env.temp_data[_PAGE] = Page(env.docname)
    return env.temp_data[_PAGE]


def close(app, doctree) -> None:
    """Remove the page's folder."""
    found = app.env.temp_data.pop(_PAGE, None)
    if found is not None:
        found.folder.cleanup()


def _open() -> list[int]:
    """Numbers of pyplot's figures."""
    return sys.modules["matplotlib.pyplot"].get_fignums() if "matplotlib.pyplot" in sys.modules else []


class _Listing(SphinxDirective):
    has_content = True

    def _failed(self, error: Exception) -> list[nodes.Node]:
        line = traceback.extract_tb(error.__traceback__)[-1].lineno
        _LOG.warning(
            "this listing fails (line %s): %s: %s", line, type(error).__name__, error, location=self.get_location()
        )
        return []

    def _shown(self, code: str, language: str) -> nodes.literal_block:
        block = nodes.literal_block(code, code, language=language, classes=["listing"])
        self.set_source_info(block)
        return block

    def _printed(self, text: str) -> list[nodes.Node]:
        text, most = text.rstrip(), self.options.get("lines")
        if not text:
            return []
        lines = text.splitlines()
        if most and len(lines) > most:
            text = "\n".join([*lines[:most], "..."])
        return [nodes.literal_block(text, text, language="none", classes=["output"])]


class Run(_Listing):
    """Python that is run."""

    option_spec: ClassVar = {
        "raises": directives.unchanged,
        "warns": directives.flag,
        "quiet": directives.flag,
        "hidden": directives.flag,
        "lines": directives.positive_int,
        "alt": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """The listing, what it printed, its value, its figures."""
        code, this = "\n".join(self.content), page(self.env)
        shown = [] if "hidden" in self.options else [self._shown(code, "python")]
        expected = self.options.get("raises")
        try:
            printed, value = this.run(code, "always" if "warns" in self.options else "error")
        except Exception as error:
            if expected and expected in [kind.__name__ for kind in type(error).__mro__]:
                return [*shown, *self._printed(str(error))]
            return self._failed(error)
        if expected:
            _LOG.warning("this listing should raise %s", expected, location=self.get_location())
        self.env.metadata[self.env.docname].setdefault("listings", []).append(code)
        if "quiet" in self.options:
            this.answers[code.strip("\n")] = answers(printed, value, [])
            return shown
        before = len(this.pictures)
        text, rich = self._value(value, this)
        drawn = self._figures(this)
        this.answers[code.strip("\n")] = answers(printed, value, this.pictures[before:])
        return [*shown, *self._printed("\n".join(filter(None, (printed.rstrip(), text)))), *rich, *drawn]

    def _value(self, value: object, this: Page) -> tuple[str, list[nodes.Node]]:
        """The value of the last line, as text or as what a notebook shows."""
        if value is None:
            return "", []
        if type(value).__module__.startswith("matplotlib"):
            kept = getattr(value, "number", None) in _open()  # pyplot's figures are shown below
            return "", [self._figure(value, this)] if hasattr(value, "savefig") and not kept else []
        html = value._repr_html_() if callable(getattr(value, "_repr_html_", None)) else None
        if html is not None:
            return "", [nodes.raw("", f'<div class="value">{html}</div>', format="html")]
        return repr(value), []

    def _figures(self, this: Page) -> list[nodes.Node]:
        if not _open():
            return []
        from matplotlib import pyplot

        found = [self._figure(pyplot.figure(number), this) for number in _open()]
        pyplot.close("all")
        return found

    def _figure(self, figure, this: Page) -> nodes.Node:
        if not self.options.get("alt"):
            _LOG.warning("a figure needs :alt:", location=self.get_location())
        drawn = io.BytesIO()
        figure.savefig(drawn, format="svg", bbox_inches="tight", metadata={"Date": None})
        return _kept(self.env, this, ".svg", drawn.getvalue(), self.options.get("alt", ""))


def answers(printed: str, value: object, pictures: list[bytes]) -> list[dict]:
    """What a listing answered, as the outputs of a notebook's cell."""
    found: list[dict] = []
    if printed:
        found.append({"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)})
    if value is not None and not pictures:
        html = value._repr_html_() if callable(getattr(value, "_repr_html_", None)) else None
        data = {"text/plain": repr(value)} | ({} if html is None else {"text/html": html})
        found.append({"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data})
    for picture in pictures:
        data = {"text/plain": "a figure", "image/svg+xml": picture.decode("utf-8")}
        found.append({"output_type": "display_data", "metadata": {}, "data": data})
    return found


class Shell(_Listing):
    """Commands that are given."""

    option_spec: ClassVar = {
        "exit": directives.nonnegative_int,
        "quiet": directives.flag,
        "lines": directives.positive_int,
    }

    def run(self) -> list[nodes.Node]:
        """The commands and what they answer."""
        expected, answers = self.options.get("exit", 0), []
        commands = "\n".join(self.content).replace("\\\n", " ").splitlines()
        try:
            for line in commands:
                code, answer = page(self.env).command(line)
                answers.append(answer)
                if code != expected:
                    _LOG.warning("%s: exit code %s\n%s", line, code, answer, location=self.get_location())
        except Exception as error:
            return self._failed(error)
        shown = [self._shown("\n".join(self.content), "sh")]
        return shown if "quiet" in self.options else [*shown, *self._printed("\n".join(answers))]


class File(_Listing):
    """A file, written to the page's folder."""

    required_arguments = 1
    option_spec: ClassVar = {"language": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """The file under its name."""
        name = self.arguments[0]
        text = "\n".join(self.content) + "\n"
        (Path(page(self.env).folder.name) / name).write_text(text, encoding="utf-8")
        language = self.options.get("language", {".toml": "toml", ".py": "python", ".csv": "none"}[Path(name).suffix])
        title = nodes.caption(name, "", nodes.literal(name, name))
        return [
            nodes.container(
                "", title, self._shown(text, language), literal_block=True, classes=["literal-block-wrapper"]
            )
        ]


class Picture(SphinxDirective):
    """A picture that a listing wrote to the page's folder."""

    required_arguments = 1
    option_spec: ClassVar = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """The picture, copied beside the pages."""
        this = page(self.env)
        file = Path(this.folder.name) / self.arguments[0]
        if not file.exists() or "alt" not in self.options:
            _LOG.warning("there is no picture %s, or it has no :alt:", file.name, location=self.get_location())
            return []
        return [_kept(self.env, this, file.suffix, file.read_bytes(), self.options["alt"])]


def _kept(env, this: Page, suffix: str, picture: bytes, alt: str) -> nodes.Node:
    """A picture beside the pages, shown."""
    this.pictures.append(picture)
    name = f"{env.docname.replace('/', '-')}-{len(this.pictures)}{suffix}"
    folder = Path(env.app.outdir) / "_figures"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(picture)
    up = "../" * env.docname.count("/")
    return nodes.raw("", f'<img class="figure" src="{up}_figures/{name}" alt="{escape(alt)}"/>', format="html")


def _library() -> str:
    """A digest of the library: pages are made again when it changes, else only those that were edited."""
    import dalembert

    digest = hashlib.sha256()
    for file in sorted(Path(dalembert.__file__).parent.rglob("*.*")):
        if file.suffix in (".py", ".js", ".css", ".toml", ".lark"):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def setup(app) -> dict:
    """Register the directives."""
    app.add_config_value("dalembert_library", _library(), "env")
    for name, directive in {"run": Run, "shell": Shell, "file": File, "picture": Picture}.items():
        app.add_directive(name, directive)
    app.connect("doctree-read", close)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
