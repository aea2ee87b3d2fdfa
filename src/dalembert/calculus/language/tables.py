"""The tables of the grammar's parser as plain data: what lark makes of a grammar takes longer than to read it.

They lie beside this file, with the grammar and the version of lark that they belong to; for another one lark makes
them anew. After a change of the grammar: ``python -m dalembert.calculus.language``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lark import Lark

FILE = Path(__file__).with_suffix(".json")
_OURS = ("lexer", "transformer")  # options that are no data


def made(lalr: Lark, grammar: str) -> dict[str, object]:
    """What is stored of a parser: the same for each run of lark, which numbers states and tokens by hashes."""
    import lark

    data, memo = lalr.memo_serialize([lark.lexer.TerminalDef, lark.grammar.Rule])
    for name in _OURS:
        del data["options"][name]
    data["parser"]["lexer_conf"]["lexer_type"] = ""
    data["parser"]["parser"] = _numbered(data["parser"]["parser"])
    found: dict[str, object] = json.loads(json.dumps({"data": data, "memo": memo}))
    return {"lark": lark.__version__, "grammar": grammar, "tables": _references(found)}


def _numbered(table: Mapping[str, Mapping]) -> dict[str, object]:  # type: ignore[type-arg]
    """The same table with states numbered as they are reached, and tokens called by their names."""
    tokens, states = table["tokens"], table["states"]
    order = list(table["start_states"].values())
    for state in order:  # which grows
        actions = sorted((tokens[token], action) for token, action in states[state].items())
        order += dict.fromkeys(to for _, (reduces, to) in actions if not reduces and to not in order)
    number = {state: str(i) for i, state in enumerate(order)}
    return {
        "tokens": {name: name for name in sorted(tokens.values())},
        "states": {
            number[state]: {
                tokens[t]: [reduces, to if reduces else number[to]]
                for t, (reduces, to) in sorted(states[state].items(), key=lambda item: str(tokens[item[0]]))
            }
            for state in order
        },
        **{ends: {name: number[s] for name, s in table[ends].items()} for ends in ("start_states", "end_states")},
    }


def _references(found: object) -> object:
    """The same with rules called by text, as JSON has the keys of what they are looked up in."""
    if isinstance(found, dict):
        return {key: str(value) if key == "@" else _references(value) for key, value in found.items()}
    return [_references(each) for each in found] if isinstance(found, list) else found


def kept(grammar: str, options: Mapping[str, object]) -> dict[str, object] | None:
    """What `lark.Lark.load` takes, with these options; None where other tables than this grammar's are stored."""
    import lark

    stored = json.loads(FILE.read_text(encoding="utf-8"))
    if (stored["lark"], stored["grammar"]) != (lark.__version__, grammar):
        return None
    data = stored["tables"]["data"]
    data["options"] |= options
    data["parser"]["lexer_conf"]["lexer_type"] = options["lexer"]
    return {"data": data, "memo": stored["tables"]["memo"]}
