"""A table is held to its keys, and all that is wrong in it is told, each at its place."""

import pytest

from dalembert.errors import DalembertError
from dalembert.study import read_source
from dalembert.study.leaves import expression, names
from dalembert.study.schema import FileTable
from dalembert.study.tables import (
    LIST,
    MISSING,
    NO_WORD,
    SWITCH,
    TABLE,
    TOO_MANY,
    UNKNOWN,
    WHOLE,
    Before,
    ByName,
    Many,
    Table,
    Unfit,
    key,
    needed,
    one_of,
    switch,
    tables_of,
    whole,
)


class Inner(Table):
    n: int = needed(whole)
    on: bool = key(switch, False)


class Outer(Table):
    kind: str = key(one_of("a", "b"), "a")
    from_: str | None = key(one_of("c"))
    rows: list[Inner] = key(Before(lambda given: given if isinstance(given, list) else [given], Many(Inner, 2)), [])
    parts: dict[str, Inner] = key(ByName(Inner), {})


class Open(Table):
    L: object = needed(expression)

    def other(self, given):
        return names(given)


def wrong(table, given):
    """Places and kinds of all problems."""
    with pytest.raises(Unfit) as told:
        table(given)
    return [(problem.place, problem.kind) for problem in told.value.problems]


def test_values_stand_under_their_keys():
    found = Outer({"from": "c", "rows": {"n": 3}, "parts": {"p": {"n": 4, "on": True}}})
    assert (found.kind, found.from_, found.rows[0].n, found.rows[0].on) == ("a", "c", 3, False)
    assert (found.parts["p"].n, found.parts["p"].on) == (4, True)
    assert found.given == {"from", "rows", "parts"} and found.rows[0].given == {"n"}
    assert found.others == {} and Open({"L": 1, "V": "x y"}).others == {"V": ("x", "y")}


def test_all_problems_are_told_in_the_order_of_the_keys():
    given = {"strange": 1, "parts": {"p": {"on": 1}, "q": 2}, "rows": [{"n": 1.0}, {"n": True, "m": 2}], "kind": "c"}
    assert wrong(Outer, given) == [
        (("kind",), NO_WORD),
        (("rows", 0, "n"), WHOLE),
        (("rows", 1, "n"), WHOLE),
        (("rows", 1, "m"), UNKNOWN),
        (("parts", "p", "n"), MISSING),
        (("parts", "p", "on"), SWITCH),
        (("parts", "q"), TABLE),
        (("strange",), UNKNOWN),
    ]
    assert wrong(Outer, []) == [((), TABLE)]
    assert wrong(Outer, {"parts": []}) == [(("parts",), TABLE)]
    assert wrong(Many(whole), {}) == [((), LIST)]
    assert wrong(Open, {"V": 1}) == [(("L",), MISSING), (("V",), "E508")]


def test_a_limit_is_one_problem():
    assert wrong(Outer, {"rows": [{"n": 1}] * 3}) == [(("rows",), TOO_MANY)]
    assert len(Outer({"rows": [{"n": 1}] * 2}).rows) == 2
    assert wrong(FileTable, {"constraint": [{"name": "c", "phi": "x"}] * 65})[3] == (("constraint",), TOO_MANY)


def test_nothing_stands_for_a_key_that_may_be_left_out():
    assert Outer({"from": None}).from_ is None
    assert wrong(Outer, {"kind": None}) == [(("kind",), NO_WORD)]
    assert wrong(Inner, {"n": None}) == [(("n",), WHOLE)]


def test_a_key_leads_to_its_tables():
    assert {word: list(tables_of(each)) for word, each in Outer.keys.items()} == {
        "kind": [],
        "from": [],
        "rows": [Inner],
        "parts": [Inner],
    }


def test_a_coefficient_is_refused_once_in_the_words_of_the_file():
    text = """schema = 1
[space]
coordinates = "x y"
[parameters]
m = 1
[lagrangian]
L = "m/2*(dot(x)^2 + dot(y)^2) - m*y"
[[contact]]
name = "floor"
gap = "y"
mu = [0.3]
"""
    with pytest.raises(DalembertError) as told:
        read_source(text)
    assert (told.value.code, told.value.where.line) == ("E718", 11)
    assert told.value.fact.startswith("contact 1.mu must be an expression")
