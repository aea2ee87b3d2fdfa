"""What to cite: each entry is in the bibliography, has a reason, and is what the code rests on."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import sympy as sp

import dalembert as da
import pages
from dalembert.apps import gallery
from dalembert.apps.citations import (
    CHETAEV,
    FILE,
    GROUPS,
    PACKAGES,
    RECONSTRUCTED,
    STABILISED,
    Citations,
    cite,
    plain,
    references,
)
from dalembert.numerics.methods import METHODS
from dalembert.numerics.methods.geometric.fixed_step_methods import REASONS as COMPOSITIONS
from dalembert.principles.principle_table import PRINCIPLES
from dalembert.systems import appell_hamel, ball_on_turntable, penny
from zoo import GALLERY

SOURCE = Path(da.__file__).parent
START = {"x": 0.4, "y": -0.2, "phi": 0.3, "psi": 0.0, "vphi": 0.9, "vpsi": 2.0}


def whys(citations):
    return {(e.group, e.key): e.why for e in citations}


# --- the bibliography ------------------------------------------------------------------------------------------------


def test_every_entry_is_read():
    text = FILE.read_text(encoding="utf-8")
    assert list(references()) == re.findall(r"^@[a-z]+\{([^,]+),", text, flags=re.MULTILINE)
    assert " ".join(r.bibtex for r in references().values()).split() == text[text.index("@") :].split()
    for reference in references().values():
        assert reference.authors
        assert reference.year in reference.key
        assert not re.search(r"[{}\\$]", reference.line), reference.line


@pytest.mark.parametrize(
    ("tex", "letters"),
    [
        (r"{\"U}ber das {Pfaffsche} {Problem}", "Über das Pfaffsche Problem"),
        (r"{Euler-Poincar\'e}", "Euler-Poincaré"),
        (r"N{\o}rsett", "Nørsett"),
        (r"Ho\v{r}ava and \c{c}", "Hořava and ç"),
        (r"\"{o}\'{e}", "öé"),
        (r"Matematicheski{\u\i}", "Matematicheskiĭ"),
        (r"a \& b, 1--2", "a & b, 1\u20132"),
    ],
)
def test_tex_becomes_letters(tex, letters):
    assert plain(tex) == letters


def test_authors_are_named_as_people_name_them():
    assert references()["lewis1995"].authors == "Lewis and Murray"
    assert references()["xu2007"].authors == "Xu, Li and Berakdar"
    assert references()["bloch1996"].authors == "Bloch et al."


# --- the reasons -----------------------------------------------------------------------------------------------------


def test_every_key_is_in_the_bibliography():
    tables = [row.sources for row in (*PRINCIPLES.values(), *METHODS.values())]
    keys = {key for table in tables for key, _ in table} | {CHETAEV[0], RECONSTRUCTED[0]}
    keys |= {key for key, _ in (*COMPOSITIONS.values(), *STABILISED.values(), *PACKAGES.values())}
    assert keys <= set(references())


def test_every_principle_and_every_method_has_its_reasons():
    assert all(row.sources for name, row in PRINCIPLES.items() if name != "free")
    assert all(method.sources for method in METHODS.values())


def cited_in(*files):
    """Keys in brackets in the files' text."""
    text = "".join(Path(SOURCE / f).read_text(encoding="utf-8") for f in files)
    return set(re.findall(r"\b([a-z]+[0-9]{4}[a-z]?)\b", " ".join(re.findall(r"\[([^\[\]]*[0-9]{4}[^\[\]]*)\]", text))))


@pytest.mark.parametrize(
    ("method", "files"),
    [
        ("dop853", ["numerics/methods/explicit_runge_kutta/stepper.py"]),
        ("taylor", ["numerics/methods/taylor/stepper.py", "numerics/methods/taylor/recurrence.py"]),
        ("radau", ["numerics/methods/radau/tableau.py"]),
        ("dla", ["numerics/methods/geometric/lagrange_dalembert.py"]),
        ("discrete_gradient", ["numerics/methods/geometric/discrete_gradient.py"]),
        ("symmetric_projection", ["numerics/methods/geometric/symmetric_projection.py"]),
    ],
)
def test_the_sources_of_an_integrator_are_those_cited_in_its_code(method, files):
    assert {key for key, _ in METHODS[method].sources} <= cited_in(*files)


