"""check: sick mechanisms with exactly what is wrong with them, healthy ones with nothing, also turned, scaled and reordered."""
import json
import time

import healthy  # noqa: F401 - fills HEALTHY
import no_jit
import numpy as np
import pytest
import sick
import sick_bodies  # noqa: F401
import sick_contacts
import sick_limits
from cases import DEGREE, HEALTHY, SICK, door, four_bar, slider_crank
from transform import transformed

import pliant as pl
from pliant import cli
from pliant.compile import vibration
from pliant.diagnosis import CODES, highest_frequency, rank
from pliant.diagnosis.loops import Loop, not_unique
from pliant.diagnosis.mechanism import Mechanism
from pliant.diagnosis.rank import analyse
from pliant.proofs import benchmark_models
from pliant.text.model_text import to_text

ABSOLUTE = {"contact-step", "implausible-contact", "implausible-size", "implausible-gravity"}  # measured in metres, not by the model itself


def found(report, *severities):
    return {(f.code, f.items) for f in report.select(*severities)}


def turn(seed):
    Q, R = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))
    Q *= np.sign(np.diag(R))
    return Q * np.sign(np.linalg.det(Q))


def test_there_are_enough_sick_contacts():
    """Of contacts, stops, friction, events, cams and masses, with different things wrong."""
    cases = [c for c in SICK if c.build.__module__ in (sick_contacts.__name__, sick_limits.__name__)]
    codes = {code for c in cases for code, _ in (*c.expected, *(c.notes or ()))}
    assert len(cases) >= 75 and len(codes) >= 30


@pytest.mark.parametrize("case", [*SICK, *HEALTHY], ids=lambda c: c.name)
def test_what_is_found(case):
    report = case.build().check()
    assert found(report, "error", "warning") == case.expected, str(report)
    if case.notes is not None:
        assert found(report, "note") == case.notes, str(report)


@pytest.mark.parametrize("case", [*SICK, *HEALTHY], ids=lambda c: c.name)
def test_findings_do_not_depend_on_axes_size_and_order(case):
    def sets(pairs):
        return {(code, frozenset(items)) for code, items in pairs if code not in ABSOLUTE}
    m = case.build()
    for seed, (scale, backwards) in enumerate([(1.0, True), (1000.0, False), (0.001, True)]):
        report = transformed(m, turn(seed), scale, backwards).check()
        assert sets(found(report, "error", "warning")) == sets(case.expected), f"scale {scale}: {report}"
        if case.notes is not None:
            assert sets(found(report, "note")) == sets(case.notes), f"scale {scale}: {report}"


def test_sizes_and_gravity_are_measured_by_what_there_is_on_earth():
    """9.81 and 99 m are in order, in any direction; shapes of all kinds are measured along their longest dimension."""
    for size, gravity, codes in ((99.0, 9.81, set()), (101.0, 99.0, {"implausible-size"}), (99.0, 101.0, {"implausible-gravity"})):
        for make in (lambda m, s: m.add(pl.RigidBody.box("b", (s / 9, s, s / 5), density=1000)),
                     lambda m, s: m.add(pl.RigidBody.sphere("b", s / 2, density=1000)),
                     lambda m, s: m.add(pl.RigidBody.cylinder("b", s / 20, s, axis="x", density=1000)),
                     lambda m, s: m.add(pl.RigidBody.rod("b", (0, 0, 0), np.array((2, -1, 2)) / 3 * s, radius=s / 20, mass=4 * s**3))):
            m = pl.Model("big", gravity=turn(1) @ (0, 0, gravity))
            make(m, size)
            m.add(pl.Spherical("A", m.ground.frame(m["b"].position), "b"))
            assert {f.code for f in m.check().findings} == codes


def models():
    """Every shipped example, Python and text, and the benchmarks."""
    yield from ((name, no_jit.load(name).model) for name in no_jit.NAMES)
    yield from ((path.name, lambda path=path: pl.read(path)) for path in sorted(no_jit.EXAMPLES.glob("*.yaml")))
    yield from ((f"bench {n}", lambda n=n: benchmark_models.fourbars(n)) for n in (1, 2))
    yield "bench bricard", benchmark_models.bricard


