"""A driven linkage at the end of its travel: one code, the time, and the links that are in line there."""
import numpy as np
import pytest

import pliant as pl

METHODS = [{}, {"coordinates": "joint"}, {"step": 1e-3}, {"step": 1e-3, "coordinates": "joint"},
           {"step": 1e-3, "integrator": "runge-kutta-4"}, {"integrator": "generalized-alpha"}, {"output_step": 0.25}, {"step": 0.01}]


def four_bar(tilted: bool = False) -> pl.Model:
    """Crank 0.5, coupler 0.806, rocker 0.632, base 1 m: the crank cannot go round."""
    R = pl.rotation((1, 2, 3), 0.7) if tilted else (1.0, 0.0, 0.0, 0.0)
    from pliant.items.base import matrix_of
    A = matrix_of(R)
    m = pl.Model("four_bar", gravity=(0, -9.81, 0))
    a, b, c, d = (tuple(A @ p) for p in ((0, 0, 0), (0, 0.5, 0), (0.8, 0.6, 0), (1, 0, 0)))
    for name, start, end in (("crank", a, b), ("coupler", b, c), ("rocker", d, c)):
        m.add(pl.RigidBody.rod(name, start=start, end=end, mass=1))
    ends = (("A", "ground", "crank.start"), ("B", "crank.end", "coupler.start"), ("C", "coupler.end", "rocker.end"),
            ("D", m.ground.frame(d), "rocker.start"))
    for name, one, two in ends:
        m.add(pl.Revolute(name, one, two, axis=tuple(A[:, 2])))
    m.add(pl.Drive("A", "angle", "5*t", name="motor"))
    return m


@pytest.mark.parametrize("options", METHODS)
def test_a_four_bar_stops_where_coupler_and_rocker_are_in_line(options):
    """|1 - 0.5 exp(i phi)| = coupler + rocker, from phi = 90 degrees on at 5 rad/s."""
    reach = np.hypot(0.8, 0.1) + np.hypot(0.2, 0.6)
    end = (np.arccos((1 + 0.25 - reach**2) / 1.0) - np.pi / 2) / 5
    with pytest.raises(pl.SimulationError, match=r"drive 'motor' has brought the linkage to the end of its travel \('coupler' and 'rocker' "
                                                 r"are in line\)") as stopped:
        four_bar().simulate(2.0, **options)
    error = stopped.value
    assert error.code == "end-of-travel" and float(str(error).split("t = ")[1].split(" s")[0]) == pytest.approx(end, abs=1e-5)
    sol = error.solution
    assert sol.t[-1] <= end and not sol.complete
    np.testing.assert_allclose(sol["A.angle"], 5 * sol.t, atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"coordinates": "joint"}, {"integrator": "dormand-prince-54"},
                                     {"integrator": "runge-kutta-4", "step": 1e-3}])
def test_joints_that_cannot_be_closed_are_told_when_they_open(options):
    """A rod that two joints hold, and a drive that turns it: no row is between start and end, and no force that sets in later is blamed."""
    m = pl.Model("held", gravity=(0, 0, -9.81))
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("hinge", m.ground, rod["start"], axis=(1, 2, 3)))
    m.add(pl.Spherical("pin", m.ground.frame((1, 0, 0)), rod["end"]))
    m.add(pl.Drive("hinge", "angle", "0.1*t^2", name="motor"))
    m.add(pl.Force("push", rod, ("if(t > 0.5, 3, 0)", 0, 0)))
    with pytest.raises(pl.SimulationError, match=r"open by .*, and cannot be closed: drive 'motor' and the joints contradict") as stopped:
        m.simulate(1.0, output_step=1.0, **options)
    error = stopped.value  # 0.1 t^2 opens a joint by a billionth of the size, beyond rounding, at 1e-4 s
    assert error.code == "joint-open" and float(str(error).split("t = ")[1].split(" s")[0]) < 1e-3


def test_any_plane():
    with pytest.raises(pl.SimulationError, match=r"'coupler' and 'rocker' are in line") as stopped:
        four_bar(tilted=True).simulate(2.0)
    assert stopped.value.code == "end-of-travel"


def test_a_slider_that_pulls_its_crank_straight():
    """Crank 0.3, rod 0.5 m: the slider is driven beyond 0.8 m."""
    m = pl.Model("slider", gravity=(0, 0, -9.81))
    x = 0.3 * np.cos(1.0) + np.sqrt(0.25 - (0.3 * np.sin(1.0)) ** 2)
    knee = (0.3 * np.cos(1.0), 0, 0.3 * np.sin(1.0))
    m.add(pl.RigidBody.rod("crank", start=(0, 0, 0), end=knee, mass=1))
    m.add(pl.RigidBody.rod("rod", start=knee, end=(x, 0, 0), mass=1))
    m.add(pl.RigidBody.box("slider", size=(0.1, 0.1, 0.1), mass=1, position=(x, 0, 0)))
    m.add(pl.Revolute("A", "ground", "crank.start", axis="y"))
    m.add(pl.Revolute("B", "crank.end", "rod.start", axis="y"))
    m.add(pl.Revolute("C", "rod.end", "slider", axis="y"))
    m.add(pl.Prismatic("guide", m.ground.frame((x, 0, 0)), "slider", axis="x"))
    m.add(pl.Drive("guide", "displacement", "0.4*t", name="pull"))
    with pytest.raises(pl.SimulationError, match=r"'pull' has .* \('crank' and 'rod' are in line\)") as stopped:
        m.simulate(1.0)
    assert stopped.value.code == "end-of-travel"
    assert float(str(stopped.value).split("t = ")[1].split(" s")[0]) == pytest.approx((0.8 - x) / 0.4, abs=1e-5)
