"""Block diagrams: who reads what, boxes and lines that do not cover each other, names as they are, large models."""
import itertools
import json
import time
import xml.etree.ElementTree as ET

import no_jit
import numpy as np
import pytest
from PIL import Image

import pliant as pl
from pliant import cli
from pliant.plot.block_diagram import PIXELS, drawn
from pliant.plot.layers import PITCH, Layout, Net, layered


def arrows(model):
    return {(a.source, a.target): set(a.signals) for a in model.diagram().arrows}


def carts(*names):
    m = pl.Model("carts")
    for name in names:
        m.add(pl.RigidBody(f"cart_{name}", mass=1.0, inertia=(1, 1, 1)))
        m.add(pl.Prismatic(f"rail_{name}", m.ground, f"cart_{name}", axis="x"))
    return m


def mixed():
    """Two mechanisms, something of every sort."""
    m = carts("a", "b")
    m.add(pl.Noise("hum", 1e-3, "10 ms", seed=7))
    m.add(pl.Sample("u", "-(4*(cart_a.position.x + hum.output) + 2.8*cart_a.velocity.x)", "10 ms"))
    m.add(pl.JointForce("motor", "rail_a", "u.output"))
    m.add(pl.Controller("servo", lambda t, y, x: [1.0], "5 ms", ["rail_b.displacement", "u.output"], ["force"]))
    m.add(pl.Force("push", "cart_b", ("servo.force*mode.output", 0, 0)))
    m.add(pl.Variable("gap", "rail_a.displacement - rail_b.displacement"))
    m.add(pl.Delay("lag", "gap", "0.3 s"))
    m.add(pl.Relay("valve", "lag.output", 0.5, 0.2))
    m.add(pl.Discrete("mode", 1.0))
    m.add(pl.Event("limit", "rail_b.displacement > 2", [pl.Set("mode.output", "2*gap"), pl.End()]))
    m.add(pl.StateMachine("machine", ["off", "on"], [("off", "on", "valve.state > 0.5"), ("on", "off", "t > 3")]))
    m.add(pl.UnitDelay("sum", "sum.output + 0.01*machine.on", "10 ms"))
    return m


# -- who reads what
def test_a_loop_of_control():
    """The integral uses itself in its own expression; what is within the PID controller is not shown."""
    assert arrows(no_jit.load("motor_position").model()) == {
        ("mechanism", "pid"): {"shaft.angle"}, ("pid", "current"): {"output"}, ("current", "current"): {"output"},
        ("mechanism", "current"): {"shaft.angle_rate"}, ("current", "torque"): {"output"},
        ("mechanism", "torque"): {"shaft.angle_rate"}, ("torque", "mechanism"): {"on shaft"}}


def test_sampling_events_delays_and_two_mechanisms():
    assert arrows(mixed()) == {
        ("cart_a", "u"): {"cart_a.position.x", "cart_a.velocity.x"}, ("hum", "u"): {"output"}, ("u", "motor"): {"output"},
        ("motor", "cart_a"): {"on rail_a"}, ("cart_b", "servo"): {"rail_b.displacement"}, ("u", "servo"): {"output"},
        ("servo", "push"): {"force"}, ("mode", "push"): {"output"}, ("push", "cart_b"): {"on cart_b"},
        ("cart_a", "gap"): {"rail_a.displacement"}, ("cart_b", "gap"): {"rail_b.displacement"}, ("gap", "lag"): {"gap"},
        ("lag", "valve"): {"output"}, ("cart_b", "limit"): {"rail_b.displacement"}, ("gap", "limit"): {"gap"},
        ("limit", "mode"): {"sets output"}, ("valve", "machine"): {"state"}, ("machine", "sum"): {"on"}, ("sum", "sum"): {"output"}}


def test_what_boxes_say():
    boxes = mixed().diagram().boxes
    assert boxes["u"] == ("u", "sampled", ("sample", "every 10 ms")) and boxes["servo"].notes == ("controller", "every 5 ms")
    assert boxes["lag"].notes == ("delay", "300 ms late") and boxes["limit"].notes == ("event", "ends the run")
    assert boxes["motor"].role == "acts on the mechanism" and boxes["cart_a"] == ("cart_a", "mechanism", ("mechanism", "cart_a", "1 joint"))
    assert boxes["machine"].role == boxes["valve"].role == boxes["mode"].role == "switches" and boxes["gap"].role == "computed"


