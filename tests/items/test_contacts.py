"""Compliant contact: restitution that is kept, Hertz, cradles, exact tangents, all methods, energy, resumption."""
import json
from pathlib import Path

import numpy as np
import pytest
from derivatives import ComplexStep
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401

import pliant as pl
from pliant.items.contact_damping import NAMED, damping_of, deepest, restitution_of
from pliant.text.model_text import from_text, to_text

DATA = json.loads((Path(__file__).parent / "contact_laws.json").read_text())
E_STEEL, NU, RHO = 210e9, 0.3, 7800.0


def tumbling() -> pl.Model:
    """Two free bodies with off-centre surfaces that overlap, all laws and frictions between them, and one contact with the ground."""
    m = pl.Model("tumbling", gravity=(0.3, -0.2, -9.81))
    one = {"inertia": ((3.0, 0.1, 0.2), (0.1, 4.0, 0.3), (0.2, 0.3, 5.0))}
    m.add(pl.RigidBody("B", 3.0, **one, com=(0.1, 0.0, -0.1), position=(0.5, 0.2, 1.1), rotation=pl.rotation((1, -2, 0.5), 1.2),
                       velocity=(0.3, -0.4, -0.9), angular_velocity=(0.5, 1.0, -0.7)))
    m.add(pl.RigidBody("A", 2.0, **one, com=(0.0, 0.1, 0.1), position=(0.1, 0.2, 0.3), rotation=pl.rotation((1, 2, 3), 0.7),
                       velocity=(0.1, 0.2, 0.6), angular_velocity=(1.0, -0.5, 2.0)))
    a, b = m["A"].frame((0.1, 0.05, -0.1), pl.rotation((1, 0, 1), 0.4)), m["B"].frame((-0.1, 0.1, 0.05))
    ball, plate = pl.Surface.sphere, pl.Surface.plane()
    m.add(pl.Contact("spheres", a, b, surface_a=ball(0.6), surface_b=ball(0.7), stiffness=1e4, friction=0.3, static=0.5,
                     stribeck_speed=0.5, viscous=0.1, stick_length=2e-3, rolling=0.02, spinning=0.03))
    m.add(pl.Contact("plate", b, m["A"].frame((0, 0, 0.1), pl.rotation((0, 1, 0), 0.3)), surface_a=ball(2.5), surface_b=plate,
                     stiffness=2e4, law="hunt-crossley", restitution=0.4, exponent=2.2, friction=0.4, friction_model="lugre",
                     bristle_stiffness=300.0, bristle_damping=2.0))
    m.add(pl.Contact("shell", m["A"].frame((0.1, 0, 0)), b, surface_a=ball(0.5), surface_b=pl.Surface.hollow_sphere(0.7), law="linear",
                     stiffness=3e3, damping=20.0, friction=0.2, friction_model="regularised", slip_speed=0.2))
    m.add(pl.Contact("floor", m.ground, m["B"].frame((0, 0.2, 0.1)), surface_b=ball(2.0), law="impact", stiffness=3e3, exponent=2.0,
                     damping=40.0, ramp=5.0, friction=0.3, stick_length=0.5))
    m.add(pl.Contact("free", m.ground, a, surface_b=ball(2.0), force="2e3*x^1.5*(1 + 0.2*v) + 3*sin(t)"))
    return m


def test_the_tangent_is_exact():
    """All pairs, laws and frictions at once, off-axis, spinning, bodies in another order than in the contacts, with their states."""
    system = tumbling().compile().system
    at = ComplexStep(system)
    at.real.H[:] = 0
    for family, (first, last) in system.families.items():
        for e in range(first, last) if family.name.startswith("contact") else ():
            at.real.H[system.data.ip[e, 7]], at.real.H[system.data.ip[e, 7] + 1] = 0.3 + 0.1 * e, e % 2
    for k, state in enumerate(system.states):  # some below, some beyond the elastic part
        at.real.v[state.iv] = (-1) ** k * (0.5 + 0.1 * k) * state.nominal
    found, expected = at.tangent(1.3, 0.7, 2.1), at.reference(1.3, 0.7, 2.1)
    without = at.real.R.copy()
    assert np.count_nonzero(without) and abs(found - expected).max() < 1e-11 * abs(expected).max()
    rows = [list(at.rows).index(state.iv) for state in system.states]
    assert abs(expected[rows]).max(axis=1).min() > 0 and abs(found[rows] - expected[rows]).max() < 1e-11 * abs(expected[rows]).max()


