"""Fit: the unknowns of a model that describe a record best.

    minimise  sum_i rho((y_i - f_i(theta))^2 / sigma_i^2)  +  sum_j (theta_j - m_j)^2 / s_j^2

f being what a motion with the unknowns theta shows at the times of the record, rho a loss, m and s priors. The
derivatives of f are the motion's own tangents, the minimum is SciPy's.
"""

from __future__ import annotations

from ...argument_checks import switch
from ...equations import Equations
from ...findings.fit import Fit
from ...question import Question
from ...record import Record
from ..progress_bar import progress
from .fit_problem import check_options, prepared, searched
from .least_squares import FitInterrupted, asking
from .minima import many
from .result import finished

__all__ = ["fit"]


def fit(equations: Equations, record: Record, question: Question, *, check: bool = True, shown: bool = False) -> Fit:
    """Choose the unknowns of a model so that its motion describes a record best.

    Args:
        equations: of the model, from a principle.
        record: what was seen; see `recorded`.
        question: what is asked of it.
        check: refuse a record that is the motion of the guess in another unit (E549).
        shown: show progress on a terminal.

    Returns:
        A `Fit`: values, uncertainties, residuals, what the data do not see, doubts.

    Raises:
        InvalidValue: E550 free names, E551 a guess from which there is no motion, E552 fewer numbers than unknowns,
            E553 bounds, priors, uncertainties, E554 columns, E307 options.
        UnknownName: E202, E317, E553 names that are not there.
        WrongType: E318, no record.
        DalembertError: what `Equations.start` raises for the guess.
        FitInterrupted: a KeyboardInterrupt (Ctrl-C) whose `fit` is the best until then.
    """
    switch(check, "check")
    check_options(question.runs.options)
    loss, search = question.likelihood.checked().loss, question.search.checked()
    with asking(question) as (asked, halt, pressed):
        model = prepared(equations, record, asked, check=check)
        with progress(search.starts, shown, "searching") as tick:
            minima, tried = searched(lambda: many(model.halting(halt), loss, search, tick))
        found = finished(model, record, minima, loss, tried, search.starts)
    if pressed():
        raise FitInterrupted(found)
    return found
