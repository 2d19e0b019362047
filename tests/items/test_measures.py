"""Measures: the motion of one frame against another, in the axes of a third."""
import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from sliding_models import floating

import pliant as pl
from pliant.items.base import matrix_of
from pliant.text.model_text import from_text, to_text


def machine() -> pl.Model:
    """Three bodies that tumble, each for itself; measures in the axes of each, of the world, and of one of their own."""
    m, rng = pl.Model("three", gravity=(0, 0, -9.81)), np.random.default_rng(2)
    for name in "abc":
        m.add(pl.RigidBody(name, mass=1, inertia=(1, 2, 2.5), com=0.1 * rng.normal(size=3), position=rng.normal(size=3),
                           rotation=pl.rotation(rng.normal(size=3), 1.0), velocity=rng.normal(size=3),
                           angular_velocity=3 * rng.normal(size=3)))
    a, b, c = (m[name] for name in "abc")
    p, q = a.frame((0.2, 0.1, 0), rotation=pl.rotation("x", 0.3)), b.frame((0, 0.3, -0.1), rotation=pl.rotation("y", 1.3))
    m.add(pl.Measure("world", p, q))
    m.add(pl.Measure("fixed", p, q, axes=m.ground))
    m.add(pl.Measure("own", p, q, axes=p))
    m.add(pl.Measure("third", p, q, axes=c.frame((7, 8, 9), rotation=pl.rotation((1, 1, 0), 0.5))))
    return m


@pytest.fixture(scope="module", params=["absolute", "joint"])
def sol(request) -> pl.Solution:
    return machine().simulate(0.5, accuracy=1e-9, output_step=1e-3, coordinates=request.param)


def axes(sol, name, turn=(1, 0, 0, 0)) -> np.ndarray:
    return np.array([matrix_of(q) @ matrix_of(turn) for q in sol[f"{name}.rotation"]])


def test_positions_in_all_axes(sol):
    A, B, C = axes(sol, "a", pl.rotation("x", 0.3)), axes(sol, "b"), axes(sol, "c", pl.rotation((1, 1, 0), 0.5))
    d = sol["b.position"] + B @ (0, 0.3, -0.1) - sol["a.position"] - axes(sol, "a") @ (0.2, 0.1, 0)
    np.testing.assert_allclose(sol["world.position"], d, atol=1e-12)
    np.testing.assert_array_equal(sol["world.position"], sol["fixed.position"])
    np.testing.assert_allclose(sol["own.position"], np.einsum("nji,nj->ni", A, d), atol=1e-12)
    np.testing.assert_allclose(sol["third.position"], np.einsum("nji,nj->ni", C, d), atol=1e-12)


@pytest.mark.parametrize("name", ["world", "own", "third"])
def test_velocity_is_the_rate_of_the_components(sol, name):
    rate = CubicSpline(sol.t, sol[f"{name}.position"])(sol.t, 1)
    np.testing.assert_allclose(sol[f"{name}.velocity"][3:-3], rate[3:-3], atol=2e-5)
    np.testing.assert_allclose(np.linalg.norm(sol[f"{name}.position"], axis=1), sol[f"{name}.distance"], rtol=1e-12)
    along = np.einsum("ni,ni->n", sol[f"{name}.position"], sol[f"{name}.velocity"]) / sol[f"{name}.distance"]
    np.testing.assert_allclose(along, sol[f"{name}.rate"], atol=1e-11)  # turning axes change no length


def turned(vectors) -> np.ndarray:
    return np.array([matrix_of(pl.rotation(v, np.linalg.norm(v))) for v in vectors])


def test_rotation_and_its_rate(sol):
    """exp of the rotation vector is R_AB; with w in the axes of a, dR/dt R^T = [w]."""
    A, B, C = axes(sol, "a", pl.rotation("x", 0.3)), axes(sol, "b", pl.rotation("y", 1.3)), axes(sol, "c", pl.rotation((1, 1, 0), 0.5))
    R = turned(sol["own.rotation_vector"])
    np.testing.assert_allclose(R, np.einsum("nji,njk->nik", A, B), atol=1e-12)
    for name, W in (("world", np.eye(3)[None]), ("own", A), ("third", C)):  # the same vectors, in other axes
        for channel in ("rotation_vector", "angular_velocity"):
            np.testing.assert_allclose(np.einsum("nij,nj->ni", W + 0 * A, sol[f"{name}.{channel}"]), sol[f"world.{channel}"], atol=1e-11)
        np.testing.assert_allclose(np.linalg.norm(sol[f"{name}.rotation_vector"], axis=1), sol["own.angle"], atol=1e-7)
    spin = np.einsum("nij,nkj->nik", CubicSpline(sol.t, R)(sol.t, 1), R)[5:-5]
    np.testing.assert_allclose(np.column_stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]]), sol["own.angular_velocity"][5:-5], atol=1e-4)


def test_no_rotation_and_half_a_turn():
    """A body that turns about z, seen from the ground: the rotation vector ends at half a turn and goes on from the other side."""
    m = pl.Model("turns")
    m.add(pl.RigidBody("a", mass=1, inertia=(1, 1, 1), angular_velocity=(0, 0, np.pi)))
    m.add(pl.Measure("m", m.ground, "a"))
    sol = m.simulate(2.0, output_step=0.25)
    np.testing.assert_allclose(sol["m.rotation_vector.z"], np.pi * np.array([0, 0.25, 0.5, 0.75, 1, -0.75, -0.5, -0.25, 0]), atol=1e-6)
    assert not sol["m.rotation_vector"][0].any()


def test_units(sol):
    due = {"distance": "m", "rate": "m/s", "angle": "rad", "position": "m", "velocity": "m/s", "angular_velocity": "rad/s",
           "rotation_vector": "rad"}
    assert {c: sol.unit(f"third.{c}") for c in due} == due


def test_on_a_flexible_body():
    """Axes that bend with a node; the body's own frame as one of the ends."""
    m = floating("none")
    m.add(pl.Measure("m", "beam", "load", axes="beam.end"))
    m.add(pl.Measure("own", "beam", m.ground, axes="beam"))
    sol = m.simulate(0.05, accuracy=1e-9, output_step=1e-4)
    for name in ("m", "own"):
        rate = CubicSpline(sol.t, sol[f"{name}.position"])(sol.t, 1)
        np.testing.assert_allclose(sol[f"{name}.velocity"][5:-5], rate[5:-5], atol=1e-5 * abs(rate).max())
    np.testing.assert_allclose(sol["own.position"], np.einsum("nji,nj->ni", axes(sol, "beam"), -sol["beam.position"]), atol=1e-12)


def test_text_is_the_same():
    m = machine()
    again = from_text(to_text(m))
    assert [again[n] == m[n] for n in ("world", "fixed", "own", "third")] == [True] * 4
    assert "axes" not in m["world"].plain() and m["fixed"].plain()["axes"] == "ground"


def test_wrong_axes():
    with pytest.raises(pl.ItemError, match="measure 'm': axes: 3 must be a frame"):
        pl.Measure("m", "a", "b", axes=3)
    m = machine()
    m.add(pl.Measure("m", "a", "b", axes="d"))
    with pytest.raises(pl.ModelError, match="measure 'm': there is no body 'd'; there are ground, a, b, c"):
        m.compile()
