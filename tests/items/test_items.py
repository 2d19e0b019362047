"""Every joint and force as users write it: residual, Jacobian, bias and tangent against a complex step, in random spatial states."""
import numpy as np
import pytest
from derivatives import STEP, ComplexStep, random_rotation
from every_kind import brings_bodies, every_kind
from point_masses import lined_body, modal_body

import pliant as pl
from pliant.items.base import KINDS
from pliant.kernels import evaluation

AXIS = (0.3, -0.5, 0.8)
MORE = {  # other uses than the example of the class
    "driven prismatic": lambda a, b: [pl.Prismatic("J", a, b, axis=AXIS), pl.Drive("J", "displacement", "0.3*t^2")],
    "driven cylindrical": lambda a, b: [pl.Cylindrical("J", a, b, axis=AXIS), pl.Drive("J", "displacement", "0.3*t^2", name="d1"),
                                        pl.Drive("J", "angle", "t", name="d2")],
    "revolute with zero": lambda a, b: [pl.Revolute("J", a, b, axis=AXIS, zero=0.2)],
    "spring law": lambda a, b: [pl.SpringDamper("F", a, b, "20*x^3 + t*x", lambda t, x, v: 3.0 * v, 0.3)],
    "torsion spring": lambda a, b: [pl.Revolute("J", a, b, axis=AXIS), pl.TorsionSpring("F", "J", 30.0, "2*v + v^3", 0.3)],
    "feedback": lambda a, b: [pl.Force("F", b, ("3 N * cos(2*t)", 2.0, "-4*A.frame1.velocity.x"))],
    "following force": lambda a, b: [pl.Force("F", b, (1.0, "B.position.y^2", 3.0), axes="frame")],
    "force with its opposite": lambda a, b: [pl.Force("F", b, ("B.position.y", 2.0, "-4*B.velocity.x"), reaction=a)],
    "following force with its opposite": lambda a, b: [pl.Force("F", b, (1.0, "B.position.y^2", 3.0), axes="frame", reaction=a)],
    "following torque with its opposite": lambda a, b: [pl.Torque("F", b, (1.0, "B.position.y^2", 3.0), axes="frame", reaction=a)],
    "torque": lambda a, b: [pl.Revolute("J", a, b, axis=AXIS), pl.Torque("F", b, ("-5*J.angle_rate", "J.angle", 1.0), axes="frame")],
}
CASES = {name: cls.example for name, cls in every_kind() if not brings_bodies(cls)} | MORE  # what slides: see SLIDING


BODIES = ("rigid ground", "rigid rigid", "modal ground", "modal rigid", "rigid modal", "modal modal")  # of frames b and a


def model_of(items, rng, bodies):
    m = pl.Model("pair", gravity=(0.3, -0.7, -9.81))
    def body(name, kind):
        if kind in ("modal", "lined"):
            return m.add({"modal": modal_body, "lined": lined_body}[kind](name, rng))
        root = rng.normal(size=(3, 3))
        return m.add(pl.RigidBody(name, mass=2.0, inertia=(root @ root.T + 3 * np.eye(3)).tolist(), com=rng.normal(size=3),
                                  position=rng.normal(size=3), rotation=random_rotation(rng), velocity=rng.normal(size=3),
                                  angular_velocity=rng.normal(size=3), frames={"frame1": {"point": rng.normal(size=3).tolist()}}))
    kinds = bodies.split()
    a, b = body("A", kinds[1]), body("B", kinds[0])
    places = [pl.items.base.Frame(body=x.name, frame="frame1", rotation=random_rotation(rng)) if isinstance(x, pl.ModalBody)
              else x.frame(rng.normal(size=3), random_rotation(rng)) for x in (a, b)]
    for item in items(m.ground.frame(rng.normal(size=3)) if kinds[1] == "ground" else places[0], places[1]):
        m.add(item)
    return m


def state_of(items, seed, bodies):
    """The compiled model, moved to a random state off the constraints."""
    rng = np.random.default_rng(seed)
    return moved(model_of(items, rng, bodies).compile(exact=True).system, seed, rng)


def moved(system, seed, rng):
    c = ComplexStep(system, seed=seed)
    evaluation.retract(system.data, c.real.q.copy(), rng.normal(size=system.n), 0.4, c.real.q)
    return c


SLIDING = {
    "free": lambda b: [pl.SlidingOnBeam("J", "A.rail", b)],
    "axis": lambda b: [pl.SlidingOnBeam("J", "A.rail", b, turning="axis")],
    "none": lambda b: [pl.SlidingOnBeam("J", "A.rail", b, turning="none")],
    "two": lambda b: [pl.SlidingOnBeam("J", "A.rail", b, turning="none"), pl.SlidingOnBeam("K", "A.rail", "C")],
    "gear": lambda b: [pl.SlidingOnBeam("J", "A.rail", b, turning="axis"), pl.Revolute("K", "ground", b, axis="x"),
                       pl.RackPinion("G", "J", "K", radius=0.3)],
    "driven": lambda b: [pl.SlidingOnBeam("J", "A.rail", b, turning="none"), pl.Drive("J", "displacement", "0.3*t^2")],
    "spring": lambda b: [pl.SlidingOnBeam("J", "A.rail", b, turning="none"), pl.AxialSpring("F", "J", 30.0, "2*v + v^3", 0.3)],
    "signal": lambda b: [pl.SlidingOnBeam("J", "A.rail", b), pl.Force("F", b, ("-5*J.displacement_rate", "J.displacement^2", 1.0))],
}


