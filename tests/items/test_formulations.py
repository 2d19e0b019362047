"""The same beam by several formulations: one word is changed, frames, joints, forces and channels stay."""

import numpy as np
import pytest
from closed_forms import elastica_tip
from derivatives import ComplexStep

import pliant as pl
from pliant.items.beam_formulations import FORMULATIONS
from pliant.kernels import evaluation
from pliant.text.model_text import from_text
from pliant.text.model_writing import to_text

ARC = [(np.sin(a), 0.2 * a, 1 - np.cos(a)) for a in np.linspace(0, 2, 9)]
PARTS = ("kinetic", "potential", "elastic", "dissipated")


def crane(points=None, elements=6, **more):
    """A boom on a sprung hinge behind another body, with a load on a pin, frames at nodes, between them, without names, beside the axis."""
    m = pl.Model("crane", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.box("first", (0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 0)))
    axis = {"start": (0, 0, 0), "end": (2, 0.5, 0.3)} if points is None else {"points": points}
    boom = m.add(pl.Beam("boom", **axis, material="aluminium", elements=elements, frames={"hook": 0.7, "half": 0.5}, damping=1e-4,
                         **{"profile": pl.Section.rectangle(0.03, 0.05)} | more))
    m.add(pl.Fixed("foot", "first", "boom.start"))
    m.add(pl.Revolute("hinge", m.ground, "first", axis="y"))
    m.add(pl.TorsionSpring("stay", "hinge", stiffness=3000.0, damping=30.0))
    m.add(pl.RigidBody.sphere("load", 0.02, mass=1.0, position=boom.axis.poses[-1].point.tolist()))
    m.add(pl.Spherical("pin", "boom.end", "load"))
    m.add(pl.SpringDamper("line", "boom.hook", m.ground.frame((1, 0, 1)), 500.0, 1.0))
    m.add(pl.SpringDamper("beside", boom.frame((1.0, 0.1, 0.2)), m.ground.frame((1, 1, 1)), 300.0))
    m.add(pl.Force("wind", boom.at(0.31), (0, "5 - boom.node_3.velocity.y", 0)))
    m.add(pl.Torque("motor", "boom.end", (1, 0, 0), axes="frame"))
    m.add(pl.Measure("way", boom.at(0.52), m.ground.frame((0, 0, 0))))
    return m


def found(m):
    sol = m.simulate(0.3, output_step=0.1, accuracy=1e-6, progress=False)
    whole = sum(sol[f"energy.{part}"] for part in PARTS) - sol["energy.work"]
    assert abs(whole - whole[0]).max() < 1e-5 * abs(sol["energy.kinetic"]).max()
    return sol


@pytest.mark.parametrize("points", [None, ARC], ids=["straight", "curved"])
def test_stiff_beams_are_the_same(points):
    """Small deformation: in places, the exact, corotational, modal and segmented boom agree within 1 % of what they differ by from the
    rigid one, in forces and rates of turning, which fast modes have a part in, within 1 % of their values."""
    m = crane(points, 24)
    words = "rigid", "geometrically-exact", "corotational", "modal", "segments", "ancf"
    seen = {word: found(m.replace("boom", formulation=word)) for word in words}
    names = {word: {c for c in sol.channels if not (c.startswith("boom.") and c.endswith(("force", "moment", "strain", "curvature")))}
             for word, sol in seen.items()}
    assert all(own == names["rigid"] for own in names.values())
    for channel in ("boom.end.position", "boom.hook.position", "boom.half.angular_velocity", "way.distance", "foot.torque", "beside.force"):
        exact, stiff = seen["geometrically-exact"][channel], seen["rigid"][channel]
        for word in words[2:]:
            far, size = abs(seen[word][channel] - exact).max(), abs(exact - stiff if "position" in channel else exact).max()
            assert far < 0.01 * size, (word, channel, far, size)