@pytest.mark.parametrize("name", [n for n in PRINCIPLES if n not in ("free", "kane")])
def test_the_sources_of_a_principle_are_those_cited_in_its_code(name):
    assert {key for key, _ in PRINCIPLES[name].sources} <= cited_in(f"principles/{name}.py")


# --- nouns -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", gallery.names())
def test_every_system_of_the_gallery_cites_its_source(name):
    module = import_module(f"dalembert.systems.{name}")
    found = cite(name)
    assert ("model", module.SOURCE) in whys(found)
    assert "the system" in whys(found)["model", module.SOURCE]
    assert whys(cite(module)) == whys(found)
    assert module.SOURCE in module.system().cite


def test_the_library_alone_cites_itself():
    found = cite()
    assert found.keys == ("dalembert",)
    assert f"version = {{{da.__version__}}}" in found.bibtex()
    citation = (SOURCE.parents[1] / "CITATION.cff").read_text(encoding="utf-8")
    title = re.search(r'^title: "(.*)"$', citation, flags=re.MULTILINE).group(1)
    assert title in found.bibtex()


def test_equations_cite_system_principle_and_form():
    system = penny.system()
    assert {"bloch1996", "lewis1995"} <= set(cite(da.nonholonomic(system)).keys)
    assert "kozlov1983" not in cite(da.nonholonomic(system)).keys
    assert "kozlov1983" in cite(da.vakonomic(system)).keys
    assert "udwadia1992" in cite(da.forms.gauss(system)).keys
    assert not {"lewis1995", "kozlov1983"} & set(cite(da.free(penny.system())).keys)


def test_chetaev_is_cited_where_a_constraint_is_nonlinear():
    q = da.coordinates("x y")
    L = (q["vx"] ** 2 + q["vy"] ** 2) / 2
    curved = da.System(q, L, {"speed": q["vx"] ** 2 + q["vy"] ** 2 - 1})
    straight = da.System(q, L, {"skate": q["vx"] - q["vy"] * q["x"]})
    assert "chetaev1932" in cite(da.nonholonomic(curved)).keys
    assert "chetaev1932" not in cite(da.nonholonomic(straight)).keys
    path = da.simulate(da.nonholonomic(curved), {"x": 0, "y": 0, "vx": 0.6, "vy": 0.8}, until=0.5)
    assert "chetaev1932" in cite(path).keys


@pytest.mark.parametrize(
    ("options", "wanted", "others"),
    [
        ({}, {"hairer1993", "hairer2006"}, {"jorba2005", "hairer1996"}),
        ({"method": "taylor"}, {"jorba2005", "griewank2008"}, {"hairer1993"}),
        ({"method": "radau"}, {"hairer1996"}, {"hairer1993"}),
        ({"method": "dla", "step": 0.01, "order": 4}, {"cortes2001", "mclachlan2006", "suzuki1990"}, {"kahan1997"}),
        ({"stabilisation": da.methods.Baumgarte(2.0)}, {"baumgarte1972"}, {"hairer2006"}),
        ({"stabilisation": da.methods.Drift()}, {"hairer1993"}, {"baumgarte1972", "hairer2006"}),
    ],
)
def test_a_run_cites_what_it_was_run_with(options, wanted, others, tmp_path):
    path = da.simulate(da.nonholonomic(penny.system()), START, until=0.1, **options)
    found = cite(path)
    assert wanted | {"bloch1996", "lewis1995", "harris2020"} <= set(found.keys)
    assert not others & set(found.keys)
    path.save(tmp_path / "path.npz")
    assert whys(cite(da.load(tmp_path / "path.npz"))) == whys(found)


def test_a_comparison_cites_every_principle_and_a_reduction_its_theory():
    system = penny.system()
    start = {**START, "lam_along": 0, "lam_across": 0}
    found = cite(da.compare(system, ["nonholonomic", "vakonomic"], start=start, until=0.2))
    assert {"bloch1996", "lewis1995", "kozlov1983", "hairer1993"} <= set(found.keys)
    lewis = whys(found)["model", "lewis1995"]
    assert len(lewis) == 2
    reduced = cite(GALLERY.reduction("rolling_disc"))
    assert {"cushman1995", "koiller1992"} <= set(reduced.keys)


