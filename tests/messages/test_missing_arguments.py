"""A missing argument, one too many, one that nobody knows: answered in our words, at the caller's line."""

import inspect
import types
import warnings
from functools import cached_property

import pytest

import dalembert as da
from dalembert.errors import warn

OTHERS = {"DalembertError", "DalembertWarning"}


def made_by_hand():
    """Every public function and class, by the name that a script writes."""
    for name in sorted(set(da.__all__) - {"nouns"} - OTHERS):
        found = getattr(da, name)
        if isinstance(found, types.ModuleType):
            yield from ((f"da.{name}.{k}", v) for k, v in vars(found).items() if k[0] != "_" and callable(v))
        else:
            yield f"da.{name}", found


SURFACE = dict(made_by_hand())


@pytest.mark.parametrize("name", SURFACE)
@pytest.mark.parametrize(("given", "named"), [((), {}), ((None,) * 12, {}), ((), {"nonsens": 1}), ((None,), {"": 1})])
def test_arguments_that_do_not_fit_are_refused(name, given, named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            SURFACE[name](*given, **named)
        except da.DalembertError as error:
            assert not error.__context__ or isinstance(error.__context__, TypeError | da.DalembertError | KeyError)


def test_what_is_missing_is_named():
    for call, words in {
        da.compare: "compare needs system, principles",
        lambda: da.limit(1, 2): "limit needs principle",
        lambda: da.limit(1, 2, 3): "limit needs ",
        lambda: da.compare(1, 2, until=3): "compare needs start",
        lambda: da.compare(1, 2, 3): "compare takes 2 arguments by position, not 3",
        lambda: da.compare(1, 2, start=3): "compare needs until",
        lambda: da.reconstruct(path=1): "reconstruct needs reduction, start",
        lambda: da.simulate(1, 2, untill=3): "simulate needs until",
        lambda: da.steady(1, 2, guess=3): "steady is given guess twice",
        lambda: da.load("a", "b"): "load takes 1 argument by position, not 2",
        lambda: da.free(1, sytem=2): "free has no argument 'sytem'",
        lambda: da.System(lagrangian=1): "System needs space",
    }.items():
        with pytest.raises(da.DalembertError, match=words) as caught:
            call()
        assert isinstance(caught.value, TypeError)


def test_errors_from_inside_stay_what_they_are():
    def broken(path):
        return path + None

    with pytest.raises(da.DalembertError, match="E318"):
        da.sweep(
            da.free(da.System(da.coordinates("x"), "vx^2/2")), starts={"x": 0, "vx": 1}, until=1, keep={"f": broken}
        )


def test_signatures_are_those_of_the_functions():
    assert list(inspect.signature(da.simulate).parameters)[:3] == ["equations", "start", "until"]
    assert list(inspect.signature(da.Event).parameters)[:2] == ["name", "guard"]


def test_warnings_point_to_the_caller():
    q = da.coordinates("x")
    with pytest.warns(da.DalembertWarning, match="W306") as seen:
        da.simulate(da.free(da.System(q, "vx^2/2")), {"x": 0, "vx": 1}, until=1, rtol=1e-3)
    assert seen[0].filename == __file__
    for code, L, more in (("W119", "vx^2/2", {}), ("W134", "k*vx^2/2", {"units": {"x": "m*s", "k": "kg"}})):
        with pytest.warns(da.DalembertWarning, match=code) as seen:
            da.System(q, L, parameters={"k": 1.0}, **more)
        assert {one.filename for one in seen} == {__file__}


def test_a_warning_from_what_is_kept_when_it_is_first_asked_for_points_to_the_caller():
    """Python's functools stands between, and was taken for the caller (W802)."""

    def told(self):
        return warn("W802", "compiled code is not kept", 2)

    class Kept:
        known = cached_property(types.FunctionType(told.__code__, {"__name__": "dalembert.kept", "warn": warn}))

    with pytest.warns(da.DalembertWarning, match="W802") as seen:
        assert Kept().known
    assert seen[0].filename == __file__


def classes():
    """Every public class, by name."""
    every = {**vars(da.nouns), **{name: getattr(da, name) for name in sorted({*da.__all__} - OTHERS)}}
    return {name: found for name, found in every.items() if inspect.isclass(found)}


METHODS = {
    f"{name}.{method}": getattr(object.__new__(cls), method)
    for name, cls in classes().items()
    for method, found in vars(cls).items()
    if method[0] != "_" and isinstance(found, types.FunctionType | classmethod | staticmethod)
}


@pytest.mark.parametrize("name", METHODS)
def test_arguments_that_do_not_fit_a_method_are_refused(name):
    takes = inspect.signature(METHODS[name]).parameters.values()
    if not any(p.kind == p.VAR_POSITIONAL for p in takes):
        with pytest.raises(TypeError, match=f"E307 {name} takes"):
            METHODS[name](*(None,) * 40)
    if not any(p.kind == p.VAR_KEYWORD for p in takes):
        with pytest.raises(TypeError, match=f"E307 {name} has no argument 'nonsens'"):
            METHODS[name](nonsens=1)
    if missing := [p.name for p in takes if p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD]:
        with pytest.raises(TypeError, match=f"E307 {name} needs {missing[0]}"):
            METHODS[name]()


@pytest.mark.parametrize("name", classes())
def test_arguments_that_do_not_fit_a_class_are_refused(name):
    with pytest.raises(da.DalembertError):
        classes()[name](nonsens=1)
