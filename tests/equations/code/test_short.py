"""Short names for values on the way: each still means what it meant, and none is in use twice at a time."""

import random
import re

import pytest

from dalembert.equations.code.javascript import shortened


def statements(seed, count=60):
    """A program: each line uses inputs and values before it, some of them never again."""
    rng = random.Random(seed)
    lines, known = ["const a = y[0];", "const k = p[1];"], ["a", "k", "t"]
    for i in range(1, count):
        lines.append(f"const h{i} = {rng.choice(known)} {rng.choice('+-*/')} Math.sin({rng.choice(known)});")
        known.append(f"h{i}")
        if rng.random() < 0.2:
            lines.append(f"out[{i}] = -{rng.choice(known)} * (-2.0);")
    return lines


def outputs(lines, known):
    """What is written into arrays, with every name on the way replaced by the number of what it stands for then."""
    values, found = {}, []
    for line in lines:
        name, value = (part.strip() for part in line.removeprefix("const ").rstrip(";").split("=", 1))
        whole = re.sub(r"(?<![\w.])[A-Za-z]\w*(?![\w(\[])", lambda m: values.get(m[0], m[0]), value.replace(" ", ""))
        if re.fullmatch(r"\w+", name) and "[" not in value:
            values[name] = f"#{known.setdefault(whole, len(known))}"
        else:
            found.append((name, whole))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_every_output_is_the_same_expression(seed):
    lines = statements(seed)
    short, given = shortened(lines, "h", {"a", "k", "t", "y", "p", "out"})
    known = {}
    assert outputs(short, known) == outputs(lines, known)
    assert not {"a", "k", "t", "y", "p", "out"} & {*given}
    assert len(given) == len({*given}) < len([line for line in lines if line.startswith("const h")])


def test_a_value_that_is_used_once_gives_its_name_on():
    lines = ["const h1 = x + 1.0;", "const h2 = 2.0 * h1;", "const h3 = h2 * h2;", "out[0] = h3;"]
    assert shortened(lines, "h", {"x"}) == (["a=x+1.0;", "a=2.0*a;", "a=a*a;", "out[0]=a;"], ["a"])
