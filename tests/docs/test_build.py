"""The documentation builds with warnings as errors, loads nothing from elsewhere, and holds together."""

import json
import os
import re
import subprocess
import sys
import time
import zlib
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import dalembert as da
from dalembert.apps import explain, gallery
from dalembert.apps.commands import COMMANDS
from dalembert.study import read

DOCS = Path(__file__).parents[2] / "docs"
# a proxy that nobody answers: whatever asks the network fails
OFFLINE = {name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "all_proxy")}
LOADED = {("link", "href"), ("use", "href"), ("object", "data"), ("video", "poster")}  # besides src and srcset


@pytest.fixture(scope="module")
def site(tmp_path_factory, worker_id):
    """The built pages; where several processes share the tests, one builds and the others wait."""
    own = tmp_path_factory.getbasetemp()
    out = (own if worker_id == "master" else own.parent) / "docs"
    try:
        out.mkdir()
    except FileExistsError:
        return _waited(out)
    said = "stopped"
    try:
        said = _build(out)
    finally:
        (out / "said.part").write_text(said, encoding="utf-8")
        (out / "said.part").replace(out / "said")
    return _waited(out)


def _waited(out):
    while not (out / "said").exists():
        time.sleep(0.2)
    said = (out / "said").read_text(encoding="utf-8")
    assert not said, said
    return out / "html"


def _build(out):
    """Build the documentation; what went wrong."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-E", "-q", "-j", "2", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", str(out / "trees"), str(DOCS), str(out / "html")],
        capture_output=True, text=True, check=False, env={**os.environ, **OFFLINE},
    )  # fmt: skip
    return "" if done.returncode == 0 else done.stderr[-6000:] or "no reason was given"


class Tags(HTMLParser):
    """All tags of a page with their attributes, all anchors, all styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.styles, self.inside = [], [], ""
        self.feed(text)
        self.anchors = {a["id"] for _, a in self.tags if a.get("id")} | {
            a["name"] for _, a in self.tags if a.get("name")
        }

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, {k: v or "" for k, v in attrs}))
        self.inside = tag

    def handle_data(self, data):
        if self.inside == "style":
            self.styles.append(data)


@cache
def parsed(page):
    return Tags(page.read_text(encoding="utf-8"))


def pages(site):
    return sorted(site.rglob("*.html"))


def elsewhere(address):
    return re.match(r"\s*(?:[a-z][a-z0-9+.-]*:|//)", address, re.I) and not address.strip().startswith("data:")


def test_nothing_is_loaded_from_elsewhere(site):
    assert len(pages(site)) > 50
    for page in pages(site):
        found = parsed(page)
        for tag, attributes in found.tags:
            for name, value in attributes.items():
                if name in ("src", "srcset") or (tag, name) in LOADED:
                    assert not elsewhere(value), f"{page.name}: <{tag} {name}={value}>"
        texts = [*found.styles, *(a["style"] for _, a in found.tags if "style" in a)]
        assert not re.search(r"@import|url\(\s*['\"]?(?!data:|#)[a-z]*:?//", " ".join(texts), re.I)
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?\s*(https?:)?//", sheet.read_text(encoding="utf-8")), sheet.name


def test_links_lead_somewhere(site):
    for page in pages(site):
        for tag, attributes in parsed(page).tags:
            for address in (attributes.get("href"), attributes.get("src")):
                if not address or address.startswith("data:"):
                    continue
                assert not elsewhere(address), f"{page.name}: {address}"
                file, anchor = urldefrag(re.sub(r"\?[^#]*", "", address))
                target = (page.parent / unquote(file)).resolve() if file else page
                assert target.is_file(), f"{page.relative_to(site)}: {address}"
                if anchor and target.suffix == ".html" and tag == "a":
                    assert unquote(anchor) in parsed(target).anchors, f"{page.relative_to(site)}: {address}"


def test_formulas_are_mathml(site):
    text = (site / "explanation" / "conventions.html").read_text(encoding="utf-8")
    assert text.count("<math ") > 10
    assert "<mfrac>" in text
    for page in pages(site):
        assert "mathjax" not in page.read_text(encoding="utf-8").lower()


def test_pictures_have_words(site):
    for page in pages(site):
        for tag, attributes in parsed(page).tags:
            assert tag != "img" or len(attributes.get("alt", "")) > 20, page.name
            assert tag != "svg" or attributes.get("role") != "img" or attributes.get("aria-label"), page.name


def test_every_code_has_an_anchor(site):
    anchors = {a.upper() for a in parsed(site / "errors.html").anchors}
    assert {entry.code for entry in explain.entries()} <= anchors


def test_every_public_name_is_in_the_reference(site):
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    names = {line.split(" ")[0] for line in zlib.decompress(inventory).decode().splitlines()}
    assert {place.replace("da.", "dalembert.", 1) for place in da._places().values()} <= names


def test_every_command_is_in_the_reference(site):
    assert {f"dalembert-{name}" for name in COMMANDS} <= parsed(site / "reference" / "commands.html").anchors


@pytest.mark.parametrize("name", gallery.names())
def test_a_gallery_page_gives_its_system(site, name):
    page = (site / "gallery" / f"{name}.html").read_text(encoding="utf-8")
    assert page.count("<svg viewBox") > 2
    assert "<math" in page
    given = site / "_files" / "gallery"
    compile((given / f"{name}.py").read_text(encoding="utf-8"), name, "exec")
    assert json.loads((given / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    system = read(given / f"{name}.toml").system
    assert [c.name for c in system.constraints] == [c.name for c in gallery.module(name).system().constraints]


@pytest.mark.parametrize("name", gallery.names())
def test_a_system_of_the_gallery_is_seen_and_can_be_taken_hold_of(site, name):
    tags = parsed(site / "gallery" / f"{name}.html").tags
    frames = [a for tag, a in tags if tag == "iframe"]
    if gallery.study(name).system.contacts:
        assert not frames and any(a.get("src") == f"../_live/{name}.gif" for tag, a in tags if tag == "img")
    else:
        assert [a["src"] for a in frames] == [f"../_live/{name}.html"] and frames[0]["title"]
        assert "window.dalembert" in (site / "_live" / f"{name}.html").read_text(encoding="utf-8")
    seen = [a["src"] for tag, a in parsed(site / "gallery" / "index.html").tags if tag == "img"]
    assert f"../_stills/{name}.png" in seen and (site / "_stills" / f"{name}.png").stat().st_size > 3000


def test_downloads_are_scripts_and_notebooks(site):
    for file in (site / "_files").rglob("*.py"):
        compile(file.read_text(encoding="utf-8"), file.name, "exec")
    for file in (site / "_files").rglob("*.ipynb"):
        assert json.loads(file.read_text(encoding="utf-8"))["nbformat"] == 4


@pytest.mark.parametrize("page", ["tutorial/skate", "howto/rank"])
def test_notebooks_were_executed(site, page):
    notebook = json.loads((site / "_files" / f"{page}.ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    kinds = {out["output_type"] for cell in code for out in cell["outputs"]}
    assert "stream" in kinds and kinds & {"display_data", "execute_result"}
    for cell in code:
        asked = any(line.startswith("print(") for line in cell["source"])
        assert not asked or any(out["output_type"] == "stream" for out in cell["outputs"])


def test_search_needs_no_server(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert "vakonom" in index
    assert "turntabl" in index
