"""Variables and named tables: names in other expressions, channels, exact tangents, and loops that are named."""
import numpy as np
import pytest
from closed_forms import N
from derivatives import ComplexStep
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401

import pliant as pl
from pliant.text.model_text import from_text, to_text

Z = np.array([[0.0, 1, 4, 9], [1, 2, 5, 7], [3, 3, 2, 1]])


def arm() -> pl.Model:
    """In space, off the axes; a torque by a map of angle and speed, a force by a variable of variables."""
    m = pl.Model("arm", gravity=(0.3, -9.81, 1.0))
    m.parameter("r", "0.2 m")
    m.table("map", pl.Table2([-2, 0, 2], [-9, -1, 1, 9], Z, "cubic", "extrapolated"))
    m.table("soft", pl.Table([-1, 0, 1, 2], [3, 0, 1, 4], "cubic", "extrapolated"))
    a = m.add(pl.RigidBody("a", mass=1.0, inertia=(0.2, 0.3, 0.4), position=(0.5, 0, 0)))
    b = m.add(pl.RigidBody("b", mass=2.0, inertia=(0.3, 0.2, 0.5), position=(1.2, 0.1, 0.3)))
    m.add(pl.Revolute("A", m.ground, a.frame((-0.5, 0, 0)), axis=(0.3, 1, 0.2), angle_rate=0.7))
    m.add(pl.Spherical("B", a.frame((0.5, 0, 0)), b.frame((-0.2, -0.1, -0.3))))
    m.add(pl.Variable("slip", "A.angle_rate*r - b.velocity.z", "m/s"))
    m.add(pl.Variable("push", "soft(slip) + 0.1*map(A.angle, slip) + r*sin(3*t)", "N"))
    m.add(pl.Force("f", b, ("push", "-0.5*push*slip", 0), axes="frame"))
    m.add(pl.TorsionSpring("s", "A", stiffness="x + 0.2*map(x, v) + 0.1*push"))
    return m


def test_a_variable_is_a_channel():
    m = arm()
    sol = m.simulate(1.0, output_step=0.05, accuracy=1e-8)
    slip = 0.2 * sol["A.angle_rate"] - sol["b.velocity.z"]
    np.testing.assert_allclose(sol["slip"], slip, atol=1e-13)
    push = m.tables["soft"].evaluate(slip) + 0.1 * m.tables["map"].evaluate(sol["A.angle"], slip) + 0.2 * np.sin(3 * sol.t)
    np.testing.assert_allclose(sol["push"], push, atol=1e-13)
    assert sol.units["slip"] == "m/s" if hasattr(sol, "units") else True


def test_tangents_are_exact():
    """Of forces by variables, tables of two variables and parameters: by a complex step, with all geometric blocks."""
    c = ComplexStep(arm().compile(exact=True).system)
    exact, found = c.reference(0.7, 0.5, 0.3), c.tangent(0.7, 0.5, 0.3)
    assert abs(found - exact).max() < 1e-12 * abs(exact).max()


def test_both_coordinates_give_the_same():
    options = {"output_step": 0.1, "accuracy": 1e-10, "integrator": pl.DOP853()}
    absolute, joint = (arm().simulate(1.0, coordinates=c, **options) for c in ("absolute", "joint"))
    for name in ("b.position", "push", "A.angle"):
        np.testing.assert_allclose(absolute[name], joint[name], atol=1e-8)


def test_a_variable_is_what_it_stands_for():
    """The same bits as with everything written out."""
    m = arm()
    slip = "(A.angle_rate*0.2 - b.velocity.z)"
    push = f"(soft({slip}) + 0.1*map(A.angle, {slip}) + 0.2*sin(3*t))"
    other = arm()
    other["f"].vector = (push, f"-0.5*{push}*{slip}", 0)
    other["s"].stiffness = f"x + 0.2*map(x, v) + 0.1*{push}"
    np.testing.assert_array_equal(m.simulate(0.3).rows, other.simulate(0.3).rows)


def test_round_trip_and_resume(tmp_path, one_slice):
    m, out = arm(), tmp_path / "run.h5"
    text = to_text(m)
    assert to_text(from_text(text)) == text
    whole = m.simulate(1.0, output_step=0.01)
    np.testing.assert_array_equal(from_text(text).simulate(1.0, output_step=0.01).rows, whole.rows)
    with pytest.raises(Stop):
        m.simulate(1.0, output_step=0.01, progress=stopping(0.4), out=out)
    sol = pl.load(out)
    assert not sol.complete and equal(sol.resume(), whole)
    np.testing.assert_array_equal(pl.load(out)["push"], whole["push"])


