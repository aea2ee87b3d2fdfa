"""The colours of a page, light and dark, against WCAG 2.2: 4.5 for text (1.4.3), 3 for controls (1.4.11)."""

import re
from importlib.resources import files

import pytest

CSS = files("dalembert.apps.explore").joinpath("page", "style.css").read_text(encoding="utf-8")
PRINCIPLES = [f"c{i}" for i in range(6)]
BORDERED = ["button, select", "#until", ".slider input[type=number]:hover"]


def rule(selector):
    return re.search(r"(?:^|[}\n])\s*" + re.escape(selector) + r" \{(.*?)\}", CSS, re.DOTALL)[1]


def colours(selector):
    found = re.findall(r"--(\w+): #([0-9a-f]{6})\b", rule(selector))
    return {name: tuple(int(text[i : i + 2], 16) / 255 for i in (0, 2, 4)) for name, text in found}


def mixed(one, other, share):
    return tuple(share * a + (1 - share) * b for a, b in zip(one, other, strict=True))


def ratio(one, other):
    def light(colour):
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in colour]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def share(selector):
    """The part of the first colour in a mixed ground."""
    return int(re.search(r"background: color-mix\(in srgb, var\([^%]*?\) (\d+)%", rule(selector))[1]) / 100


@pytest.fixture(params=["light", "dark"])
def look(request):
    return colours("#explorer") | (colours("#explorer.dark") if request.param == "dark" else {})


def test_the_ratio_is_that_of_published_pairs():
    assert ratio((0, 0, 0), (1, 1, 1)) == pytest.approx(21)
    grey = (0x76 / 255,) * 3  # the lightest grey that passes on white
    assert ratio(grey, (1, 1, 1)) == pytest.approx(4.54, abs=0.005)


def test_text_can_be_read_on_what_is_behind_it(look):
    card = look["card"]
    on_card = {f"{ink} on card": (look[ink], card) for ink in ("ink", "soft", "ok", "bad", *PRINCIPLES)}
    on_scene = {f"hint on {g}": (look["soft"], look[g]) for g in ("sky", "floor")}
    pressed = 'button[aria-pressed="true"]'
    over = {f"{c} pressed": (look[c], mixed(look[c], card, share(pressed))) for c in PRINCIPLES}
    for ground in ("sky", "floor"):
        behind = mixed(card, look[ground], share(".labels span"))
        over |= {f"label {c} on {ground}": (look[c], behind) for c in PRINCIPLES}
    over["notes"] = (look["ink"], mixed(look["c1"], card, share(".notes")))
    over["a message"] = (card, look["ink"])
    poor = {k: ratio(*pair) for k, pair in (on_card | on_scene | over).items() if ratio(*pair) < 4.5}
    assert poor == {}


@pytest.mark.parametrize("selector", BORDERED)
def test_the_edge_of_a_control_can_be_seen(look, selector):
    edge = re.search(r"border(?:-color)?: (?:1px solid )?var\(--(\w+)\)", rule(selector))[1]
    assert ratio(look[edge], look["card"]) >= 3


def test_lines_of_principles_and_the_focus_stand_out(look):
    assert all(ratio(look[c], look[g]) >= 3 for c in PRINCIPLES for g in ("card", "sky", "floor", "bg"))
