"""Contacts as given: what is none is refused in the words of whoever gave it, and files hold what scripts do."""

from itertools import product

import pytest
import sympy as sp

import dalembert as da

q = da.coordinates("x y", velocities="vx vy")
x, y = q.coordinates
vx, vy = q.velocities
w = sp.Symbol("w", real=True)
L = (vx**2 + vy**2) / 2 - 9.81 * y


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"mu": -0.1}, "E138"),
        ({"mu": 0.4, "mu_static": 0.3}, "E138"),
        ({"restitution": 1.5}, "E130"),
        ({"restitution": -0.5}, "E130"),
        ({"mu": None}, "E137"),
        ({"slip": "vx"}, "E137"),
        ({"slip": [vx, vy, vx]}, "E137"),
        ({"slip": [], "mu": 0.1}, "E137"),
        ({"friction": 0.3}, "E137"),
        ({"mu": 0.1, "friction": da.coulomb(0.3)}, "E137"),
        ({"friction": da.coulomb(0.3, spin=0.01)}, "E137"),
        ({"spin": [vx]}, r"(?s)E137 spin is one velocity about the normal, not \[vx\].*spin=wz"),
        ({"friction": da.coulomb(0.3, rolling=0.01)}, "E137"),
        ({"rolling": vx}, "E137"),
    ],
    ids=str,
)
def test_a_contact_that_is_none(given, code):
    with pytest.raises(da.DalembertError, match=code):
        da.contact(**{"gap": y, "slip": [vx], **given})


@pytest.mark.parametrize(
    ("contacts", "code"),
    [
        ({"floor": da.contact(gap=y**2, slip=[vx])}, "E137"),
        ({"floor": da.contact(gap=vy, slip=[vx])}, "E137"),
        ({"floor": da.contact(gap=y, slip=[x])}, "E137"),
        ({"floor": da.contact(gap=y, slip=[vx**2])}, "E137"),
        ({"floor": da.contact(gap=y, slip=[vy], mu=0.1)}, "E137"),
        ({"floor": da.contact(gap=y, slip=[vx, 2 * vx], mu=0.1)}, "E137"),
        ({"floor": da.contact(gap=y, slip=[vx], mu="0.1*x")}, "E137"),
        ({"the floor": da.contact(gap=y)}, "E137"),
        ({"floor": y}, "E137"),
        ({"floor": da.contact(y, [vx], mu=0.3), "again": da.contact(2 * y, [-vx], mu=0.1)}, "E132 .*floor and .*again"),
        (["floor"], "E137"),
    ],
    ids=str,
)
def test_contacts_that_are_none_of_the_system(contacts, code):
    with pytest.raises(da.DalembertError, match=code):
        da.System(q, L, contacts=contacts)


def test_a_contact_that_is_asked_of_a_system_is_led_to_its_entry():
    system, floor = da.System(q, L), 'da.System(q, L, contacts={"floor": da.contact(gap=y, slip=[vx], mu=0.3)})'
    asked = [((), {"gap": y, "normal": vy, "slip": [vx]}), ((), {"gap": y}), ((y, [vx]), {"mu": 0.3})]
    for given, (places, named) in product((system, da.nonholonomic(system)), asked):
        with pytest.raises(da.DalembertError, match=r"E307 contact takes no (system|equations)") as refused:
            da.contact(given, *places, **named)
        assert floor in refused.value.remedy
    with pytest.raises(da.DalembertError, match=r"E137 the gap is System") as refused:
        da.contact(system)
    assert refused.value.remedy == floor
    with pytest.raises(da.DalembertError, match="E307 contact has no argument 'normal'") as refused:
        da.contact(gap=y, normal=vy, slip=[vx])
    assert "the gradient of the gap" in refused.value.remedy
    with pytest.raises(da.DalembertError, match="E137 the contact floor is given among the constraints") as refused:
        da.System(q, L, {"floor": da.contact(gap=y)})
    assert "contacts={" in refused.value.remedy


def test_two_contacts_of_one_gap_may_slip_each_its_own_way():
    wheels = {"left": da.contact(gap=y, slip=[vx], mu=0.3), "right": da.contact(gap=y, slip=[vx - w / 10], mu=0.3)}
    space = da.coordinates("x y theta", "vx vy w")
    assert len(da.System(space, L + w**2 / 2, contacts=wheels).contacts) == 2


