"""Contacts with height fields as users state them: planes, bowls and hills."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.text.model_text import from_text, to_text

G = 9.81
X, Y = np.linspace(-1, 1, 9), np.linspace(-0.8, 0.8, 7)


def ground(z) -> pl.Surface:
    return pl.Surface.height_field(X, Y, z(X[:, None], Y))


def thrown(surface, tilt=0.0, **law) -> pl.Model:
    m = pl.Model("thrown", gravity=(0, 0, -G))
    m.add(pl.RigidBody.sphere("ball", 0.1, mass=0.5, position=(0.1, 0.05, 0.4), velocity=(-0.4, 0.3, 0.0), angular_velocity=(1, 2, 3)))
    floor = m.ground.frame((0, 0, 0), pl.rotation("y", -tilt))
    m.add(pl.Contact("touch", floor, "ball", surface_a=surface, **law))
    return m


@pytest.mark.parametrize("law", [{"stiffness": 1e6, "restitution": 0.6, "friction": 0.3},
                                 {"law": "rigid", "restitution": 0.6, "friction": 0.3}], ids=["compliant", "rigid"])
def test_a_flat_field_is_a_plane(law):
    """Tilted by its heights, or by the frame of a plane."""
    tilt = 0.2
    field = from_text(to_text(thrown(ground(lambda x, y: np.tan(tilt) * x + 0 * y), **law)))
    one, other = (m.simulate(0.6, accuracy=1e-9, output_step=0.1) for m in (field, thrown(pl.Surface.plane(), tilt, **law)))
    assert len(one.events.of("touch")) == len(other.events.of("touch")) > 1
    assert one["ball.position"] == pytest.approx(other["ball.position"], abs=1e-7)


def test_a_ball_slides_in_a_bowl():
    """Its centre moves on the parallel curve of z = x^2 / 2 at the distance r, as a bead without friction."""
    m = pl.Model("bowl", gravity=(0, 0, -G))
    bowl, r, s0 = ground(lambda x, y: (x**2 + y**2) / 2), 0.1, 0.6

    def centre(s):
        return np.array([s, s**2 / 2]) + r * np.array([-s, 1]) / np.sqrt(1 + s**2)

    def rate(t, y):
        s, v = y
        w = np.sqrt(1 + s**2)
        c1 = np.array([1, s]) + r * (np.array([-1, 0]) / w - s * np.array([-s, 1]) / w**3)
        c2 = np.array([0, 1]) + r * (s / w**3 * np.array([1, 0]) - np.array([-2 * s, 1]) / w**3 + 3 * s**2 * np.array([-s, 1]) / w**5)
        return v, -(c1 @ c2 * v**2 + G * c1[1]) / (c1 @ c1)
    x, z = centre(s0)
    m.add(pl.RigidBody.sphere("ball", r, mass=0.5, position=(x, 0, z)))
    m.add(pl.Contact("touch", "ball", "ground", surface_b=bowl, law="rigid"))
    sol = m.simulate(1.0, accuracy=1e-8, output_step=0.25)
    s = solve_ivp(rate, (0, 1), (s0, 0), rtol=1e-12, atol=1e-13, method="DOP853", t_eval=sol.t).y[0]
    assert sol["ball.position"][:, [0, 2]] == pytest.approx(np.array([centre(k) for k in s]), abs=1e-7)
    assert abs(sol["touch.gap"]).max() < 1e-9


def test_bounces_on_hills_keep_energy():
    hills = ground(lambda x, y: 0.1 * np.sin(3 * x) * np.cos(2 * y))
    for law in ({"law": "rigid", "restitution": 1.0}, {"stiffness": 1e6, "restitution": 1.0}):
        sol = thrown(hills, **law).simulate(0.8, accuracy=1e-9)
        assert len(sol.events.of("touch")) > 1 and np.ptp(sol.energy.balance) < 2e-8


def test_corners_touch_on_request():
    m = pl.Model("box", gravity=(0, 0, -G))
    m.add(pl.RigidBody.box("box", (0.2, 0.3, 0.1), mass=1, position=(0, 0, 0.2)))
    m.add(pl.Contact("touch", "box", "ground", surface_b=ground(lambda x, y: 0 * x + 0 * y), law="rigid"))
    with pytest.raises(pl.ModelError, match=r"contact 'touch': .*a box on a height field: only its vertices can touch"):
        m.compile()
    m["touch"].surface_b = pl.Surface.height_field(X, Y, np.zeros((9, 7)), touched_by="vertices")
    sol = m.simulate(0.5, accuracy=1e-7)
    assert sol["box.position.z"][-1] == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize(("fields", "told"), [
    ({"x": [0, 1], "y": [0, 1]}, "z: is missing; a height field needs it"),
    ({"x": [0, 1], "y": [0, 1], "z": [[0, 1]]}, "z: "),
    ({"x": [1, 0], "y": [0, 1], "z": [[0, 1], [0, 1]]}, r"z: table: x\[1\] = 0 follows x\[0\] = 1, x must increase"),
    ({"x": [0, 1], "y": [0, 1], "z": [[0, 1], [0, float("nan")]]}, "z"), ({"x": [0, 1], "y": [0, "1 kg"], "z": [[0, 1], [0, 2]]}, "y"),
    ({"x": [0, 1], "y": [0, 1], "z": [[0, 1], [0, 2]], "radius": 1}, "radius: a height field has none")])
def test_wrong_fields_are_told(fields, told):
    with pytest.raises(pl.ItemError, match=f"surface: {told}"):
        pl.Surface(kind="height_field", **fields)