@pytest.mark.parametrize(("name", "model"), list(models()), ids=[name for name, _ in models()])
def test_examples_have_nothing_wrong(name, model):
    report = model().check()
    assert report.ok
    free = {"no-support"}  # in flight
    meant = {"struck_boom": free, "docking": free, "flying_spaghetti": free, "woodpecker": {"zero-mass"}}  # points that are coupled
    known = {"redundant-equations", "non-unique-reactions", "unconnected-body"} | meant.get(name.removesuffix(".yaml"), set())
    assert {f.code for f in report.findings} <= known, str(report)
    assert all(f.severity == "note" for f in report.findings)


# -- degrees of freedom
FREEDOMS = {  # what textbooks give: mobility, redundant equations
    "plane_four_bar_in_space": (1, 3), "plane_four_bar": (1, 0), "spatial_four_bar": (2, 0), "wrist": (1, 3), "door_on_two_hinges": (1, 5),
    "hexapod": (12, 0), "differential": (2, 0), "screw_jack": (1, 0), "welded_bracket": (0, 0), "satellite": (6, 0),
    "pin_out_of_parallel": (0, 2), "parallelogram_lying_flat": (1, 4), "gear_given_twice": (1, 1), "plane_slider_crank": (1, 0),
    "both_cranks_driven": (1, 4), "plane_model_of_ball_joints_and_free_bodies": (4, 0)}


@pytest.mark.parametrize("case", [c for c in (*SICK, *HEALTHY) if c.name in FREEDOMS], ids=lambda c: c.name)
def test_degrees_of_freedom(case):
    r = case.build().check()
    assert (r.degrees_of_freedom, r.redundant) == FREEDOMS[case.name], str(r)
    assert r.rank == r.equations - r.redundant


def test_benchmarks_have_one_degree_of_freedom():
    for m, redundant in ((benchmark_models.bricard(), 1), (benchmark_models.fourbars(4), 0), (no_jit.load("andrews").model(), 9)):
        r = m.check()
        assert (r.degrees_of_freedom, r.redundant) == (1, redundant)


def test_drives_are_counted_apart():
    r = next(c for c in HEALTHY if c.name == "plane_slider_crank").build().check()
    assert (r.degrees_of_freedom, r.drives, r.degrees_of_freedom_after_drives) == (1, 1, 0)
    flat = next(c for c in SICK if c.name == "parallelogram_lying_flat").build().check()
    assert (flat.degrees_of_freedom, flat.degrees_of_freedom_at_pose) == (1, 2)


# -- rank against a decomposition of the whole matrix
@pytest.mark.parametrize("name", ["andrews", "double_four_bar", "bricard", "cardan_shaft", "slider_crank"])
def test_dependencies_are_the_left_null_space(name):
    mechanism = Mechanism(transformed(no_jit.load(name).model(), turn(7)).compile())
    _, components = mechanism.components()
    for component in components:
        rank = analyse(mechanism, component)
        rows, _, _ = mechanism.matrix(component.blocks, component.tiles)
        A = np.vstack(rows)
        start = dict(zip((b.name for b in component.blocks), np.cumsum([0, *map(len, rows)]), strict=False))
        N = np.zeros((len(A), len(rank.dependencies)))
        for k, d in enumerate(rank.dependencies):
            for block, y in d.parts.items():
                N[start[block]:start[block] + len(y), k] = y
        assert abs(N.T @ A).max() < 1e-9
        assert np.linalg.matrix_rank(N) == N.shape[1] == len(A) - np.linalg.matrix_rank(A, tol=1e-9)
        U, S, _ = np.linalg.svd(A)
        null = U[:, int((S > 1e-9).sum()):]
        changed = {b for b in start for row in range(start[b], start[b] + len(rows[list(start).index(b)])) if abs(null[row]).max() > 1e-6}
        assert set(next(words for _, words in not_unique([Loop(component, rank, [])]))) == changed


def test_the_four_bar_says_it_in_words():
    r = next(c for c in SICK if c.name == "plane_four_bar_in_space").build().check()
    redundant, reactions = r.findings
    assert redundant.message == ("joint 'D': translation along z and rotations about x and y are already fixed by 'A', 'B' and 'C'; "
                                 "3 of its 5 equations are redundant.")
    assert "PointOnLine along z" in redundant.remedy and "planar=True" in redundant.remedy
    assert reactions.message.endswith("force along z and torques about x and y at 'A', 'B', 'C' and 'D'.")
    assert r.not_unique == dict.fromkeys("ABCD", "force along z and torques about x and y")