def test_hydraulics_by_ports():
    """A cylinder senses its own length, and valves and chambers read each other."""
    found = arrows(no_jit.load("hydraulic_crane").model())
    assert found["hinge_valve", "hinge_cylinder"] == {"supply_to_a", "a_to_tank", "supply_to_b", "b_to_tank"}
    assert found["hinge_cylinder", "hinge_valve"] == {"cap.pressure", "rod.pressure"}
    assert found["mechanism", "hinge_cylinder"] == {"hinge_cylinder.distance", "hinge_cylinder.rate"}
    assert found["elbow_cylinder", "mechanism"] == {"on boom", "on jib"} and found["hinge_pid", "hinge_valve"] == {"output"}
    assert ("hinge_valve", "elbow_cylinder") not in found


def test_springs_and_constant_loads_are_the_mechanism_unless_somebody_reads_them():
    m = carts("a", "b")
    m.add(pl.SpringDamper("spring", m["cart_a"].frame((0, 1, 0)), m["cart_b"].frame((0, 2, 0)), 50.0))
    m.add(pl.Force("weight", "cart_a", (3, 0, 0)))
    m.add(pl.Drive("rail_a", "displacement", "0.1*sin(t)", name="shaker"))
    m.add(pl.LowPass("slow", "rail_b.displacement", 1.0, active=False))
    assert arrows(m) == {("shaker", "mechanism"): {"on rail_a"}}
    m.add(pl.LowPass("load", "spring.force", 1.0))
    assert {("mechanism", "spring"), ("spring", "load"), ("spring", "mechanism")} <= set(arrows(m))


def test_what_sampled_blocks_see_besides():
    """Energies are those of all mechanisms, a group and a measure those of their bodies, and a reaction is one of its joint."""
    m = carts("a", "b", "c")
    m.add(pl.Group("two", ["cart_a", "cart_b"]))
    m.add(pl.Measure("gap", m["cart_b"].frame((0, 0, 1)), "cart_c"))
    m.add(pl.Sample("seen", "energy.kinetic + two.com.position.x + gap.distance + rail_c.force.x", "10 ms"))
    assert arrows(m) == {("cart_a", "seen"): {"energy.kinetic", "two.com.position.x"},
                         ("cart_b", "seen"): {"energy.kinetic", "two.com.position.x", "gap.distance"},
                         ("cart_c", "seen"): {"energy.kinetic", "gap.distance", "rail_c.force.x"}}


def test_parts_of_sub_assemblies_have_their_names():
    leg, m = carts("knee"), pl.Model("robot")
    leg.add(pl.LowPass("sensor", "rail_knee.displacement", 0.1))
    leg.add(pl.JointForce("motor", "rail_knee", "-sensor.output"))
    m.add(leg, name="left")
    m.add(leg, name="right", position=(0, 1, 0))
    assert arrows(m) == {(a, b): {s} for side in ("left", "right") for a, b, s in (
        (f"{side}.cart_knee", f"{side}.sensor", f"{side}.rail_knee.displacement"), (f"{side}.sensor", f"{side}.motor", "output"),
        (f"{side}.motor", f"{side}.cart_knee", f"on {side}.rail_knee"))}


def test_what_is_not_there_is_shown_as_such():
    m = carts("a")
    m.add(pl.LowPass("slow", "nobody.output", 1.0))
    d = m.diagram()
    assert d.boxes["nobody"].role == "not there" and d.arrows == [("nobody", "slow", ("output",))]


# -- the picture
def crossings(layout):
    """(what, which) of boxes that overlap, and of lines within boxes."""
    boxes = {k: (*layout.sides(k), n.y - n.height / 2, n.y + n.height / 2) for k, n in layout.node.items() if n.net < 0}
    for (a, (l, r, b, t)), (c, (l2, r2, b2, t2)) in itertools.combinations(boxes.items(), 2):
        if l < r2 and l2 < r and b < t2 and b2 < t:
            yield "boxes", a, c
    for net in layout.nets:
        for points in (*net.pieces, *net.ends):
            for (x0, y0), (x1, y1) in itertools.pairwise(points):
                assert x0 == x1 or y0 == y1
                for name, (l, r, b, t) in boxes.items():
                    if max(min(x0, x1), l) < min(max(x0, x1), r) - 1e-9 and b < y0 < t and y0 == y1:
                        yield "line", net.source, name
                    if l < x0 < r and x0 == x1 and max(min(y0, y1), b) < min(max(y0, y1), t) - 1e-9:
                        yield "line", net.source, name