def thrown(laws, k: float = 1e9, mass: float = 0.1) -> pl.Model:
    """Balls without weight that meet planes with 1 m/s, one after the other."""
    m = pl.Model("balls")
    for n, fields in enumerate(laws):
        m.add(pl.RigidBody.sphere(f"b{n}", 0.01, mass=mass, position=(n, 0, 0.011 + 1e-4 * n), velocity=(0, 0, -1)))
        m.add(pl.Contact(f"c{n}", m.ground, f"b{n}", **{"stiffness": k} | fields))
    return m


def test_laws_give_back_what_they_are_known_for():
    """15 cases of three published laws, against an integration of their own equation (`contact_laws.json`), and the exact one."""
    cases = DATA["named"]
    laws = [{"law": c["law"], "restitution": c["e_in"]} for c in cases]
    exact = [0.9, 0.7, 0.5, 0.3, 0.05, 1.0]
    laws += [{"restitution": e} for e in exact] + [{"restitution": 0.7, "stiffness": 1e6, "exponent": 1.0}]
    sol = thrown(laws).simulate(6e-3, accuracy=1e-8, output_step=2e-6)
    back = np.array([sol[f"b{n}.velocity"][-1, 2] for n in range(len(laws))])
    assert back == pytest.approx([c["e_out"] for c in cases] + [*exact, 0.7], abs=1e-7)
    for n, case in enumerate(cases):
        e = case["e_in"]
        assert restitution_of(NAMED[case["law"]](e)) == pytest.approx(case["e_out"], abs=1e-9)
        depth = deepest(1e9, 1.5, NAMED[case["law"]](e), 0.1, 1.0)
        assert depth == pytest.approx(case["delta_max"], rel=1e-9) and -sol[f"c{n}.gap"].min() == pytest.approx(depth, rel=1e-3)
    assert restitution_of(damping_of(0.3)) == pytest.approx(0.3, abs=1e-12)
    kept = thrown([law for law in laws if law["restitution"] > 0.1]).simulate(6e-3, accuracy=1e-9, output_step=1e-4).energy.balance
    assert abs(kept - kept[0]).max() < 1e-9  # at 0.05 nearly nothing pushes when they part, and rounding of that is seen: 6e-9


def steel_ball(name: str, x: float, speed: float = 0.0) -> pl.RigidBody:
    return pl.RigidBody.sphere(name, 0.01, density=RHO, position=(x, 0, 0), velocity=(speed, 0, 0))


def test_a_steel_ball_after_hertz():
    """Depth, force and time of contact on a half-space of steel, and on a rigid one (BENCHMARKS 17)"""
    m = pl.Model("steel")
    wall = pl.rotation((0, 1, 0), -np.pi / 2)  # its normal is -x
    for n in range(2):
        m.add(pl.RigidBody.sphere(f"b{n}", 0.01, density=RHO, position=(0, n, 0), velocity=(1, 0, 0)))
        fields = {"material": "steel"} if n == 0 else {"material_a": {"E": 1e30, "nu": 0.3}, "material_b": "steel"}
        m.add(pl.Contact(f"c{n}", m.ground.frame((0.0101, n, 0), wall), f"b{n}", restitution=1.0, **fields))
    sol = m.simulate(2e-4, accuracy=1e-8, output_step=1e-8)
    for n, (depth, force, time) in enumerate(((2.34208489228e-5, 1743.77558351, 6.89340034302e-5),
                                              (1.7749684357e-5, 2300.92567706, 5.22422054975e-5))):
        touch, leave = sol.events.of(f"c{n}")
        assert leave.t - touch.t == pytest.approx(time, rel=1e-8) and touch.t == pytest.approx(1e-4, abs=1e-12)
        assert touch.what == "touches" and leave.what == "leaves" and touch.value == pytest.approx(1.0, rel=1e-9)
        assert sol[f"c{n}.normal_force"].max() == pytest.approx(force, rel=1e-6)
        assert -sol[f"c{n}.gap"].min() == pytest.approx(depth, rel=1e-6)
        assert sol[f"c{n}.force"][:, 0].min() == pytest.approx(-force, rel=1e-6)
        assert sol[f"b{n}.velocity"][-1] == pytest.approx([-1, 0, 0], abs=1e-9)