def test_what_it_proposes_removes_the_redundancy():
    m = next(c for c in SICK if c.name == "plane_four_bar_in_space").build()
    old = m.items.pop("D")
    m.add(pl.PointOnLine("D", old.a, old.b))
    r = m.check()
    assert (r.degrees_of_freedom, r.redundant, r.findings) == (1, 0, [])


def test_a_misaligned_pin_is_told_in_degrees():
    r = next(c for c in SICK if c.name == "pin_out_of_parallel").build().check()
    assert "'C' is out of parallel with 'A', 'B' and 'D' by 2.3 degrees" in r.findings[0].message
    assert "has 0 degrees of freedom, with aligned axes it has 1" in r.findings[0].message
    for option in ("Align", "spherical", "Bushing", "flexible"):
        assert option in r.findings[0].remedy


def test_the_door_has_unique_reactions_with_a_bushing():
    two, one = door().check(), door(pl.Bushing).check()
    assert not two.unique_reactions and set(two.not_unique) == {"upper", "lower"}
    assert two.not_unique["lower"] == "forces along x, y and z and torques about x and y"
    assert "reactions           not unique at upper, lower" in str(two)
    assert one.unique_reactions and one.findings == [] and one.redundant == 0
    assert "reactions           all unique" in str(one)


def test_ends_of_tables_are_told_once_with_what_helps():
    (found,) = sick.three_tables(6.0).check().findings
    assert found.message.startswith("drives 'motor0' and 'motor1': their velocity jumps by 2.52 rad/s at t = 4.2 s, where their table ends")
    assert found.remedy == ("Give the table more points, at rest where it ends or all through the run, or end the run there: "
                            "duration = 4.2 s.")
    (found,) = sick.linear_table().check().findings
    assert "a cubic Table has no kinks" in found.remedy and "table ends" not in found.message


def test_a_table_that_begins_late():
    m = sick.three_tables(3.0)
    m["motor2"].function = pl.Table([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 3.0, 9.0])
    (found,) = m.check().findings
    assert found.items == ("motor2",) and "at t = 1 s, where its table begins (it is constant before it)" in found.message
    assert "end the run" not in found.remedy


def test_gaps_are_told_in_millimetres_and_no_pose_is_told_from_far():
    r = next(c for c in SICK if c.name == "coupler_put_beside_its_pins").build().check()
    assert {f.items: f.message for f in r.findings if f.code == "joint-gap"}[("B",)].startswith("joint 'B' is open by 5 mm as modelled")
    impossible = next(c for c in SICK if c.name == "links_too_short").build().check().findings[0]
    assert "'B' stays open by 500 mm" in impossible.message  # least squares: 1 m is missing, half of it in the middle


@pytest.mark.parametrize(("build", "words"), [
    (lambda: four_bar((np.sin(12 * DEGREE), 0, np.cos(12 * DEGREE))), "; the axis of joint 'C' is 12 degrees out of parallel with"),
    (lambda: slider_crank(slide=(np.cos(8 * DEGREE), 0, np.sin(8 * DEGREE))), "; the axis of joint 'D' is 8 degrees out of perpendicular"),
    (lambda: next(c for c in SICK if c.name == "braced_four_bar").build(), "no degree of freedom."),
], ids=["pin", "slide", "braced"])
def test_the_odd_axis_of_a_locked_mechanism_is_named(build, words):
    for R in (np.eye(3), turn(5)):
        locked, = (f for f in transformed(build(), R).check().findings if f.code == "locked-mechanism")
        assert words in locked.message, locked.message


@pytest.mark.parametrize(("shift", "turned", "told"), [((0.003, 0, 0.004), 0.0, "by up to 5 mm."),
                                                       ((0, 0, 0), 0.7, "by up to 0.7 degrees.")])
def test_how_far_bodies_move_has_the_unit_that_belongs_to_it(shift, turned, told):
    """A bar on two ball joints, moved as a whole, or turned about the first of them."""
    Q = turn(3)
    m = pl.Model("bar")
    end = Q @ (2.0, 0, 0)
    m.add(pl.RigidBody("bar", 1.0, (0.1, 0.2, 0.2), position=(0, 0, 0)))
    m.add(pl.Spherical("first", m.ground.frame(Q @ shift), "bar"))
    m.add(pl.Spherical("second", m.ground.frame(Q @ shift + Q @ (2 * np.cos(turned * DEGREE), 2 * np.sin(turned * DEGREE), 0)),
                       m["bar"].frame(end)))
    gaps = [f for f in m.check().findings if f.code == "joint-gap"]
    assert gaps and all(told in f.remedy for f in gaps), gaps