def overlapping(layout):
    """Stretches of different lines that lie on each other."""
    found: dict[tuple[bool, float], list[tuple[float, float, int]]] = {}
    for k, net in enumerate(layout.nets):
        for points in (*net.pieces, *net.ends):
            for (x0, y0), (x1, y1) in itertools.pairwise(points):
                upright = x0 == x1
                found.setdefault((upright, round(x0 if upright else y0, 6)), []).append((*sorted((y0, y1) if upright else (x0, x1)), k))
    for at, stretches in found.items():
        for a, b in itertools.combinations(stretches, 2):
            if a[2] != b[2] and max(a[0], b[0]) < min(a[1], b[1]) - 1e-6:
                yield at, a, b


def random_layout(seed, count, lines):
    rng = np.random.default_rng(seed)
    names = [f"b{k}" for k in range(count)]
    nets = [Net(str(rng.choice(names)), list(dict.fromkeys(rng.choice(names, rng.integers(1, 4)).tolist())), rng.uniform(0.2, 1.5),
                PITCH * rng.integers(1, 4)) for _ in range(lines)]
    for net in nets:
        net.targets = [t for t in net.targets if t != net.source]
    nets = [net for net in nets if net.targets]
    return Layout({name: (rng.uniform(0.5, 2), rng.uniform(0.3, 0.6)) for name in names}, nets, names[:1])


@pytest.mark.parametrize("seed", range(12))
def test_boxes_and_lines_do_not_cover_each_other(seed):
    layout = random_layout(seed, 4 + 3 * seed, 6 + 5 * seed)
    assert not list(crossings(layout))
    assert not list(overlapping(layout))
    for k, net in enumerate(layout.nets):  # every reader has its arrow
        entered = sorted((layout.sides(t)[0], layout.node[t].entries[k]) for t in net.targets)
        np.testing.assert_allclose(sorted(points[-1] for points in net.ends), entered)


def test_layers_lead_to_the_mechanism():
    """A chain, its feedback, and what only reads stands to the right."""
    edges = [("ref", "pid"), ("pid", "motor"), ("motor", "mech"), ("mech", "pid"), ("mech", "motor"), ("mech", "log"), ("pid", "log")]
    assert layered(["mech", "motor", "log", "pid", "ref"], edges, ["mech"]) == {"ref": 0, "pid": 1, "motor": 2, "mech": 3, "log": 4}


def test_names_are_written_as_they_are(tmp_path):
    """A name of a model may have signs that mean something in pictures; those of items are words, in any alphabet."""
    m = carts("größe")
    m.name = r"a $x_1$ <b> & \frac{1}{2} -->"
    m.add(pl.LowPass("μ" * 100, "rail_größe.displacement", 1.0))
    for ending in ("svg", "png", "pdf"):
        m.diagram(tmp_path / f"d.{ending}")
    text = (tmp_path / "d.svg").read_text()
    ET.fromstring(text)
    assert text.count("<!-- ") >= 3 and "a $x_1$ &lt;b&gt; &amp; " in text
    m.diagram(tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text() == text
    width, height = drawn(m.diagram()).get_size_inches()
    assert width < 12 and height < 4
    with pytest.raises(ValueError, match=r"diagram: 'd\.jpg' must end in \.svg, \.png or \.pdf"):
        m.diagram("d.jpg")


def test_large_models_are_quick_and_pictures_have_a_size(tmp_path):
    m, rng = carts("a"), np.random.default_rng(3)
    for k in range(300):
        read = [f"f{j}.output" for j in set(rng.integers(max(0, k - 20), k, 2).tolist())] if k else ["rail_a.displacement"]
        m.add(pl.LowPass(f"f{k}", " + ".join(read), 1.0))
    m.add(pl.JointForce("motor", "rail_a", "f299.output"))
    begin = time.process_time()
    d = m.diagram()
    layout_of = drawn(d)
    assert time.process_time() - begin < 20
    assert len(d.boxes) == 302 and max(layout_of.get_size_inches()) * 20 < PIXELS
    small = carts(*"abcdefgh")
    for name in "abcdefgh":
        small.add(pl.JointForce(f"motor_{name}", f"rail_{name}", f"-rail_{name}.displacement"))
    small.diagram(tmp_path / "s.png")
    assert max(Image.open(tmp_path / "s.png").size) < PIXELS


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = no_jit.EXAMPLES / "motor_position.yaml"
    assert cli.execute(["diagram", str(path)]) == 0
    assert "pid -> current: output" in capsys.readouterr().out
    ET.fromstring((tmp_path / "motor_position.svg").read_text())
    assert cli.execute(["diagram", str(path), "-o", "d.png", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["file"] == "d.png" and {"source": "pid", "target": "current", "signals": ["output"]} in data["arrows"]
    assert cli.execute(["diagram", str(path), "-o", "d.h5"]) == 1
    assert "d.h5" in capsys.readouterr().err
