"""Circuits: closed forms, switches and diodes, energy, and networks that cannot be."""
import numpy as np
import pytest

import pliant as pl
from pliant.items.errors import ItemError, ModelError
from pliant.text.model_text import from_text, to_text


def circuit(elements: dict) -> pl.Model:
    m = pl.Model("circuit")
    m.add(pl.RigidBody("b", 1.0, (1, 1, 1)))
    m.add(pl.Fixed("F", m.ground, m["b"]))
    m.add(pl.Circuit("c", {name: dict(zip(("kind", "a", "b", "value", "start"), given, strict=False)) for name, given in elements.items()}))
    return m


def closing(sol) -> float:
    balance = sol.energy.balance
    return abs(balance - balance[0]).max() / max(abs(sol.energy.work).max(), abs(sol.energy.dissipated).max())


def test_series_resonance():
    """R 2, L 0.1, C 1 mF from 5 V: damped oscillation; a voltage divider beside it shares the source."""
    m = circuit({"U": ("voltage", "in", "ground", 5.0), "R": ("resistor", "in", "x", 2.0), "L": ("inductor", "x", "y", "100 mH"),
                 "C": ("capacitor", "y", "ground", "1 mF"), "R1": ("resistor", "in", "half", 30.0),
                 "R2": ("resistor", "half", "ground", 10.0)})
    sol = m.simulate(0.2, accuracy=1e-10)
    d, w = 10.0, np.sqrt(1e4 - 100.0)
    known = 5 * (1 - np.exp(-d * sol.t) * (np.cos(w * sol.t) + d / w * np.sin(w * sol.t)))
    np.testing.assert_allclose(sol["c.C.voltage"], known, atol=1e-8)
    np.testing.assert_allclose(sol["c.R2.voltage"], 1.25, rtol=1e-12)
    np.testing.assert_allclose(sol["c.U.current"], -sol["c.L.current"] - 0.125, atol=1e-12)
    assert closing(sol) < 1e-8
    assert m.modes().frequencies.max() == pytest.approx(100 / 2 / np.pi, rel=1e-9)


def test_a_switch_and_a_freewheeling_diode():
    """An inductor is charged through a switch for 10 ms; then its current goes on through the diode, I e^(-R t / L) but for 'on', 'off'."""
    m = circuit({"U": ("voltage", "in", "ground", 10.0), "S": ("switch", "in", "x", "0.01 - t"), "R": ("resistor", "x", "y", 5.0),
                 "L": ("inductor", "y", "ground", 0.05), "D": ("diode", "ground", "x")})
    sol = m.simulate(0.03, accuracy=1e-9, output_step=1e-3)
    i, tau = sol["c.L.current"], 0.05 / 5.01
    up = sol.t <= 0.01
    np.testing.assert_allclose(i[up], 10 / 5.01 * (1 - np.exp(-sol.t[up] / tau)), rtol=2e-5)
    np.testing.assert_allclose(i[~up], i[up][-1] * np.exp(-(sol.t[~up] - 0.01) / tau), rtol=1e-4)
    np.testing.assert_allclose(sol["c.D.current"][~up], i[~up], rtol=1e-4, atol=2e-5)
    assert closing(sol) < 1e-8


def test_a_rectifier_charges():
    """Half wave through a resistor into a capacitor: the diode conducts by the voltage behind the resistor."""
    m = circuit({"U": ("voltage", "in", "ground", "10*sin(314.159265*t)"), "R": ("resistor", "in", "x", 1.0), "D": ("diode", "x", "out"),
                 "C": ("capacitor", "out", "ground", 1e-3), "load": ("resistor", "out", "ground", 1e3)})
    sol = m.simulate(0.1, accuracy=1e-8)
    assert 9.7 < sol["c.C.voltage"][-1] < 10.0 and sol["c.D.current"].min() > -1e-4 and closing(sol) < 1e-8


def test_a_circuit_feeds_a_motor():
    """A capacitor discharges into a motor: its current is a source of the circuit, its voltage that of the motor."""
    m = pl.Model("feed")
    m.add(pl.RigidBody("disc", 1.0, (0.01,) * 3))
    m.add(pl.Revolute("A", m.ground, m["disc"], axis="z"))
    m.add(pl.DCMotor("m", "A", "c.C.voltage", resistance=1.0, inductance=0.01, constant=0.2))
    m.add(pl.Circuit("c", {"C": {"kind": "capacitor", "between": ["x", "ground"], "value": "0.1 F", "start": 12.0},
                           "I": {"kind": "current", "between": ["x", "ground"], "value": "m.current"}}))
    sol = m.simulate(1.0, accuracy=1e-9)
    total = sol.energy.kinetic + sol.energy.elastic + sol.energy.dissipated
    np.testing.assert_allclose(total, 0.5 * 0.1 * 12**2, rtol=1e-8)
    text = to_text(m)
    assert to_text(from_text(text)) == text
    m.rename("m", "drive")
    assert m["c"].elements["I"].value == "drive.current"
    with pytest.raises(ModelError, match="'A' is used by"):
        m.remove("A")


C, U, L, R = ({"kind": kind, "between": ["a", "ground"], "value": 1.0} for kind in ("capacitor", "voltage", "inductor", "resistor"))


@pytest.mark.parametrize(("elements", "told"), [
    ({"U": U, "C": C}, "'U', 'C' are a loop of capacitors and voltage sources alone"),
    ({"L": L, "I": {**U, "kind": "current"}}, "inductors and current sources alone \\('L', 'I'\\)"),
    ({"R": {**R, "between": ["a", "b"]}}, "nothing connects 'a', 'b' with the node 'ground'"),
    ({"R": {**R, "value": -1}}, "value: -1.0 must be a number greater than zero \\[ohm\\]"),
    ({"R": {**R, "value": "2 V"}}, "'2 V' is a voltage \\[V\\], a resistance \\[ohm\\] is due"),
    ({"R": {**R, "between": ["a", "a"]}}, "both ends are at node 'a'"),
    ({"R": R, "D": {"kind": "diode", "between": ["a", "b"]}, "E": {"kind": "diode", "between": ["b", "ground"]},
      "S": R | {"between": ["b", "ground"]}},
     "diodes 'D' and 'E' see each other"),
    ({}, "there are none"),
    ({"R": R | {"kind": "memristor"}}, "elements.R.kind"),
])
def test_networks_that_cannot_be(elements, told):
    with pytest.raises(ItemError, match=told):
        pl.Circuit("c", elements)


def test_wrong_circuits_are_told_with_their_line():
    text = ("pliant: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\nblocks:\n  c:\n    kind: circuit\n    elements:\n"
            "      U: {kind: voltage, between: [a, ground], value: VALUE}\n      R: {kind: resistor, between: [a, ground], value: 1 ohm}\n")
    from_text(text.replace("VALUE", "3 V"))
    with pytest.raises(ModelError, match=r"8: blocks\.c\.elements\.U\.value: channel 'm.current': there is no body"):
        from_text(text.replace("VALUE", "2*m.current"))
    with pytest.raises(ModelError, match=r"8: blocks\.c\.elements\.U: value: '3 A' is a current"):
        from_text(text.replace("VALUE", "3 A"))