# -- frequencies
def two_masses(k1=3e3, k2=5e3, m1=2.0, m2=0.7):
    m = pl.Model("masses")
    u = np.array([2, -1, 2]) / 3
    first = m.add(pl.RigidBody.sphere("first", 0.05, mass=m1, position=u))
    second = m.add(pl.RigidBody.sphere("second", 0.05, mass=m2, position=2 * u))
    m.add(pl.Prismatic("P1", m.ground.frame(u), first, axis=u))
    m.add(pl.Prismatic("P2", m.ground.frame(2 * u), second, axis=u))
    m.add(pl.SpringDamper("k1", m.ground, first, k1))
    m.add(pl.SpringDamper("k2", first, second, k2))
    exact = np.linalg.eigvalsh(np.array([[(k1 + k2) / m1, -k2 / np.sqrt(m1 * m2)], [-k2 / np.sqrt(m1 * m2), k2 / m2]]))
    return m, float(np.sqrt(exact[-1]))


def test_highest_frequency_of_two_masses(monkeypatch):
    m, exact = two_masses()
    assert highest_frequency(m.compile()) == pytest.approx(exact, rel=1e-9)
    monkeypatch.setattr(vibration, "DENSE", 0)
    assert highest_frequency(m.compile()) == pytest.approx(exact, rel=1e-6)


def test_frequency_of_a_torsion_spring_at_a_joint():
    """A rod on a hinge: J = m L^2 / 3; the same spring as a bushing about the axis."""
    m = pl.Model("rod")
    rod = m.add(pl.RigidBody.rod("rod", (0, 0, 0), (0.6, 0, 0.8), mass=3.0))
    m.add(pl.Revolute("A", m.ground, rod["start"], axis="y"))
    m.add(pl.TorsionSpring("spring", "A", 400.0))
    assert highest_frequency(m.compile()) == pytest.approx(20.0, rel=1e-9)


def test_frequency_of_one_spring_counts_what_it_moves(monkeypatch):
    """k1 of the two masses moves the first with the second free: the message has its frequency."""
    m, _ = two_masses()
    m.settings = {"step": 0.1, "duration": 1.0}
    stiff = {f.items[0]: f.message for f in m.check().findings}
    assert f"vibrates at {np.sqrt(3e3 / 2.0) / 2 / np.pi:.3g} Hz" in stiff["k1"]
    assert f"vibrates at {np.sqrt(5e3 * (1 / 2.0 + 1 / 0.7)) / 2 / np.pi:.3g} Hz" in stiff["k2"]
    m["k1"].damping = m["k2"].damping = 100.0
    assert m.check().findings == []


# -- the report
def test_report_as_data_and_text():
    r = next(c for c in SICK if c.name == "both_cranks_driven").build().check()
    data = json.loads(json.dumps(r.to_dict()))
    assert not r.ok and data["ok"] is False and data["unique_reactions"] is False
    assert data["findings"][0] == {"code": "conflicting-drives", "severity": "error", "items": ["left_motor", "right_motor"],
                                   "message": r.findings[0].message, "remedy": r.findings[0].remedy}
    assert data["degrees_of_freedom"] == 1 and data["degrees_of_freedom_after_drives"] == 0
    text = str(r)
    assert text.index("errors\n") < text.index("notes\n") and max(map(len, text.splitlines())) <= 110
    assert [f.severity for f in r.findings] == sorted((f.severity for f in r.findings), key=["error", "warning", "note"].index)


def test_the_report_tells_how_contacts_meet():
    """3 (m / (k v^(p - 1)))^(1 / (p + 1)) after a fall of 1 m."""
    r, v = sick_contacts.ball(1.05, restitution=0.7).check(), np.sqrt(2 * 9.81)
    told = f"at {v:.3g} m/s {3e3 * (0.5 / (1e8 * np.sqrt(v))) ** 0.4:.3g} ms long, 1.5 mm deep, gives back 0.70"
    assert r.findings == [] and r.contacts == {"bounce": told} and f"\n  contacts            bounce: {told}\n" in str(r)
    assert json.loads(json.dumps(r.to_dict()))["contacts"] == r.contacts
    m = pl.Model("many", gravity=(0, 0, -9.81))
    for k in range(8):
        m.add(pl.RigidBody.sphere(f"ball{k}", 0.05, mass=0.5, position=(k, 0, 1)))
        m.add(pl.Contact(f"c{k}", m.ground, f"ball{k}", stiffness=1e8))
    assert "c4: at" in str(m.check()) and "c5: at" not in str(m.check()) and "                      and 3 more" in str(m.check())


