"""Where keys and values of a TOML text stand."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.study.toml_text import parsed

TEXT = """# comment [no] = "table"
top = 1
"a b".c = [1, [2, # two
  3], { d = 'x]' }]
[one.two]
key = "a # b"   # c
[[run]]
n = 1
[run.sub]
deep = 2020-01-01 10:00:00
[[run]]
n = 2.5 # half
[[run.event]]
m = { p = 1, q = { r = "s" } }
[[run.event]]
m = \"\"\"
first
second \"quoted\" \\
   third\"\"\"
"""


def leaves(value, path=()):
    """(path, value) of everything that is no table or list."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            yield from leaves(inner, (*path, key))
    else:
        yield path, value


def test_every_value_is_found_where_it_stands():
    tables, places = parsed(TEXT, "t.toml")
    for path, value in leaves(tables):
        span = places.values[path]
        assert tomllib.loads(f"v = {TEXT[span.start : span.end]}")["v"] == value, path


def test_a_key_and_a_header_are_found():
    _, places = parsed(TEXT, "t.toml")
    assert (places.key(("top",)).line, places.key(("top",)).column) == (2, 0)
    assert places.key(("run", 1)).line == 11
    assert places.key(("run", 1, "event", 1)).text == "[[run.event]]"
    assert places.key(("run", 1, "event", 0, "m", "q")).column == 13
    assert str(places.key(("one", "two", "key"))) == "t.toml:6"


def test_what_is_missing_is_pointed_at_by_its_table():
    _, places = parsed(TEXT, "t.toml")
    assert places.value(("run", 0, "until")).line == 7
    assert places.value(("nowhere",)) is None


@pytest.mark.parametrize("written", ['"ab\\tcd"', "'ab\tcd'", '"a\\u0062\\tcd"', '"""\nab\\tcd"""'])
def test_a_piece_of_a_string_is_found_behind_escapes(written):
    _, places = parsed(f"key = {written}\n", "t.toml")
    where = places.inside(("key",), 3, 2)
    assert where.text[where.column : where.column + where.length] == "cd"


def test_a_line_of_a_long_string_is_found():
    _, places = parsed(TEXT, "t.toml")
    value = tomllib.loads(TEXT)["run"][1]["event"][1]["m"]
    where = places.inside(("run", 1, "event", 1, "m"), value.index("third"), 5)
    assert (where.line, where.text[where.column :][:5]) == (19, "third")


KEYS = st.sampled_from(["a", "b-c", "d_1", "é", "x y", "dot(x)", 'q"t'])
VALUES = st.recursive(
    st.one_of(
        st.integers(-9, 10**12), st.booleans(), st.text("ab é\"\\'#=[]{},.\n\t", max_size=8), st.floats(allow_nan=False)
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_random_documents_are_located(document):
    import tomlkit

    tables, places = parsed(tomlkit.dumps(document), "t.toml")
    for path, value in leaves(tables):
        span = places.values[path]
        assert tomllib.loads(f"v = {places.text[span.start : span.end]}")["v"] == value