CRADLES = {3: (-0.07095235365139987, 0.07640303907116687, 0.9945493145802337),
           5: (-0.07108501708596461, -0.030273764096810544, -0.014463629032288334, 0.12704498606993442, 0.9887774241451283)}


def cradle(count: int, order=1) -> pl.Model:
    m = pl.Model("cradle")
    for n in range(count)[::order]:
        m.add(steel_ball(f"b{n}", 0.02 * n, 1.0 if n == 0 else 0.0))
    for n in range(count - 1)[::order]:
        m.add(pl.Contact(f"c{n}", f"b{n}", f"b{n + 1}", material="steel", restitution=1.0))
    return m


@pytest.mark.parametrize("count", CRADLES)
def test_cradles_of_touching_balls(count):
    """Final speeds by Hertz (SciPy, DOP853 at 1e-12); the order of bodies and contacts changes nothing; momentum and energy stay."""
    found = []
    for order in (1, -1):
        sol = cradle(count, order).simulate(4e-4, accuracy=1e-8, output_times=[4e-4])
        speeds = np.array([sol[f"b{n}.velocity"][-1, 0] for n in range(count)])
        assert speeds == pytest.approx(CRADLES[count], abs=1e-8)
        assert speeds.sum() == pytest.approx(1.0, abs=1e-12)
        found.append(speeds)
    assert found[0] == pytest.approx(found[1], abs=1e-10)


def bouncing(**more) -> pl.Model:
    m = pl.Model("ball", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.sphere("ball", 0.05, mass=0.5, position=(0, 0, 0.1), velocity=(0.2, 0, -1), angular_velocity=(3, 1, 8)))
    m.add(pl.Contact("c", m.ground, m["ball"], **{"stiffness": 1e6, "restitution": 0.7} | more))
    return m


def test_methods_and_coordinates_agree():
    """An impact with friction, by explicit and implicit methods, and with fixed steps as far as these go."""
    ends = []
    for coordinates, integrator, more in (
            ("absolute", pl.DOP853(), {"accuracy": 1e-8}), ("joint", pl.DOP853(), {"accuracy": 1e-8}),
            ("absolute", pl.RadauIIA5(), {"accuracy": 1e-8}), ("joint", pl.RadauIIA5(), {"accuracy": 1e-8}),
            ("joint", pl.BDF(), {"accuracy": 1e-6}), ("absolute", pl.GeneralizedAlpha(), {"step": 2e-5}),
            ("absolute", pl.RungeKutta4(), {"step": 2e-5})):
        sol = bouncing(friction=0.3).simulate(0.15, coordinates=coordinates, integrator=integrator, output_times=[0.15], **more)
        ends.append(np.array([*sol["ball.position"][-1], *sol["ball.velocity"][-1]]))
    for end, within in zip(ends[1:], (1e-10, 1e-9, 1e-9, 1e-4, 1e-3, 1e-3), strict=True):
        assert end == pytest.approx(ends[0], abs=within)


def test_an_interrupted_run_goes_on_bit_for_bit(tmp_path, one_slice):
    """Rolling, sticking, with weight on it; from a file, of a model that was written as text and read."""
    m, out = bouncing(friction=0.3), tmp_path / "run.h5"
    assert from_text(to_text(tumbling()))["plate"] == tumbling()["plate"]
    again = from_text(to_text(m))
    assert again["c"] == m["c"] and "kind: contact" in to_text(m)
    given = {"output_step": 0.01, "integrator": pl.DOP853()}
    whole = m.simulate(1.2, **given)
    assert whole["c.state"][-1] == 1 and whole["c.normal_force"][-1] == pytest.approx(0.5 * 9.81, rel=1e-3)
    with pytest.raises(Stop):
        again.simulate(1.2, **given, progress=stopping(0.7), out=out)
    assert equal(pl.load(out).resume(), whole)