def test_static_tips_of_small_deflection_agree():
    """Up to 5 % of the length, within 1 %: modal, corotational, exact and segments."""
    m = pl.Model("cantilever")
    m.add(pl.Beam("boom", (0, 0, 0), (1, 0, 0), pl.Section.rectangle(0.02, 0.01), "steel", elements=16))
    m.add(pl.Fixed("foot", m.ground, "boom.start"))
    EI = 210e9 * 0.02 * 0.01**3 / 12
    for load in (0.03, 0.15):
        m.add(pl.Force("P", "boom.end", (0, 0, load * EI)))
        tips = {word: m.replace("boom", formulation=word).static().position("boom.end")[2]
                for word in ("geometrically-exact", "corotational", "modal", "segments", "ancf")}
        m.remove("P")
        assert 0.009 < tips["geometrically-exact"] < 0.0501
        np.testing.assert_allclose(list(tips.values()), tips["geometrically-exact"], rtol=1e-2)


@pytest.mark.parametrize("word", ["segments", "ancf"])
def test_the_elastica(word):
    """P L^2 / EI = 10 with 32 elements."""
    m = pl.Model("cantilever")
    m.add(pl.Beam("beam", (0, 0, 0), (1, 0, 0), pl.Section.rectangle(0.02, 0.02), pl.Material(12 / 0.02**4, 0.0, 1.0), elements=32,
                  formulation=word))
    m.add(pl.Fixed("clamp", m.ground, "beam.start"))
    m.add(pl.Force("P", "beam.end", (0, 0, 10.0)))
    x, _, z = m.static().position("beam.end")
    np.testing.assert_allclose((x, z), elastica_tip(10.0), rtol=5e-3)


@pytest.mark.parametrize("word", ["corotational", "segments", "ancf"])
def test_the_bend_of_45_degrees(word):
    """Bathe and Bolourchi 1979, load 600, with 32 elements within 0.5 %; exact elements are in another test."""
    R = 100.0
    m = pl.Model("bend")
    m.add(pl.Beam("arc", points=[(R * np.sin(a), R * (1 - np.cos(a)), 0) for a in np.linspace(0, np.pi / 4, 33)],
                  profile=pl.Section.general(1.0, 1 / 12, 1 / 12, 1 / 6), material=pl.Material(1e7, 0.0, 1.0), elements=32,
                  formulation=word))
    m.add(pl.Fixed("clamp", m.ground, "arc.start"))
    m.add(pl.Force("P", "arc.end", (0, 0, 600.0)))
    x, y, z = m.static(load_steps=4).position("arc.end")
    np.testing.assert_allclose((y, x, z), (15.6848005, 47.1504386, 53.4748588), rtol=5e-3)


@pytest.mark.parametrize("word", ["segments", "ancf"])
def test_the_tangent_is_exact(word):
    system, rng = crane(ARC, 3, formulation=word).compile(exact=True).system, np.random.default_rng(5)
    c = ComplexStep(system, seed=5)
    c.real.H[:] = system.h0
    evaluation.retract(system.data, c.real.q.copy(), rng.normal(size=system.n), 0.05, c.real.q)
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        expected = c.reference(*coefficients)
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=1e-11 * abs(expected).max())


def test_joints_on_sections_of_slopes_have_their_rates():
    """First and second time derivatives of the equations of joints, by a complex step along the motion."""
    system, rng = crane(ARC, 3, formulation="ancf").compile(exact=True).system, np.random.default_rng(5)
    c = ComplexStep(system, seed=7)
    x, joints = c.real, slice(system.n_v, None)
    evaluation.retract(system.data, x.q.copy(), rng.normal(size=system.n), 0.05, x.q)
    x.v[:system.n_v] = rng.normal(size=system.n_v)
    evaluation.run(system.program("rates"), system.data, x, c.t, 0.0, 0.0, 0.0)
    first, second = x.V[joints].copy(), x.R[joints].copy()
    np.testing.assert_allclose(c.residual(x.v, "q")[joints], first, atol=1e-12 * abs(first).max())
    by_q, by_v = (c.memory(by, part, "rates").V[joints].imag / 1e-30 for by, part in ((x.v, "q"), (x.a, "v")))
    np.testing.assert_allclose(by_q + by_v, second, atol=1e-12 * abs(second).max())


