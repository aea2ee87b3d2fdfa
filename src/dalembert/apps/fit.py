"""`fit` for users, who may write a system and a principle's name for equations, expressions as text, and units."""

from __future__ import annotations

from typing import Any

from ..equations import Equations
from ..errors import WrongType
from ..experiment.compare import equations_of
from ..experiment.fit import fit as of_numbers
from ..findings.fit import Fit
from ..given import public, switch
from ..model.system import System
from ..principles.listed import named
from ..question import Question
from ..record import Record
from .modelling import resolved


@public
def fit(
    equations: Equations | System,
    record: Record,
    *,
    principle: object = None,
    check: bool = True,
    progress: bool = False,
    **given: Any,
) -> Fit:
    """Choose the unknowns of a model so that its motion describes a record best.

    Args:
        equations: of the model; or a `System`, with the name of a `principle`.
        record: what was seen; see `recorded`.
        principle: ``"nonholonomic"``, ..., or a function from a system to equations.
        check: refuse a record that is the motion of the guess in another unit (E549).
        progress: show progress on a terminal.
        given: what is asked of the record, all below; values may be text with a unit.
        start: values by name as `Equations.start` takes them, guesses for those that are free.
        free: names of the unknowns: parameters, values given in `start` (also multipliers that are states), and names
            that only `columns` have.
        columns: names of columns that record and states have in common, by default all; or ``{column: what}``, where
            `what` is an expression in states, parameters, t and names of its own, ``"k*x + x0"``, or a function of the
            path that returns as many numbers as the column has.
        parameters: values that replace the system's, and values of the columns' own names; guesses where free.
        bounds: ``{name: (low, high)}``, None for an open end. Positive parameters and coefficients of friction do not
            go below 0.
        priors: ``{name: (mean, standard deviation)}`` of what is known besides, Gaussian.
        uncertainty: ``{column: standard uncertainty}``, in place of the record's. Where neither says it, the noise is
            estimated from the residuals, the same for all rows of a column; whether the model fits cannot be judged
            then.
        loss: ``"linear"`` (least squares), or ``"soft_l1"``, ``"huber"``, ``"cauchy"``, ``"arctan"``, which heed
            outliers less.
        starts: how many searches, the first from the guess, the others in turns from places as likely as the first part
            of the record leaves them, and from random places between the bounds or, without bounds, about the guess.
        spread: how far about, in sizes of the guess.
        seed: of these places.
        t: time of the start, by default the first time of the record.
        until: time of the end, by default the last; needed where a column is a function.
        events: of the runs, for columns that are functions.
        options: those of `simulate`; rtol is 1e-9 by default.

    Returns:
        A `Fit`: values, uncertainties, residuals, what the data do not see, doubts.

    Raises:
        WrongType: E307, neither equations nor a system with a principle; E318, no record.
        InvalidValue: E550 free names, E551 a guess from which there is no motion, E552 fewer numbers than unknowns,
            E553 bounds, priors, uncertainties, E554 columns, E307 options.
        UnknownName: E202, E317, E553 names that are not there.
        DalembertError: what `Equations.start` raises for the guess.
    """
    formed = _equations(equations, principle)
    question = resolved(formed.system, formed.states, record, Question.of(given))
    return of_numbers(formed, record, question, check=switch(check, "check"), shown=switch(progress, "progress"))


def _equations(given: object, principle: object) -> Equations:
    """The equations of a model, formed where a system and a principle were given (E307)."""
    if isinstance(given, System):
        if principle is None:
            fact = "a system has no equations before a principle is chosen"
            raise WrongType("E307", fact, 'principle="nonholonomic"')
        return equations_of(given, named(principle))
    elif principle is not None:
        raise WrongType("E307", "equations know their principle already", "leave principle out, or give the system")
    if not isinstance(given, Equations):
        raise WrongType("E307", f"a fit needs equations, not {type(given).__name__}", "da.nonholonomic(system)")
    return given
