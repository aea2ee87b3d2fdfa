"""Live pages and stills of the systems of the gallery, made when the documentation is built.

```{live} ball_on_turntable     the page of `dalembert explore`, in a frame
"""

from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

_LOG = logging.getLogger(__name__)
PAGES, STILLS = "_live", "_stills"
WIDTH = 480  # pixels of a still
WHEN = 0.35  # of the motion: the moment of a still


def page(app, name: str) -> str:
    """The live page of a system beside the others; its place there."""
    import dalembert as da
    from dalembert.apps import gallery

    file = Path(app.outdir) / PAGES / f"{name}.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    da.explore(gallery.study(name), file)
    return f"{PAGES}/{name}.html"


def frame(app, docname: str, name: str) -> nodes.Node:
    """The page in a frame, and a link to it alone; of a system with contacts, which pages refuse, a film."""
    from dalembert.apps import gallery

    if gallery.study(name).system.contacts:
        return _film(app, docname, name)
    place, title = "../" * docname.count("/") + page(app, name), escape(gallery.study(name).system.title)
    return nodes.raw(
        "",
        f'<iframe class="live" loading="lazy" src="{place}" title="{title}: a page with sliders"></iframe>'
        f'<p class="downloads"><a href="{place}">The same page alone</a></p>',
        format="html",
    )


def _film(app, docname: str, name: str) -> nodes.Node:
    """The first run, beside the pages."""
    import dalembert as da

    path = _run(name)
    file = Path(app.outdir) / PAGES / f"{name}.gif"
    file.parent.mkdir(parents=True, exist_ok=True)
    da.film(path, file, fps=12)
    place, title = "../" * docname.count("/") + f"{PAGES}/{name}.gif", escape(path.system.title)
    said = f"{title}: a film of its first run, up to t = {path.t[-1]:g}"
    return nodes.raw("", f'<img class="film" loading="lazy" src="{place}" alt="{said}"/>', format="html")


def _run(name: str):
    """The first run of a system."""
    import dalembert as da
    from dalembert.apps import gallery

    study = gallery.study(name)
    run, start = study.runs[0], next(iter(gallery.module(name).STARTS.values()))
    equations = (da.nonholonomic if study.system.constraints else da.free)(study.system)
    return da.simulate(equations, equations.start(**start), until=run.until)


def still(app, name: str) -> str:
    """A picture of the bodies on their way; its place beside the pages."""
    from PIL import Image

    import dalembert as da
    from dalembert.apps.film.video_file import STILLS as count

    path = _run(name)
    folder = Path(app.outdir) / STILLS
    folder.mkdir(parents=True, exist_ok=True)
    strip = da.film(path, folder / f"{name}-strip.png")
    with Image.open(strip) as whole:
        across = 3
        wide, high = whole.width // across, whole.height // -(-count // across)
        j = round(WHEN * (count - 1))
        one = whole.crop((j % across * wide, j // across * high, (j % across + 1) * wide, (j // across + 1) * high))
        one.resize((WIDTH, WIDTH * high // wide)).save(folder / f"{name}.png", optimize=True)
    strip.unlink()
    return f"{STILLS}/{name}.png"


class Live(SphinxDirective):
    """The page of the system whose name is given."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The frame."""
        try:
            return [frame(self.env.app, self.env.docname, self.arguments[0])]
        except Exception as error:
            _LOG.warning("%s: %s: %s", self.arguments[0], type(error).__name__, error, location=self.get_location())
            return []


def setup(app) -> dict:
    """Register the directive."""
    app.add_directive("live", Live)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