def test_torsion_of_slopes_is_that_of_the_section():
    """T L / GJ of a flat strip, to order 2, at sections and at a point beside the axis."""
    m = pl.Model("torsion")
    strip = m.add(pl.Beam("strip", (0, 0, 0), (1, 0, 0), pl.Section.rectangle(0.04, 0.01), pl.Material(2e9, 0.3, 1000.0), elements=8,
                          formulation="ancf", frames={"half": 0.45}))
    m.add(pl.Fixed("clamp", m.ground, "strip.start"))
    GJ = 2e9 / 2.6 * strip.profile.J
    m.add(pl.Torque("T", "strip.end", (0.05 * GJ, 0, 0)))
    m.add(pl.Measure("turn", m.ground.frame((0.45, 0, 0)), "strip.half"))
    m.add(pl.Measure("edge", m.ground.frame((0.45, 0.02, 0)), strip.frame((0.45, 0.02, 0))))
    st = m.static()
    assert st["turn.angle"] == pytest.approx(0.45 * 0.05, rel=1e-3)
    assert st["edge.distance"] == pytest.approx(0.04 * np.sin(0.45 * 0.05 / 2), rel=1e-3)


@pytest.mark.parametrize("word", ["ancf", "segments", "modal", "rigid"])
def test_a_flight_keeps_energy_and_momenta(word):
    """Thrown behind another body; energy and momentum at the start are those of the rigid body."""
    m = pl.Model("flight")
    m.add(pl.RigidBody.box("load", (0.2, 0.2, 0.2), mass=5, position=(2.3, 0.5, 0.3)))
    m.add(pl.Beam("rod", (0.2, 0.1, 0), (2.2, 0.5, 0.3), pl.Section.rectangle(0.06, 0.1), pl.Material(4e6, 0.3, 1000.0), elements=8,
                  velocity=(1, 2, 3), angular_velocity=(0.5, 3, 4), formulation=word))
    m.add(pl.Fixed("weld", "rod", "load", at=(2.2, 0.5, 0.3)))
    m.add(pl.Group("alone", ["rod"]))
    sol = m.simulate(0.3, output_step=0.1, integrator="dop853", accuracy=1e-9, progress=False)
    whole = sum(sol[f"energy.{part}"] for part in PARTS)
    np.testing.assert_allclose(whole, whole[0], rtol=1e-9)
    assert word == "rigid" or sol["energy.elastic"].max() > 5e-4 * whole[0]
    for quantity in ("model.momentum", "model.angular_momentum"):
        value = sol[quantity]
        np.testing.assert_allclose(value, np.tile(value[0], (len(value), 1)), rtol=0, atol=1e-9 * abs(value[0]).max())
    stiff = m.replace("rod", formulation="rigid").simulate(1e-3, progress=False)
    for quantity in ("alone.momentum", "alone.angular_momentum_com", "alone.com.position"):
        np.testing.assert_allclose(sol[quantity][0], stiff[quantity][0], rtol=1e-4, atol=1e-9)


# -- replace
def test_one_word_for_all_of_them():
    """A square bar on a pin that swings with a weight: all formulations have the same frames, joints and forces, and nearly one motion."""
    m = pl.Model("bar", gravity=(0, 0, -9.81))
    m.add(pl.Beam("bar", (0, 0, 0), (1, 0, 0), pl.Section.rectangle(0.02, 0.02), pl.Material(2e9, 0.3, 1200), elements=8,
                  frames={"half": 0.5, "near": 0.7}, velocity=(0, 0, 0), angular_velocity=(0, 0, 1)))
    m.add(pl.Spherical("pin", m.ground, "bar.start"))
    m.add(pl.RigidBody.sphere("bob", 0.03, mass=0.2, position=(1, 0, 0), velocity=(0, 1, 0), angular_velocity=(0, 0, 1)))
    m.add(pl.Spherical("knot", "bar.end", "bob"))
    m.add(pl.SpringDamper("line", "bar.near", m.ground.frame((0.5, 0.5, 0.5)), 5.0))
    runs = {word: m.replace("bar", formulation=word).simulate(0.3, output_step=0.1, progress=False) for word in FORMULATIONS}
    tips = np.array([run["bar.near.position"] for run in runs.values()])
    assert len(tips) == 8 and np.ptp(tips, axis=0).max() < 5e-3
    shared = {"bar.half.velocity", "bar.node_3.position", "pin.force", "line.length", "energy.kinetic", "bob.position"}
    assert all(shared <= set(run.channels) for run in runs.values())


