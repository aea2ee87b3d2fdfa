"""Every claim about [cushman1995] comes out as the derivation says; and a wrong disc or a wrong formula is noticed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from click.testing import CliRunner
from scipy.integrate import quad

from dalembert.apps.cli import main
from dalembert.geometry import distributions
from dalembert.geometry.symplectic_form import Local, Symplectic
from dalembert.model.symmetry import translations
from dalembert.systems import rolling_disc as disc
from dalembert_papers import rolling_disc
from dalembert_papers.reproduction import Chapter
from dalembert_papers.rolling_disc import angles, errata, figures, formulation, given, lifting, motions
from dalembert_papers.rolling_disc import reduction as section_4
from dalembert_papers.rolling_disc.lifting import cases, invariance
from worked import worked


def name(group):
    return f"{group.__module__.rpartition('.')[2]}.{group.__name__}"


def noticed(group):
    return not all(c.is_right for c in group())


@pytest.mark.parametrize("place", errata.PLACES)
def test_what_is_misprinted_fails_as_printed_and_something_holds_beside_it(place):
    found = [c for c in worked(errata.PLACES[place]) if c.where == place]
    assert [c for c in found if c.erratum or not c.expected]
    assert all(c.is_right for c in found)


# --- by another route ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["wobbling", "through upright"])
def test_the_period_is_the_integral_between_the_turning_points(start):
    found = motions.Quadrature(motions.STARTS[start])

    def slope(u):
        angle = found.mid + found.half * np.sin(u)
        left = found.energy - float(found.potential(np.asarray(angle)))
        return found.half * np.cos(u) / np.sqrt(left / found.kinetic)

    # rounding at the ends, where 0 is divided by 0, limits the agreement
    half, _ = quad(slope, -np.pi / 2, np.pi / 2, epsrel=1e-10, limit=200)
    assert found.period == pytest.approx(2 * half, rel=1e-7)
    theta, t = motions.run(start)["theta"], motions.run(start).t
    rising = t[1:][(theta[:-1] < found.mid) & (theta[1:] >= found.mid)]
    step = np.diff(t).max()
    assert np.diff(rising) == pytest.approx(found.period, abs=2 * step)


def test_the_reduced_rates_are_those_of_the_full_motion():
    values = given.state(theta=0.9, vtheta=0.4, vphi=1.1, vpsi=-2.0)
    acceleration = motions.equations().accelerations(values)[0]
    rates = dict(zip((u.name for u in given.velocities), acceleration, strict=True)) | {"theta": values["vtheta"]}
    known = section_4.on_shape(given.work().at(values))
    for z, e in given.momenta().items():
        along = sum(e.diff(s) * rates[s.name] for s in e.free_symbols if s.name in rates)
        assert given.number(along, values) == pytest.approx(given.number(given.rates()[z], known), abs=1e-11)


def test_subspaces():
    rng = np.random.default_rng(0)
    common, a, b = rng.normal(size=(2, 7)), rng.normal(size=(1, 7)), rng.normal(size=(2, 7))
    A, B = distributions.span(common, a), distributions.span(common, b)
    assert (len(A), len(B)) == (3, 4)
    assert distributions.apart(distributions.meet(A, B), distributions.span(common)) < 1e-12
    assert distributions.outside(A, B) > 1e-3
    assert len(distributions.span(common, 2 * common)) == 2
    inner = distributions.span(common)
    other = distributions.complement(inner, A, rng)
    assert distributions.apart(distributions.span(inner, other), A) < 1e-12
    assert len(distributions.meet(inner, other)) == 0


def test_an_expression_that_is_not_zero_is_not_taken_for_zero():
    theta = given.theta
    assert given.algebraic(sp.sin(theta) ** 2 + sp.cos(theta) ** 2 - 1) == 0
    assert given.algebraic(sp.tan(theta) * sp.cos(theta) - sp.sin(theta)) == 0
    assert given.algebraic(sp.sin(theta) ** 2 - sp.cos(theta) ** 2 - 1) != 0
    assert given.algebraic(sp.sin(theta) * sp.cos(theta)) != 0
    e = (1 - sp.cos(theta) ** 2) / sp.sin(theta) + given.r / sp.tan(theta)
    assert float((given.tidy(e) - e).subs({theta: 0.7, given.r: 0.3})) == pytest.approx(0, abs=1e-14)


# --- the claims seen to fail -----------------------------------------------------------------------------------------


def test_another_connection_is_noticed(monkeypatch):
    right = formulation._second_form
    monkeypatch.setattr(formulation, "_second_form", lambda: [-e for e in right()])
    assert noticed(formulation.acceleration)


def test_multipliers_of_the_other_sign_are_noticed(monkeypatch):
    right = formulation._reference
    monkeypatch.setattr(formulation, "_reference", lambda equations, place: -right(equations, place))
    assert noticed(formulation.signs)
    assert noticed(formulation.theorem_1)


def test_a_hamiltonian_field_of_the_wrong_sign_is_noticed(monkeypatch):
    right = Local.hamiltonian
    monkeypatch.setattr(Local, "hamiltonian", lambda self, df: -right(self, df))
    assert noticed(formulation.theorem_2)


def test_c1_and_c2_of_another_kappa_are_noticed_by_theorem_2(monkeypatch):
    monkeypatch.setattr(disc, "kappa", lambda parameters: 1.3)
    assert noticed(formulation.theorem_2)


def test_a_generator_that_is_no_symmetry_is_noticed(monkeypatch):
    right = formulation.noether
    monkeypatch.setattr(formulation, "noether", lambda system, *given: right(system, *(given or ("x theta",))))
    assert noticed(formulation.symmetries)


def test_an_integrable_constraint_is_noticed(monkeypatch):
    right = formulation.examine
    rows = {"along": disc.VX - disc.VTHETA, "across": disc.VY - disc.VPSI}
    monkeypatch.setattr(formulation, "examine", lambda system: right(system.changed(constraints=rows, parameters={})))
    assert noticed(formulation.growth)


def test_a_place_where_the_form_is_regular_is_noticed(monkeypatch):
    monkeypatch.setattr(section_4, "steady", section_4.moving)
    assert noticed(section_4.where_it_stands_still)


def test_an_eta_of_another_length_is_noticed(monkeypatch):
    right = distributions._across
    monkeypatch.setattr(
        distributions, "_across", lambda rows, K, W: (2 if len(rows) == len(K) else 1) * right(rows, K, W)
    )
    cases.cases.cache_clear()
    assert noticed(lifting.equation)
    cases.cases.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_an_eta_out_of_M_is_noticed(monkeypatch):
    """eta moved along a direction across M."""
    right = distributions.decomposed

    def moved(place, seed=None):
        found = right(place, seed)
        return replace(found, eta=found.eta + np.eye(len(place.xi))[len(place.xi) // 2])

    monkeypatch.setattr(distributions, "decomposed", moved)
    assert noticed(lifting.tangent)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("factor", [0, -1, 1.5])
@pytest.mark.parametrize(
    "group", [lifting.lies_in_U, lifting.proposition_1, lifting.proposition_2, lifting.lift], ids=name
)
def test_a_form_with_another_turning_part_is_noticed(monkeypatch, group, factor):
    """omega on what moves the place alone, P - P^T + B, times a number."""
    right = Symplectic.at

    def wrong(self, values):
        local = right(self, values)
        omega = local.omega.copy()
        omega[: self.k, : self.k] *= factor
        return replace(local, omega=omega)

    monkeypatch.setattr(Symplectic, "at", wrong)
    given.work.cache_clear()
    assert noticed(group)


@pytest.mark.usefixtures("fresh")
def test_a_form_of_another_size_is_noticed(monkeypatch):
    right = Symplectic.at

    def wrong(self, values):
        local = right(self, values)
        return replace(local, omega=2 * local.omega)

    monkeypatch.setattr(Symplectic, "at", wrong)
    for group in (lifting.tangent, lifting.equation, lifting.theorem_5):
        assert noticed(group), name(group)


def test_a_lift_that_stays_in_U_is_noticed(monkeypatch):
    """If U were all of H, (25) as printed would be right."""
    monkeypatch.setattr(distributions.DistributionsAt, "U", property(lambda self: self.H))
    assert noticed(lifting.lift)


@pytest.mark.usefixtures("fresh")
def test_an_eta_that_is_not_carried_along_is_noticed(monkeypatch):
    """Another length at each place."""
    right = distributions.decomposed

    def moved(place, seed=None):
        found = right(place, seed)
        return replace(found, eta=found.eta * (1 + 0.1 * place.values["x"]))

    monkeypatch.setattr(distributions, "decomposed", moved)
    assert noticed(lifting.theorem_5)


def test_another_line_of_nodes_is_noticed(monkeypatch):
    right = angles.angular
    monkeypatch.setattr(angles, "angular", lambda middle: right(1 - middle))
    for group in angles.GROUPS:
        assert noticed(group), name(group)


def test_another_kappa_is_noticed(monkeypatch):
    monkeypatch.setattr(disc, "kappa", lambda parameters: 1.3)
    assert noticed(motions.constants)
    assert noticed(motions.quadrature)


def test_a_wrong_critical_rate_is_noticed(monkeypatch):
    right = disc.least_rolling
    monkeypatch.setattr(disc, "least_rolling", lambda parameters: 1.001 * right(parameters))
    assert noticed(motions.critical)


def test_a_wrong_rate_of_theta_is_noticed(monkeypatch):
    rates = {**given.rates(), given.theta: given.rho_theta}
    monkeypatch.setattr(given, "rates", lambda: rates)
    assert noticed(motions.everything_steady)
    assert noticed(section_4.equations)


def test_a_wrong_momentum_is_noticed(monkeypatch):
    momenta = {**given.momenta(), given.rho_psi: 2 * given.momenta()[given.rho_psi]}
    monkeypatch.setattr(given, "momenta", lambda: momenta)
    assert noticed(section_4.which_psi)


def test_a_wrong_balance_is_noticed(monkeypatch):
    rates = {**given.rates(), given.rho_theta: -given.rates()[given.rho_theta]}
    monkeypatch.setattr(given, "rates", lambda: rates)
    assert noticed(motions.circles)


# --- what is printed and drawn ---------------------------------------------------------------------------------------


def test_a_wrong_claim_makes_it_fail(monkeypatch):
    monkeypatch.setattr(section_4, "PRINTED_E", section_4.PRINTED_E + given.rho_theta)
    chapter = Chapter("Section 4", [section_4.momenta], after=rolling_disc._editorial)
    monkeypatch.setattr(rolling_disc, "PAPER", replace(rolling_disc.PAPER, chapters=[chapter]))
    result = CliRunner().invoke(main, ["reproduce", "rolling-disc", "--no-figures"])
    assert result.exit_code == 1
    text = " ".join(result.output.split())
    assert "UNEXPECTED" in text
    assert "Slips that no computation decides" in text
    assert max(map(len, result.output.splitlines())) <= 80


def test_two_figures_are_drawn(tmp_path: Path):
    pytest.importorskip("matplotlib")
    drawn = [file.name for files in figures.draw(tmp_path) for file in files]
    assert drawn == ["contact-paths.svg", "contact-paths.png", "lean.svg", "lean.png"]
    assert all((tmp_path / file).stat().st_size > 10_000 for file in drawn)


# --- what makes the library derive everything anew -------------------------------------------------------------------

CACHES = (
    given.system,
    given.values,
    given.restricted,
    given.reduction,
    given.phase,
    given.form,
    given.work,
    given._solved,
    given.momenta,
    given.energy,
    given.rates,
    formulation.on_M_as_space,
    cases.cases,
    invariance.floating,
    cases.centred,
    motions.equations,
    motions.shape_equations,
    motions.run,
    motions.rebuilt,
    motions.circle,
)


def forget():
    for cached in CACHES:
        cached.cache_clear()


@pytest.fixture
def fresh():
    """Nothing is remembered from before, nor afterwards."""
    forget()
    yield
    forget()


@pytest.mark.usefixtures("fresh")
def test_a_sleigh_with_its_centre_ahead_is_noticed(monkeypatch):
    monkeypatch.setattr(cases, "centred", cases.sleigh.system)
    assert noticed(lifting.involutive)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    "group",
    [lifting.lies_in_U, lifting.proposition_1, lifting.proposition_2],
    ids=name,
)
def test_another_form_is_noticed_in_section_5(monkeypatch, group):
    """The perpendicular of the velocities' inner product in place of omega's."""

    def perp(self, W):
        return distributions.span(distributions.kernel(W @ self.H.T) @ self.H)

    monkeypatch.setattr(distributions.DistributionsAt, "perp", perp)
    assert noticed(group)


@pytest.mark.usefixtures("fresh")
def test_a_smaller_group_is_noticed(monkeypatch):
    small = disc.system().changed(symmetry=translations("x y"))
    monkeypatch.setattr(disc, "system", lambda: small)
    assert noticed(section_4.orbits)
    assert noticed(section_4.solvable)


@pytest.fixture(scope="class")
def wrong_disc():
    """A disc whose contact lies on the far side of its axle: f2 with -r v_phi cos(theta)."""
    right = disc.system

    def system():
        rows = {"across": disc.VY * sp.cos(disc.PHI) - disc.VX * sp.sin(disc.PHI)}
        rows["across"] += disc.RADIUS * (disc.VPSI - sp.cos(disc.THETA) * disc.VPHI)
        return right().changed(constraints={"along": right().constraints[0].phi, **rows})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disc, "system", system)
        forget()
        yield
    forget()


@pytest.mark.usefixtures("wrong_disc")
class TestAWrongConstraint:
    @pytest.mark.parametrize(
        "group",
        [
            formulation.manifold,
            formulation.theorem_1,
            section_4.momenta,
            section_4.form,
            angles.rolling,
            motions.constants,
            motions.quadrature,
            motions.reconstruction,
        ],
        ids=name,
    )
    def test_is_noticed(self, group):
        assert noticed(group)