def sliding(name, seed, kind):
    """A curved line of a modal body, and what slides on it: on random places of it, off the constraints."""
    rng = np.random.default_rng(seed)
    m = model_of(lambda a, b: [], rng, f"{kind} lined")
    body = m["A"]
    m.add(pl.RigidBody("C", mass=2.0, inertia=(1, 2, 3), position=rng.normal(size=3)))
    for item in SLIDING[name](m["B"]["frame1"]):
        m.add(item)
    system = m.compile(exact=True).system
    c = moved(system, seed, rng)
    for k in range(sum(isinstance(item, pl.SlidingOnBeam) for item in m)):
        c.real.q[_place(system, body, k)] = 0.2 + 0.3 * k
    return c


def _place(system, body, k):
    """Of the k-th frame that slides on the body, in q."""
    return system.data.rotations[system.bodies.index(body.name), 1] + 4 + body.reduced.n + k


@pytest.mark.parametrize("kind", ["rigid", "modal"])
@pytest.mark.parametrize("name", SLIDING)
def test_tangent_of_what_slides(name, kind):
    c = sliding(name, 5, kind)
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        expected = c.reference(*coefficients)
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=1e-12 * max(1.0, abs(expected).max()))


@pytest.mark.parametrize("kind", ["rigid", "modal"])
@pytest.mark.parametrize("name", ["free", "axis", "none", "two", "gear"])
def test_velocity_and_bias_of_what_slides(name, kind):
    check_rates(sliding(name, 7, kind))


@pytest.mark.parametrize("bodies", BODIES)
@pytest.mark.parametrize("name", CASES)
def test_tangent(name, bodies):
    c = state_of(CASES[name], 5, bodies)
    # a rotor at a node of a flexible body: the changes of its acceleration with q and v are left out (docs/theory/drives.md)
    partly = "modal" in bodies and name.split()[-1] in ("rotor_inertia", "dc_motor", "pmsm")
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))[:1 if partly else 3]:
        expected = c.reference(*coefficients)
        tolerance = 1e-12 if name != "spring law" else 1e-8  # the slopes of a Python function are differences
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=tolerance * max(1.0, abs(expected).max()))


@pytest.mark.parametrize("name", [name for name, cls in every_kind() if brings_bodies(cls)])
def test_tangent_of_bodies(name):
    m = model_of(dict(every_kind())[name].example, np.random.default_rng(5), "rigid ground")
    c = ComplexStep(m.compile(exact=True).system, seed=5)
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        expected = c.reference(*coefficients)
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=1e-12 * max(1.0, abs(expected).max()))


@pytest.mark.parametrize("bodies", BODIES)
@pytest.mark.parametrize("name", [name for name in CASES if name.startswith(("joints", "revolute"))])
def test_velocity_and_bias(name, bodies):
    check_rates(state_of(CASES[name], 7, bodies))


def check_rates(c):
    s, x, n_v = c.system, c.real, c.system.n_v
    x.V[:] = 0
    evaluation.run(s.program("rates"), s.data, x, c.t, 0.0, 0.0, 0.0)
    g1, g2 = x.V[n_v:].copy(), x.R[n_v:].copy()
    held = np.setdiff1d(np.arange(n_v, s.n), s.data.speeds) - n_v  # what holds for velocities only is no derivative
    np.testing.assert_allclose(g1[held], c.residual(x.v, "q")[n_v:][held], rtol=0, atol=1e-12 * max(1, abs(g1).max()))
    moved = (c.memory(x.v, "q", "rates").V[n_v:].imag.copy() + c.memory(x.a, "v", "rates").V[n_v:].imag) / STEP
    np.testing.assert_allclose(g2, moved, rtol=0, atol=1e-12 * max(1, abs(g2).max()))


EQUATIONS = {"revolute": 5, "spherical": 3, "universal": 4, "prismatic": 5, "cylindrical": 4, "planar": 3, "fixed": 6, "screw": 5,
             "distance": 1, "point_on_line": 2, "point_on_plane": 1}


@pytest.mark.parametrize("name", EQUATIONS)
def test_number_of_equations_and_rank(name):
    """Full row rank at the pose as modelled, where the constraints hold (for bodies that meet)."""
    m = pl.Model("pair")
    rng = np.random.default_rng(2)
    a, b = (m.add(pl.RigidBody(n, mass=1.0, inertia=(1, 1, 1), rotation=random_rotation(rng))) for n in "AB")
    at = (0.7, 0, 0) if name == "distance" else (0, 0, 0)
    for item in KINDS["joints"][name].example(a.frame((0, 0, 0), random_rotation(rng)), b.frame(at)):
        m.add(item)
    d = m.compile()
    c = ComplexStep(d.system)
    C = c.tangent(1.0, 0.0, 0.0)[12:, :12]
    assert C.shape[0] == EQUATIONS[name]
    assert np.linalg.matrix_rank(C, tol=1e-9) == EQUATIONS[name]
    if name != "distance":
        assert max(d.gaps().values()) < 1e-12
