"""``[[fit]]``: what is to be found from a recorded track, checked as far as text can be."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from ..calculus.quantity import NUMBER, quantity, refuse_bare
from ..errors import DalembertError, InvalidValue, UnknownName, as_given, did_you_mean
from ..errors.remedies import Option
from ..model.names import check_name, taken
from ..question import MOST_STARTS, Guess, Likelihood, Question, Runs, Search, refuse_inputs
from . import schema
from .entries import Entries
from .file_expressions import Texts
from .force_laws import LETTERS
from .study import FitSpec
from .toml_positions import Path

_FREE = Option("free", ["vx", "Omega"])
_BOUND, _PRIOR = Option("bounds", {"Omega": ("4 rad/s", None)}), Option("priors", {"r": ("1.27 cm", "0.01 cm")})


class Fits(Entries):
    """Reads fits beside the other entries.

    Attributes:
        forces: names of the forces of the file.
    """

    forces: Sequence[str] = ()

    def fit(self, n: int, entry: schema.FitTable) -> FitSpec:
        """One ``[[fit]]``."""
        path: Path = ("fit", n)
        multipliers = self._takes_multipliers(entry.principles)
        own = self._own(entry, path)
        start, of = self._lent(entry.start, path, entry.principles)
        free = self._free(entry, path, start, own, multipliers)
        spec = FitSpec(
            name=entry.name or f"fit {n + 1}",
            principles=self._principles(entry.principles, (*path, "principles")),
            question=Question(
                Guess(
                    start=start,
                    free=free,
                    parameters=self._values(entry.parameters, (*path, "parameters"), own),
                    bounds=self._known_of(entry.bounds, (*path, "bounds"), free),
                    priors=self._known_of(entry.priors, (*path, "priors"), free),
                ),
                Likelihood(
                    self._observed(entry.columns, (*path, "columns"), own),
                    self._noise(entry.uncertainty, (*path, "uncertainty")),
                    entry.loss,
                ),
                self._search(entry, path),
                Runs(t=entry.t, inputs=self._driven(entry.inputs, path) or None, options=self._options(entry, path)),
            ),
            laws=self._laws(entry.laws, (*path, "laws")),
            later=self._later(entry, path),
            ray=entry.ray,
            read=self._read(entry.read, (*path, "read")),
            start_of=of,
            where=self.collector.places.key(path),
        )
        self._check_ends(spec.question.guess, path)
        return spec

    def _principles(self, given: Sequence[str], path: Path) -> tuple[str, ...]:
        twice = {p for p in given if given.count(p) > 1}
        if twice or not given:
            fact = f"{sorted(twice)[0]} is named twice" if twice else "no principle is named"
            self.collector.add(InvalidValue("E307", fact, Option("principles", ["nonholonomic", "vakonomic"])), path)
        return tuple(self._principle(p, (*path, i)) for i, p in enumerate(given))

    def _own(self, entry: schema.FitTable, path: Path) -> tuple[str, ...]:
        """Names that only the columns have: a scale or an offset of the camera."""
        if not isinstance(entry.columns, Mapping):
            return ()
        words = {word for e in entry.columns.values() if isinstance(e, str) for word in _words(e)}
        known = {*self.symbols, *self.states, *self.space.attitudes}
        given = dict.fromkeys((*entry.parameters, *entry.free))
        own = tuple(name for name in given if name in words and name not in known)
        for name in own:
            with self.collector.watch((*path, "columns")):
                taken(check_name(name, "a name in columns"), "a name in columns")
        return own

    # --- names and values ---

    def _free(
        self, entry: schema.FitTable, path: Path, start: Mapping[str, object], own: Sequence[str], multipliers: bool
    ) -> tuple[str, ...]:
        """The names by which the library knows what is free; each has a guess."""
        path, found = (*path, "free"), list[str]()
        if not entry.free:
            self.collector.add(InvalidValue("E550", "nothing is free: there is nothing to fit", _FREE), path)
        for n, given in enumerate(entry.free):
            with self.collector.watch((*path, n)):
                name = given if given in self.values.symbols or given in own else self._named(given, own, multipliers)
                if name in found:
                    raise InvalidValue("E550", f"{name} is named twice in free", "name each once")
                found.append(name)
                self._check_guess(name, entry.parameters, start, own)
        return tuple(found)

    def _named(self, given: str, own: Sequence[str], multipliers: bool) -> str:
        """The name of a value of the start."""
        refuse_inputs([given], self.inputs)
        try:
            name = self._state(given, multipliers)
        except UnknownName as error:
            if error.code != "E229":
                raise
            known = [*self.values.symbols, *self.states, *own, *(self.multipliers if multipliers else ())]
            fact = f"free: {as_given(given)} is neither a parameter nor a value of the start"
            hint = self._rate_meant(given) or did_you_mean(given, known)
            raise UnknownName("E202", fact, hint) from None
        if name in self.space.attitudes:
            fact = f"free: {name} is a rotation, not a number"
            raise InvalidValue("E550", fact, "let angular velocities be free")
        return name

    def _check_guess(self, name: str, parameters: Mapping[str, Any], start: Mapping[str, Any], own: Any) -> None:
        if name in own and name not in parameters:
            fact = f"{name} occurs only in the columns, and has no guess"
            raise InvalidValue("E201", fact, Option("fit.parameters", {name: 1}))
        state = name not in self.values.symbols and name not in own and name not in self.multipliers
        if state and name not in start and not self._in_rotation(name, start):
            raise InvalidValue("E550", f"{name} is free and has no guess in the start", Option("fit.start", {name: 0}))

    def _in_rotation(self, name: str, start: Mapping[str, object]) -> bool:
        """Is it a coordinate of a rotation that the start gives?"""
        return any(name in {s.name for s in a.coordinates} for r, a in self.space.attitudes.items() if r in start)

    def _values(self, given: Mapping[str, object], path: Path, own: Sequence[str]) -> dict[str, Any]:
        """Values of parameters, with what follows from them, and of the names that only the columns have."""
        found = self._parameters({k: v for k, v in given.items() if k not in own}, path)
        for name in own:
            if name in given:
                with self.collector.watch((*path, name)):
                    found[name] = quantity(given[name], name).value
        return found

    def _known_of(self, given: Mapping[str, object], path: Path, free: Sequence[str]) -> dict[str, object]:
        """Bounds or priors by the names of what is free."""
        found: dict[str, Any] = {}
        for key, value in given.items():
            with self.collector.watch((*path, key), key=True):
                name = key if key in free else self._alias(key)
                if name not in free:
                    fact = f"{path[-1]}: {as_given(key)} is not free"
                    raise UnknownName("E553", fact, did_you_mean(key, free))
                if name in found:
                    raise InvalidValue("E553", f"{path[-1]}: {name} is given under two names", "leave one out")
                for each in [end for end in value if end is not None] if isinstance(value, list | tuple) else ():
                    refuse_bare(name, each, self.values.written.get(name))
                found[name] = value
        return found

    def _alias(self, key: str) -> str:
        try:
            return self._state(key, True)
        except DalembertError:
            return key

    def _check_ends(self, guess: Guess, path: Path) -> None:
        """E553 bounds that leave nothing or a spread that is none, E551 a guess outside; E207 units that do not fit."""
        for name, ends in guess.bounds.items():
            with self.collector.watch((*path, "bounds", name)):
                low, high = self._pair(name, ends)
                if not low < high:
                    fact = f"the bounds of {name}, {low:g} and {high:g}, leave nothing between them"
                    raise InvalidValue("E553", fact, _BOUND)
                first = self._first(guess, name)
                if first is not None and not low <= first <= high:
                    fact = f"the guess {name} = {first:g} lies outside its bounds {low:g} and {high:g}"
                    raise InvalidValue("E551", fact, "give a guess inside, or other bounds")
        for name, prior in guess.priors.items():
            with self.collector.watch((*path, "priors", name)):
                deviation = self._pair(name, prior)[1]
                if not deviation > 0:
                    fact = f"the standard deviation of the prior of {name} is {deviation:g}, it must be positive"
                    raise InvalidValue("E553", fact, (_PRIOR, ": mean, standard deviation"))

    def _pair(self, name: str, pair: tuple[Any, Any]) -> tuple[float, float]:
        """Two values in base SI; open ends are infinite."""
        needs = self.values.dimensions.get(name)
        first, second = (None if each is None else quantity(each, name, needs).value for each in pair)
        return -math.inf if first is None else first, math.inf if second is None else second

    def _first(self, guess: Guess, name: str) -> float | None:
        """The first value of what is free, where it is a number."""
        given = guess.start.get(name, guess.parameters.get(name, self.values.numbers.get(name)))
        try:
            return None if given is None else quantity(given, name).value
        except DalembertError:  # told where it stands
            return None

    # --- columns, laws, search, record ---

    def _observed(self, given: object, path: Path, own: Sequence[str]) -> object:
        """What the columns of the record are."""
        if not isinstance(given, Mapping):
            return given
        names = {**self.symbols, **{name: sp.Symbol(name, real=True) for name in own}}
        reader = Texts(self.collector, names, self.texts.rates, (*self.texts.parameters, *own))
        if not given:
            remedy = (Option("columns", {"px": "k*x + x0"}), ", or leave it out")
            self.collector.add(InvalidValue("E508", "columns names no column", remedy), path)
        before = len(self.collector.found)
        found = reader.by_name(given, path, "column")
        for error in self.collector.found[before:]:
            if error.code == "E702":
                error.also("\na name that only columns have needs a value: ", Option("fit.parameters", {"k": 1}))
        return found

    def _laws(self, given: Mapping[str, Sequence[str]], path: Path) -> dict[str, tuple[str, ...]]:
        """Names of forces by label; the word for a law of ``[friction]`` stands for the one that has no name."""
        meant = {kind: f"{kind} friction" for kind in LETTERS}
        found: dict[str, tuple[str, ...]] = {}
        for label, names in given.items():
            listed: list[str] = []
            for name in names:
                with self.collector.watch((*path, label)):
                    own = name if name in self.forces else meant.get(name, name)
                    if own not in self.forces:
                        fact = f"laws: there is no force or friction called {as_given(name)}"
                        hint = (
                            did_you_mean(name, self.forces) if self.forces else "the file has no [[force]] with a name"
                        )
                        raise UnknownName("E307", fact, hint)
                    listed.append(own)
            found[label] = tuple(dict.fromkeys(listed))
        return found

    def _later(self, entry: schema.FitTable, path: Path) -> float | None:
        """The share of the time, of a ranking."""
        for key in ("later", "ray"):
            if getattr(entry, key) is not None and len(entry.principles) < 2 and not entry.laws:
                fact = f"{key} is of a ranking, and one model is fitted here"
                error = InvalidValue("E307", fact, f"leave {key} out, or name several principles or laws")
                self.collector.add(error, (*path, key), key=True)
        if entry.later is not None:
            with self.collector.watch((*path, "later")):
                share = quantity(entry.later, "later", NUMBER).value
                if not 0 < share < 1:
                    raise InvalidValue("E559", f"later = {share:g} is no share of the time", "later = 0.5")
                return share
        return None

    def _noise(self, given: Mapping[str, object], path: Path) -> Mapping[str, object]:
        """E553: a standard uncertainty that is none."""
        for name, value in given.items():
            with self.collector.watch((*path, name)):
                sigma = quantity(value, name).value
                if not sigma > 0:
                    fact = f"the uncertainty of {name} is {sigma:g}, it must be positive"
                    raise InvalidValue("E553", fact, (Option("uncertainty", {name: 0.01}), ", or leave it out"))
        return given

    def _search(self, entry: schema.FitTable, path: Path) -> Search:
        """How the best values are looked for."""
        spread = 1.0
        with self.collector.watch((*path, "spread")):
            spread = quantity(entry.spread, "spread").value
        least = {"starts": (entry.starts, 1), "seed": (entry.seed, 0)}
        for key, (value, low) in least.items():
            if value < low:
                error = InvalidValue("E307", f"{key} = {value} must be at least {low}", f"{key} = {low + 7}")
                self.collector.add(error, (*path, key))
        if entry.starts > MOST_STARTS:
            fact = f"starts = {entry.starts} is above the limit {MOST_STARTS}"
            self.collector.add(InvalidValue("E307", fact, "starts = 20"), (*path, "starts"))
        if spread <= 0:
            self.collector.add(InvalidValue("E307", f"spread = {spread:g} must be positive", "1.0"), (*path, "spread"))
        return Search(entry.starts, spread, entry.seed)

    def _read(self, entry: schema.ReadTable, path: Path) -> dict[str, object]:
        """What `recorded` is given, as it was written."""
        from ..record.cell_separators import check_mark  # what reads records is loaded for files that fit one

        found = {key: getattr(entry, key) for key in schema.ReadTable.model_fields if key in entry.model_fields_set}
        for key in ("scale", "rotation"):
            given = found.get(key)
            for name, value in given.items() if isinstance(given, Mapping) else [(key, given)] if key in found else ():
                with self.collector.watch((*path, key)):
                    quantity(value, name)
        for key in ("separator", "decimal"):
            with self.collector.watch((*path, key)):
                check_mark(key, getattr(entry, key))
        if entry.skip < 0:
            self.collector.add(InvalidValue("E307", f"skip = {entry.skip} lines", "skip = 0"), (*path, "skip"))
        return found


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d]\w*", text))
