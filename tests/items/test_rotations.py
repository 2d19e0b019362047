"""Rotations as users give them: axis and angle, Euler and Cardan angles, quaternions, matrices."""
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.items.base import matrix_of
from pliant.items.errors import ItemError
from pliant.text.model_text import from_text, to_text

ANGLES = (0.3, -1.1, 2.5)
EULER = ("zxz", "xyx", "yzy", "zyz", "xzx", "yxy")
CARDAN = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")


@pytest.mark.parametrize("sequence", [*EULER, *CARDAN])
@pytest.mark.parametrize("about", ["moving", "fixed"])
def test_three_turns(sequence, about):
    """Against SciPy, where capital letters are axes that are carried along."""
    given = {"euler" if sequence in EULER else "cardan": ANGLES}
    expected = Rotation.from_euler(sequence.upper() if about == "moving" else sequence, ANGLES).as_matrix()
    np.testing.assert_allclose(matrix_of(pl.rotation(**given, sequence=sequence, about=about)), expected, atol=1e-14)
    body = pl.RigidBody("b", 1.0, rotation={**given, "sequence": sequence, "about": about})
    np.testing.assert_allclose(matrix_of(body.rotation), expected, atol=1e-14)


def test_units_and_usual_sequences():
    degrees = [f"{np.degrees(a)} deg" for a in ANGLES]
    np.testing.assert_allclose(pl.rotation(cardan=degrees), pl.rotation(cardan=ANGLES, sequence="xyz"), atol=1e-15)
    np.testing.assert_allclose(pl.rotation(euler=degrees), pl.rotation(euler=ANGLES, sequence="zxz"), atol=1e-15)
    np.testing.assert_allclose(matrix_of(pl.rotation("z", "90 deg")) @ [1, 0, 0], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(pl.rotation(axis=(0, 0, 2), angle=0.4), pl.rotation("z", 0.4), atol=1e-16)


def test_in_text_wherever_a_rotation_is_given():
    text = """pliant: 1
ground: {frames: {wall: {point: [0, 0, 0], rotation: {euler: [10 deg, 20 deg, 30 deg]}}}}
bodies:
  a: {mass: 1, position: [0, 0, 0], rotation: {cardan: [10 deg, 20 deg, 30 deg], sequence: zyx, about: fixed}}
joints:
  A: {kind: fixed, between: [ground.wall, {body: a, point: [0, 0, 0], rotation: {axis: [1, 1, 0], angle: 30 deg}}]}
"""
    m = from_text(text)
    np.testing.assert_allclose(m["a"].rotation, pl.rotation(cardan=["10 deg", "20 deg", "30 deg"], sequence="zyx", about="fixed"))
    np.testing.assert_allclose(m.ground.frames["wall"].rotation, pl.rotation(euler=["10 deg", "20 deg", "30 deg"]))
    assert to_text(from_text(to_text(m))) == to_text(m)


def test_degrees_without_a_unit_warn():
    with pytest.warns(UserWarning, match=r"rotation: angle = 30 rad is 4\.77 turns; write '30 deg' if degrees are meant, '30 rad' if not"):
        pl.rotation("z", 30)
    with pytest.warns(UserWarning, match="rotation: angle = 90 rad"):
        pl.RigidBody("b", 1.0, rotation={"cardan": [0, 90, 0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for angle in ("30 deg", "30 rad", 6.28, -2 * np.pi):
            pl.rotation("z", angle)


WRONG = [({"sequence": "xyz", "euler": ANGLES}, "sequence 'xyz' of euler angles must be two letters, the first and last"),
         ({"sequence": "zxz", "cardan": ANGLES}, "sequence 'zxz' of cardan angles must be the three letters x, y, z"),
         ({"sequence": "zzx", "cardan": ANGLES}, "sequence 'zzx' of cardan"),
         ({"sequence": 3, "cardan": ANGLES}, "sequence 3 of"),
         ({"cardan": ANGLES[:2]}, "must be three angles"),
         ({"cardan": "10 deg"}, "must be three angles"),
         ({"cardan": ("1 m", 0, 0)}, "'1 m' is a length"),
         ({"cardan": ANGLES, "about": "world"}, "about 'world' must be 'moving'"),
         ({"euler": ANGLES, "cardan": ANGLES}, "must be one of {axis: z"),
         ({"axis": "z"}, "must have the two entries axis and angle"),
         ({"axis": "z", "angle": 1, "about": "fixed"}, "must have the two entries axis and angle"),
         ({"eular": ANGLES}, "must be one of {axis: z"),
         ({}, "must be one of {axis: z")]


@pytest.mark.parametrize(("given", "told"), WRONG)
def test_wrong_ones_are_told(given, told):
    with pytest.raises(ItemError) as caught:
        pl.RigidBody("b", 1.0, rotation=given)
    assert told in str(caught.value) and "rigid 'b': rotation: " in str(caught.value)


WORDS = [("Weld", "Fixed"), ("Hinge", "Revolute"), ("revolute", "Revolute"), ("Sperical", "Spherical")]


@pytest.mark.parametrize(("word", "meant"), WORDS)
def test_other_words_are_found(word, meant):
    with pytest.raises(AttributeError, match=f"module 'pliant' has no attribute '{word}'; did you mean pl.{meant}"):
        getattr(pl, word)
    assert not hasattr(pl, "_nothing")