def test_replace_makes_another_model():
    m = crane()
    other = m.replace("boom", formulation="modal")
    assert m["boom"].formulation == "geometrically-exact" and other["boom"].formulation == "modal"
    assert [item.name for item in other] == [item.name for item in m] and other["pin"] == m["pin"]
    again = from_text(to_text(other))
    assert again["boom"] == other["boom"] and to_text(again) == to_text(other)
    with pytest.raises(ValueError, match=r"model 'crane': rigid 'load' is no beam, which alone has several formulations; there is boom"):
        m.replace("load", formulation="modal")
    with pytest.raises(ValueError, match=r"beam 'boom': formulation: 'moda' must be .*'modal' or 'rigid'"):
        m.replace("boom", formulation="moda")
    with pytest.raises(ValueError, match=r"beam 'boom': profile: .* a cable does not know how its section is turned"):
        m.replace("boom", formulation="ancf-cable")
    with pytest.raises(KeyError, match="no item 'bom'"):
        m.replace("bom", formulation="modal")


def test_a_beam_in_a_sub_assembly_is_replaced():
    inner, m, sizes = crane(), pl.Model("outer"), []
    inner.gravity = (0, 0, 0)
    m.add(inner, name="left", position=(1, 2, 3), rotation=pl.rotation((1, 1, 0), "70 deg"))
    for word in ("geometrically-exact", "modal", "segments"):
        sizes.append(m.replace("left.boom", formulation=word).modes(state="static").frequencies[3:7])
    np.testing.assert_allclose(sizes[1:], [sizes[0]] * 2, rtol=2e-2)
    slopes = m.replace("left.boom", formulation="ancf").simulate(0.05, progress=False)["left.boom.end.position"]
    np.testing.assert_allclose(slopes[-1], m.simulate(0.05, progress=False)["left.boom.end.position"][-1], atol=1e-4)


def test_slow_modes_are_seen_beside_fast_ones_that_are_damped():
    """Modes of the thickness of its sections are damped far beyond what is critical."""
    found = []
    for damping in (0.0, 1e-4):
        m = pl.Model("cantilever")
        m.add(pl.Beam("b", (0, 0, 0), (2, 0, 0), pl.Section.rectangle(0.01, 0.01), "steel", elements=4, damping=damping,
                      formulation="ancf"))
        m.add(pl.Fixed("clamp", m.ground, "b.start"))
        found.append(m.modes().frequencies[:4])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-3)
    assert found[0][0] == pytest.approx(1.8751**2 / (8 * np.pi) * np.sqrt(210e9 * 1e-4 / 12 / 7850), rel=0.03)


def test_joint_coordinates_carry_the_rigid_and_the_modal_one():
    m = crane()
    tips = [m.replace("boom", formulation=word).simulate(0.1, coordinates=way, accuracy=1e-8, progress=False)["boom.end.position"][-1]
            for word in ("rigid", "modal") for way in ("joint", "absolute")]
    np.testing.assert_allclose(tips[0], tips[1], atol=1e-6)
    np.testing.assert_allclose(tips[2], tips[3], atol=1e-6)


def test_elements_may_be_changed():
    beam = crane()["boom"]
    beam.elements = 9
    assert "node_9" in beam.frames and beam.named_frames == {"hook": 0.7, "half": 0.5} and beam.frames["node_1"].s == pytest.approx(1 / 9)


def test_what_a_formulation_is_not_made_for_is_refused_by_name():
    for more, told in (({"formulation": "modal", "twist": 0.3}, "twist: 0.3 rad: the modes of a beam that is twisted"),
                       ({"formulation": "segments", "shear": False}, "shear: segments gives way to shear"),
                       ({"formulation": "ancf", "shear": False}, "shear: ancf gives way to shear"),
                       ({"formulation": "ancf", "lumped": True}, "lumped: the mass matrix of the slopes has its mass along the axis"),
                       ({"formulation": "ancf", "profile": pl.Section.circle(0.01)}, "profile: must be a rectangle")):
        with pytest.raises(ValueError, match=told):
            crane(**more)
    ring = [(np.cos(a), np.sin(a), 0.0) for a in np.linspace(0, 2 * np.pi, 17)]
    flat = crane(formulation="ancf")
    flat.planar = "y"
    with pytest.raises(ValueError, match=r"planar: the sections of beam 'boom' may leave the planes"):
        flat.compile()
    with pytest.raises(ValueError, match=r"points: end where they begin"):
        crane([*ring[:-1], ring[0]], formulation="modal")
