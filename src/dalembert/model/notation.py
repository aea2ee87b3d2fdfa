r"""Letters and abbreviations that the author wants in print: ``{"wL": r"\omega_L"}``, ``{"I_r": "I + m*r^2"}``.

A letter is made of words of a list: whatever reads it afterwards, TeX, a browser or a notebook, it is no command there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import sympy as sp

from ..calculus.symbols import by_name
from ..errors import InvalidValue, UnknownName, WrongType, about, as_given, did_you_mean, kind_of
from .expression_symbols import Reader
from .names import check_name, key_name, taken

LONGEST = 64  # characters of a letter
_GREEK = """alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho
varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"""
_SHAPES = "mathrm mathbf mathit mathsf mathcal mathbb mathfrak boldsymbol bar hat tilde vec dot ddot widehat overline"
_SIGNS = "ell hbar prime parallel perp ast star circ times cdot pm infty text"
WORDS = frozenset((_GREEK + " " + _SHAPES + " " + _SIGNS).split())
_WORD = re.compile(r"\\([A-Za-z]+)", re.ASCII)
_ALLOWED = re.compile(r"\\[A-Za-z]+|[A-Za-z0-9 _^{}',.()*+-]", re.ASCII)
_SPEED = re.compile(r"[A-Za-z]+[0-9]+\Z", re.ASCII)  # free speeds s1, s2, ..., which a lean form names


def read_letters(given: object, known: Collection[str]) -> dict[str, str]:
    """The LaTeX of symbols, by name.

    Args:
        given: ``{name: LaTeX}``.
        known: names of all that the system speaks of.

    Raises:
        WrongType: E110, not given by name.
        InvalidValue: E104, a name that nothing bears; E151, what is no letter.
    """
    if not isinstance(given, Mapping | None):
        raise WrongType("E110", f"symbols are given by name, not as {kind_of(given)}", r'symbols={"wL": r"\Omega"}')
    found = by_name(given or {}, "symbols", key_name)
    for name, latex in found.items():
        with about("symbols", name):
            if name not in known and not _SPEED.match(name):
                raise UnknownName(
                    "E104", f"symbols: nothing here is called {as_given(name)}", did_you_mean(name, list(known))
                )
            check_letter(latex, name)
    letters = {name: str(latex).strip() for name, latex in found.items()}
    _refuse_one_for_two(letters, known)
    return letters


def _refuse_one_for_two(letters: Mapping[str, str], known: Collection[str]) -> None:
    """E151: two things would be printed alike, both by the letter given, or one by its own name."""
    printed = {name: name for name in known if name not in letters}
    for name, latex in letters.items():
        bare = latex.replace(" ", "").lstrip("\\")
        other = next((n for n, letter in printed.items() if letter == bare), None)
        if other is not None:
            fact = f"{as_given(latex)} cannot be the symbol of {name}: {other} is printed so, too"
            raise InvalidValue("E151", fact, "another letter, or an index").about("symbols", name)
        printed[name] = bare


def check_letter(latex: object, name: str) -> None:
    """Refuse what is not the LaTeX of a letter (E151)."""
    fact = f"{as_given(latex)} cannot be the symbol of {name}"
    if not isinstance(latex, str) or not latex.strip() or len(latex) > LONGEST:
        raise InvalidValue("E151", fact, rf'LaTeX of at most {LONGEST} characters, such as r"\omega_{{L}}"')
    words = [word for word in _WORD.findall(latex) if word not in WORDS]
    if words:
        raise InvalidValue("E151", f"{fact}: \\{words[0]} is not a letter", r"Greek letters, \mathrm{...}, indices")
    strange = _ALLOWED.sub("", latex)
    if strange:
        raise InvalidValue("E151", f"{fact}: it holds {as_given(strange[0])}", "letters, digits, _, ^, {...}")
    depth = [latex[:i].count("{") - latex[:i].count("}") for i in range(len(latex) + 1)]
    if min(depth) < 0 or depth[-1]:
        raise InvalidValue("E151", f"{fact}: its braces do not match", r'r"\omega_{L}"')
    bare = re.sub(r"\{[^{}]*\}", "", re.sub(r"\{[^{}]*\}", "", latex))
    if re.search(r"[_^]\s*([_^]|\Z)", latex.replace("{}", "")) or any(bare.count(c) > 1 for c in "_^"):
        raise InvalidValue("E151", f"{fact}: one index stands below and one above at most", r'r"\omega_{L1}"')


def read_definitions(given: object, draft: Reader) -> dict[str, sp.Expr]:
    """Abbreviations, each an expression that may use those before it.

    Args:
        given: ``{name: expression}``.
        draft: a reader whose parameters may be met here in another order than in the system.

    Raises:
        WrongType: E110, not given by name.
        InvalidValue: E103, a name that means something else; E719, not a name; what reading raises.
    """
    if not isinstance(given, Mapping | None):
        raise WrongType(
            "E110", f"definitions are given by name, not as {kind_of(given)}", 'definitions={"I_r": "I + m*r^2"}'
        )
    for name, e in by_name(given or {}, "definitions", key_name).items():
        with about("definitions", name):
            own = check_name(name, "a definition")
            taken(own, "a definition")
            if any(own in known for known in (draft.own, draft.declared, draft.space.attitudes, draft.definitions)):
                fact = f"{as_given(name)} is already the name of something else"
                raise InvalidValue("E103", fact, "rename the definition")
            draft.definitions[own] = draft.read(e, name)
    return dict(draft.definitions)