def test_many_findings_are_printed_in_short():
    m = pl.Model("bodies left lying")
    m.add(pl.Revolute("A", m.ground, m.add(pl.RigidBody.sphere("ball", 0.1, mass=2.0))))
    for k in range(20):
        m.add(pl.RigidBody.sphere(f"spare{k}", 0.1, mass=2.0, position=(k, 0, 0)))
    r = m.check()
    assert len(r.findings) == 20 and str(r).count("\n  unconnected-body: spare") == 5 and "unconnected-body: 15 more" in str(r)


def test_a_load_between_two_places_of_a_body_acts_on_it():
    m = pl.Model("rod in the wind")
    m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=2.0))
    m.add(pl.LineLoad("wind", "rod.start", "rod.end", (0, 0, 1)))
    assert [f.code for f in m.check().findings] == ["no-support"]


def test_a_healthy_model_says_so():
    text = str(four_bar(planar=True).check())
    assert "degrees of freedom  1" in text and text.endswith("nothing found")


def test_every_finding_has_a_known_code_and_full_sentences():
    seen = set()
    for case in (*SICK, *HEALTHY):
        for f in case.build().check().findings:
            seen.add(f.code)
            assert f.code in CODES and f.severity in ("error", "warning", "note")
            assert f.message.endswith(".") and f.remedy.endswith(".") and len(f.message) > 20 and len(f.remedy) > 10
    assert set(CODES) - seen == {"rank-not-analysed"}


def test_a_question_ends_with_its_mark():
    m = four_bar()
    m["A"].b = "crnk.start"
    finding, = (f for f in m.check().findings if f.code == "cannot-compile")
    assert finding.message == "joint 'A': there is no body 'crnk'; did you mean 'crank'?"


def test_a_model_too_large_is_told(monkeypatch):
    monkeypatch.setattr(rank, "LARGEST", 10)
    r = four_bar().check()
    assert [f.code for f in r.findings] == ["rank-not-analysed"] and r.ok and r.degrees_of_freedom is None


def test_an_empty_model_and_functions_that_raise_are_findings():
    def fails(t):
        raise KeyError("boom")
    assert [(f.code, f.items) for f in pl.Model("empty").check().findings] == [("cannot-compile", ())]
    for item in (pl.Force("f", "crank", (fails, 0, 0)), pl.Drive("A", "angle", fails, name="f")):
        m = four_bar()
        m.add(item)
        (finding,) = m.check().findings
        assert (finding.code, finding.items) == ("cannot-compile", ("f",)) and "KeyError: 'boom'" in finding.message


def test_check_changes_nothing():
    m = pl.read(no_jit.EXAMPLES / "andrews.yaml")
    before = to_text(m)
    m.check()
    assert to_text(m) == before


def test_check_is_fast():
    four_bar().check()
    linear, hexapod = (next(c for c in (*SICK, *HEALTHY) if c.name == name).build()
                       for name in ("linear_contact_that_gives_back_what_it_will", "hexapod"))
    linear.check()
    for m, seconds in ((four_bar(), 0.3), (linear, 0.3), (hexapod, 1.0)):
        began = time.process_time()
        m.check()
        assert time.process_time() - began < seconds
    began = time.process_time()
    assert benchmark_models.chain(1000).check().degrees_of_freedom == 1000
    assert time.process_time() - began < 8


# -- command line
def test_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    four_bar(planar=True).save("good.yaml")
    assert cli.execute(["check", "good.yaml"]) == 0
    assert capsys.readouterr().out.rstrip().endswith("nothing found")
    assert cli.execute(["check", "good.yaml", "--set", "joints.C.axis=[0.04, 0, 1]", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert [(f["code"], f["items"]) for f in data["findings"]] == [("out-of-plane", ["C"])]
    assert cli.execute(["check", "good.yaml", "--set", "planar=false"]) == 0
    assert "redundant-equations" in capsys.readouterr().out
    assert cli.execute(["check", "nowhere.yaml"]) == 1
