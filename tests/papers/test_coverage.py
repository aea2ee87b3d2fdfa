"""Places of claims are read as readers write them, and what covers a numbered thing is told."""

from functools import cached_property
from inspect import unwrap

import pytest

from dalembert.experiment.penalty_limit import limit
from dalembert.numerics.run.simulate import simulate
from dalembert.numerics.two_point import two_point
from dalembert.reconstruction.holonomy import holonomy
from dalembert_papers import uses
from dalembert_papers.coverage import covered, numbered, page
from dalembert_papers.places import places
from dalembert_papers.shelf import papers
from dalembert_papers.uses import public_functions


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("(3.1a) to (3.1c)", ["(3.1a)", "(3.1b)", "(3.1c)"]),
        ("(26) to (29)", ["(26)", "(27)", "(28)", "(29)"]),
        ("(1.231), (1.240)", ["(1.231)", "(1.240)"]),
        ("Prop. 2.8 (iv)", ["Proposition 2.8"]),
        ("Definitions 2.2 and 2.5", ["Definition 2.2", "Definition 2.5"]),
        ("Theorem 1.3, (17)", ["Theorem 1.3", "(17)"]),
        ("section 6, angles", ["section 6"]),
        ("App. C, proof of C.2", ["C.2"]),
        ("before (33)", []),
        ("after (36)", []),
    ],
)
def test_places(where, names):
    assert list(places(where)) == names


@pytest.mark.parametrize("paper", papers())
def test_a_paper_numbers_each_thing_once(paper):
    names = [name for name, _ in numbered(paper)]
    assert names
    assert len(set(names)) == len(names)


def test_a_claim_counts_for_its_place_its_parts_and_what_holds_it():
    simulated, stated = ("da.System", "da.simulate"), ("da.System",)
    found = [
        ("(3.9)", simulated),
        ("(3.9b), proof", stated),
        ("(3.1)", stated),
        ("Prop. 2.8 (iv)", stated),
        ("C.2", stated),
    ]
    items = {item.name: item for item in covered("lewis-murray", found)}
    assert (items["(3.9a)"].claims, items["(3.9a)"].functions) == (1, ("da.simulate",))
    assert items["(3.9b)"].claims == 2
    assert (items["(3.1a)"].claims, items["(3.1a)"].status) == (1, "special")
    assert items["(3.10a)"].status == items["Proposition B.1"].status == "missing"
    assert items["Proposition 2.8"].status == items["Proposition C.2"].status == "special"
    disc = {item.name: item for item in covered("rolling-disc", [("Theorem 1.3, (17)", simulated), ("(2.1)", stated)])}
    assert (disc["Theorem 1"].claims, disc["(17)"].claims, disc["(2)"].claims) == (1, 1, 0)


def test_the_page_counts_what_is_general_special_and_missing():
    items = covered("sicm", [("(1.231)", ("da.nonholonomic",)), ("(1.239)", ())])
    told = page([("sicm", items, "Of 2 claims 1 was.")])
    assert "8 in all: 1 general, 1 special, 6 missing. Of 2 claims 1 was." in told
    assert "| (1.231) | the motion with a multiplier | 1 | `da.nonholonomic` |" in told
    assert "| (1.239) | L with a multiplier | 1 | *special* |" in told


class Momenta:
    """What has an attribute of the name of something of this file."""

    holonomy = 0

    @cached_property
    def found(self):
        return simulate


def test_what_a_group_calls_is_told_by_the_name_that_a_script_writes():
    def called():
        return two_point, limit

    # handed on by a folder, and by a file that asks for names
    assert public_functions(called) == ("da.limit", "da.two_point")


def test_an_attribute_is_not_taken_for_what_the_file_calls_so():
    def called():
        return Momenta().holonomy

    assert holonomy is not None
    assert public_functions(called) == ()


def test_what_a_property_of_a_class_calls_is_found():
    assert [unwrap(f) for f in uses._functions(Momenta) if callable(f)][-1] is Momenta.found.func
    assert public_functions(Momenta.found.func) == ("da.simulate",)