def test_names_that_columns_of_contacts_need_are_taken():
    """Two columns of a path had one name, and the coordinate was shown for the force."""
    moved, given = da.coordinates("floor_normal y"), "dot(floor_normal)^2 + dot(y)^2"
    with pytest.raises(da.DalembertError, match="E103 floor_normal is needed for a force of the contact floor"):
        da.System(moved, given, contacts={"floor": da.contact(gap="y")})
    with pytest.raises(da.DalembertError, match="E103 floor_friction is needed"):
        floor = da.contact(gap=y, slip=[vx], mu=0.1)
        da.System(q, L, forces={"x": "floor_friction"}, inputs="floor_friction", contacts={"floor": floor})
    floor = da.contact(gap=y, slip=[vx], friction=da.coulomb(0.1, rolling=0.01), rolling=[vx])
    with pytest.raises(da.DalembertError, match="E102 floor_rolling occurs twice among the contacts"):
        da.System(q, L, contacts={"floor": floor, "floor_rolling": da.contact(gap=2 - y)})


@pytest.mark.parametrize(("values", "code"), [({"mu": -1}, "E138"), ({"e": 2}, "E130"), ({"mu": 0.5}, "E138")], ids=str)
def test_values_that_no_contact_has_are_refused_when_they_are_known(values, code):
    floor = da.contact(gap=y, slip=[vx], mu="mu", mu_static=0.4, restitution="e")
    known = {"mu": 0.3, "e": 0.5}
    system = da.System(q, L, contacts={"floor": floor}, parameters=known)
    with pytest.raises(da.DalembertError, match=code):
        da.simulate(da.nonholonomic(system), {"x": 0, "y": 1, "vx": 0, "vy": 0}, until=0.1, parameters=values)
    with pytest.raises(da.DalembertError, match=code):
        da.System(q, L, contacts={"floor": floor}, parameters={**known, **values})


@pytest.mark.parametrize(("moment", "rates"), [("spin", vx), ("rolling", [vx])])
def test_moments_of_friction_are_not_negative(moment, rates):
    with pytest.raises(da.DalembertError, match="E138"):
        da.coulomb(0.3, **{moment: -0.1})
    floor = da.contact(gap=y, slip=[vx], friction=da.coulomb(0.3, **{moment: "d"}), **{moment: rates})
    with pytest.raises(da.DalembertError, match="E138"):
        da.System(q, L, contacts={"floor": floor}, parameters={"d": -0.1})


def test_a_file_holds_spin_and_rolling(tmp_path):
    space = da.coordinates("x y a b", velocities="vx vy wa wb")
    law = da.coulomb(0.3, spin="d", rolling=0.02)
    floor = da.contact(gap="y", slip=["vx"], spin="wa", rolling=["2*wb"], friction=law)
    system = da.System(space, "vx^2 + vy^2 + wa^2 + wb^2", contacts={"floor": floor}, parameters={"d": 0.01})
    da.write(system, tmp_path / "block.toml")
    assert str(da.read(tmp_path / "block.toml").system.contacts[0]) == str(system.contacts[0])


def test_a_file_holds_a_contact(tmp_path):
    floor = da.contact(gap=y, slip=[vx], mu="mu", mu_static=0.4, restitution=0.5)
    system = da.System(q, L, contacts={"floor": floor}, parameters={"mu": 0.3})
    da.write(system, tmp_path / "block.toml")
    read = da.read(tmp_path / "block.toml").system
    assert [str(c) for c in read.contacts] == [str(c) for c in system.contacts]
    start = {"x": 0, "y": 0.1, "vx": 1, "vy": 0}
    paths = [da.simulate(da.nonholonomic(each), start, until=1.0) for each in (system, read)]
    assert paths[0].modes == paths[1].modes


def test_other_coordinates_keep_the_contacts():
    floor = da.contact(gap=y, slip=[vx], mu=0.3)
    assert da.System(q, L, contacts={"floor": floor}).changed(title="block").contacts[0].gap == y


def test_a_system_shows_its_contacts():
    system = da.System(q, L, contacts={"floor": da.contact(gap=y, slip=[vx], mu=0.3)})
    assert "contact      floor: y >= 0" in str(system)
    assert "contact floor" in system.to_latex()


def test_a_contact_is_printed_in_words():
    friction = da.contact(gap=y, slip=[vx], friction=da.coulomb(0.3, 0.4, rolling="r/10"), rolling=["w"], spin="w2")
    space = da.coordinates("x y theta psi", "vx vy w w2")
    L = "(vx^2 + vy^2 + w^2 + w2^2)/2"
    system = da.System(space, L, contacts={"floor": friction}, parameters={"r": 0.1})
    assert str(system.contacts[0]) == (
        "floor: y >= 0, slip vx with mu 0.3, 0.4 at rest, spin w2 without friction, "
        "rolling w against the moment r/10 N, restitution 0"
    )