def test_values_cite_their_sources():
    q = da.coordinates("x")
    m, k, c = sp.symbols("m k c", positive=True)
    L = m / 2 * q["vx"] ** 2 - k / 2 * q["x"] ** 2 - c * q["x"] ** 4
    sources = {"m": "[lewis1995 Table 1]", "k": "weighed by hand", "c": "kane1982"}
    system = da.System(
        q, L, parameters={"m": 1.0, "k": 2.0, "c": 1.0}, sources=sources, cite=["goldstein2002", "my notes, 2024"]
    )
    found = cite(system)
    assert whys(found)["data", "lewis1995"] == ("the value of m (Table 1)",)
    assert whys(found)["data", "kane1982"] == ("the value of c",)
    assert [e.text for e in found if not e.key] == ["my notes, 2024", "weighed by hand"]
    assert "% my notes, 2024" in found.bibtex()
    path = da.simulate(da.free(system), {"x": 0, "vx": 1}, until=0.1)
    assert whys(cite(path)).items() >= {("data", "kane1982"): ("the value of c",)}.items()


def test_a_list_is_cited_together_each_source_once():
    found = cite([penny.system(), da.nonholonomic(penny.system()), "appell_hamel"])
    assert len(found.keys) == len(set(found.keys))
    assert {"bloch1996", "xu2007", "lewis1995"} <= set(found.keys)
    assert found.bibtex().count("@article{bloch1996,") == 1


def test_a_study_cites_what_its_entries_use():
    found = cite(gallery.study("penny"))
    assert {"bloch1996", "lewis1995", "kozlov1983", "hairer1993"} <= set(found.keys)


@pytest.mark.parametrize("thing", [3, {"x": 1}, object(), import_module("math")])
def test_what_has_no_sources_is_refused(thing):
    with pytest.raises(da.DalembertError, match="E307"):
        cite(thing)


def test_a_system_that_is_not_there_is_refused_with_a_hint():
    with pytest.raises(da.DalembertError, match=r"E308.*\n.*penny"):
        cite("peny")


# --- as text ---------------------------------------------------------------------------------------------------------


@cache
def long_list():
    system = ball_on_turntable.system()
    every = [
        principle(system)
        for principle in (da.nonholonomic, da.vakonomic, da.forms.gauss, da.forms.maggi, da.forms.hamel)
    ]
    return cite([*every, *(gallery.names()), appell_hamel])


def test_a_summary_fits_a_page():
    for found in (cite(), cite("penny"), cite(da.vakonomic(penny.system())), long_list()):
        lines = str(found).splitlines()
        assert len(lines) <= 25
        assert max(map(len, lines)) <= 80
    assert "more" in str(long_list()).splitlines()[-1]
    assert str(cite("penny")).splitlines()[0] in GROUPS


def test_every_entry_has_a_reason():
    for found in (cite("penny"), long_list()):
        assert isinstance(found, Citations)
        assert all(entry.why and all(entry.why) and entry.group in GROUPS for entry in found)


def test_the_bibtex_can_be_read_again():
    found = long_list()
    keys = re.findall(r"^@[a-z]+\{([^,]+),", found.bibtex(), flags=re.MULTILINE)
    assert tuple(keys) == found.keys
    assert found.bibtex().count("{") == found.bibtex().count("}")


def test_citations_are_shown_in_a_notebook():
    q = da.coordinates("x")
    system = da.System(q, q["vx"] ** 2 / 2, cite=["</script><img src=x onerror=alert(1)>"])
    made = cite([system, "penny"])._repr_html_()
    assert not pages.harmless(made)
    assert "</script><img src=x" in pages.Page(made).words
    assert "@article{bloch1996," in pages.Page(made).words


# --- what was found --------------------------------------------------------------------------------------------------


def test_a_fit_cites_its_data_its_model_and_its_criteria():
    q = da.coordinates("x")
    system = da.System(q, q["vx"] ** 2 / 2, cite="lewis1995")
    track = da.nouns.Record({"t": [0, 1, 2], "x": [0, 1, 2.1]}, source="my garden", uncertainty={"x": 0.1})
    citations = da.cite(da.fit(da.free(system), track, start={"x": 0, "vx": 1}, free="vx"))
    found = whys(citations)
    assert "my garden" in str(citations)
    assert {key for _, key in found} >= {"lewis1995", "akaike1974", "schwarz1978", "branch1999"}


def test_extremals_cite_the_route_that_checks_them():
    q = da.coordinates("x")
    curves = da.two_point(da.free(da.System(q, q["vx"] ** 2 / 2)), {"x": 0}, {"x": 1}, duration=1, starts=3)
    assert "kierzenka2001" in {key for _, key in whys(da.cite(curves))}