def test_gas_over_the_crank_angle():
    """A pressure by a table of the angle, over two turns: the work of one cycle is the integral of the table."""
    angle = np.linspace(0, 4 * np.pi, 25)
    torque = np.where(angle < 2 * np.pi, 5 * np.sin(angle) ** 2, -1.0)
    m = pl.Model("engine")
    m.table("gas", pl.Table(angle, torque, "linear"))
    wheel = m.add(pl.RigidBody.cylinder("wheel", radius=0.2, length=0.05, mass=10.0, axis=tuple(N)))
    m.add(pl.Revolute("A", m.ground, wheel, axis=tuple(N), angle_rate=50.0))
    m.add(pl.TorsionSpring("g", "A", stiffness="-gas(mod(x, 4*pi))"))
    sol = m.simulate(0.6, accuracy=1e-9)
    fine = np.linspace(0, 12 * np.pi, 600_001)
    work = np.concatenate([[0.0], np.cumsum(np.interp(np.mod((fine[1:] + fine[:-1]) / 2, 4 * np.pi), angle, torque) * np.diff(fine))])
    energy = 0.2 / 2 * sol["A.angle_rate"] ** 2
    assert sol["A.angle"][-1] > 8 * np.pi
    np.testing.assert_allclose(energy - energy[0], np.interp(sol["A.angle"], fine, work), atol=1e-4)


def test_a_drive_along_a_table_of_two_variables_has_its_kinks():
    """Bilinear along a diagonal: the speed of the drive jumps at every line of the grid."""
    m = pl.Model("kinks")
    m.table("two", pl.Table2([0, 0.3, 1], [0, 0.5, 1], [[0, 0.2, 0.1], [0.3, 0.1, 0.4], [0.2, 0.5, 0.0]], "linear"))
    b = m.add(pl.RigidBody.box("b", (0.1, 0.1, 0.1), mass=2.0))
    m.add(pl.Prismatic("P", m.ground, b, axis=tuple(N)))
    m.add(pl.Drive("P", "displacement", "two(t, 1 - t)"))
    sol = m.simulate(1.0, output_step=0.01, integrator=pl.DOP853())
    np.testing.assert_allclose(sol["P.displacement"], m.tables["two"].evaluate(sol.t, 1 - sol.t), atol=1e-10)
    for t in (0.3, 0.5):
        k = np.searchsorted(sol.t, t)
        assert abs(sol["P.displacement_rate"][k + 1] - sol["P.displacement_rate"][k - 1]) > 0.05


@pytest.mark.parametrize(("expression", "message"), [
    ("2*nothing", "unknown name 'nothing'"), ("A.angle(2)", "unexpected|operator is missing"),
    ("A.angel", "cannot be used in an expression.*angle"), ("map(1)", "'map' takes 2 arguments, 1 is given"),
    ("map", "'map' is a table; write 'map"), ("mapp(1, 2)", "unknown function 'mapp'; did you mean 'map'"),
    ("A.angle > 2", "a number is due, this is a condition"), ("", "is empty")])
def test_variables_that_are_refused(expression, message):
    m = arm()
    with pytest.raises(ValueError, match=message):
        m.add(pl.Variable("u", expression))
        m.compile()


def test_loops_of_variables_are_named():
    text = to_text(arm()).replace("variables:\n", "variables:\n  u: vv + 1\n  vv: 2*w2\n  w2: u*A.angle\n")
    text = text.replace("A.angle_rate*r - ", "u + A.angle_rate*r - ")
    with pytest.raises(ValueError, match=r"variables\.slip.*: variables need each other: u -> vv -> w2 -> u; break the loop"):
        from_text(text)


def test_doubling_variables_are_bounded():
    """Twenty variables, each the square of the one before and a little more: told, and at once."""
    m = arm()
    m.add(pl.Variable("u0", "1 + 0.1*A.angle"))
    for k in range(20):
        m.add(pl.Variable(f"u{k + 1}", f"u{k}*u{k} + u{k}"))
    m.add(pl.Force("much", "a", ("u20", 0, 0)))
    with pytest.raises(pl.ModelError, match=r"force 'much': vector: .* takes more than 20000 operations"):
        m.compile()