@pytest.mark.parametrize(("fields", "told"), [
    ({"stiffness": None}, "stiffness: is missing; give it"), ({"restitution": 1.1}, "restitution: 1.1 must be from 0.01 to 1"),
    ({"restitution": 0.001}, "restitution: 0.001 must be from 0.01 to 1"), ({"exponent": 0.5}, "exponent: 0.5 must be from 1"),
    ({"friction": -0.1}, "friction: -0.1 must be at least 0"), ({"friction": 0.4, "static": 0.3}, "static: 0.3 must be at least friction"),
    ({"friction": 0.4, "static": 0.5}, "stribeck_speed: is missing"), ({"law": "hertzian"}, "law.*hertzian"),
    ({"law": "linear"}, "damping: is missing; the law linear"), ({"damping": 3}, "damping: belongs to the law linear or impact"),
    ({"material": "steel"}, "material: stiffness is given as well"),
    ({"material": "cheese", "stiffness": None}, "material.*steel or aluminium"),
    ({"force": "1e5*x", "restitution": None}, "stiffness: has no meaning beside force"),
    ({"slip_speed": 0.1}, "slip_speed: belongs to friction_model regularised"),
    ({"friction_model": "regularised"}, "slip_speed: is missing"), ({"surface_b": "cube"}, "surface_b.*kind"),
    ({"surface_b": {"kind": "sphere"}}, "radius: is missing; a sphere needs it")])
def test_wrong_contacts_are_told(fields, told):
    with pytest.raises(pl.ItemError, match=rf"contact 'c': .*{told}"):
        bouncing(**fields)


@pytest.mark.parametrize(("make", "told"), [
    (lambda: pl.Surface.sphere(0), "surface: radius: 0 must be greater than zero"),
    (lambda: pl.Surface.box((1, 1, 0)), r"surface: size: \[1.0, 1.0, 0.0\] must be three lengths greater than zero"),
    (lambda: pl.Surface.sphere("1 kg"), r"surface: radius: '1 kg' is a mass \[kg\], a length \[m\] is due"),
    (lambda: pl.Surface(kind="sphere", diameter=1), "surface: diameter: unknown key 'diameter'; did you mean 'radius'"),
    (lambda: pl.Surface(kind="ball", radius=1), "surface: kind: 'ball' must be .* did you mean 'sphere'"),
    (lambda: pl.Surface.cylinder(0.1, 0.2, rounding=0.2), "surface: rounding: 0.2 m is more than the cylinder has"),
    (lambda: pl.Surface.convex([]), "surface: points: 0 points, must be at least 4"),
    (lambda: pl.Curve(circle=0), "curve: circle: 0 must be greater than zero"),
    (lambda: pl.Curve(square=1), "curve: square: unknown key 'square'; there are points, x, ")])
def test_surfaces_and_curves_tell_in_sentences(make, told):
    with pytest.raises(pl.ItemError, match=rf"^{told}") as caught:
        make()
    assert "pydantic" not in str(caught.value) and "type=" not in str(caught.value)


def test_a_linear_contact_has_units():
    linear = pl.Contact("c", "ground", "b", stiffness="5 N/mm", law="linear", damping="3 N*s/m", rolling="1 mm")
    assert (linear.stiffness, linear.damping, linear.rolling) == (5000, 3, 0.001)
    assert pl.Contact("c", "ground", "b", stiffness="5 N/mm", exponent=1).stiffness == 5000


def test_contacts_that_cannot_be_are_told():
    def built(a, b, **more):
        m = bouncing()
        m.add(pl.RigidBody("plain", 1.0, (1, 1, 1)))
        m.add(pl.Contact("x", a, b, stiffness=1e5, **more))
        m.compile()
    with pytest.raises(pl.ItemError, match=r"contact 'x': b: both surfaces are on 'ground'"):
        built("ground", "ground")
    with pytest.raises(pl.ModelError, match="contact 'x': surface_b: is missing; 'plain' has no shape"):
        built("ground", "plain")
    with pytest.raises(pl.ModelError, match="contact 'x': a plane and a plane: both are ground"):
        built("ground", "ball", surface_b="plane")
    with pytest.raises(pl.ModelError, match="does not fit into a hollow sphere"):
        built("ball", "plain", surface_b=pl.Surface.hollow_sphere(0.05))
