"""linearize() against the nonlinear equations: complex steps through the motion itself, closed forms, and channels of perturbed states."""
import json

import numpy as np
import pytest
from flexible_models import rod
from scipy.linalg import expm, null_space, qr

import pliant as pl
from pliant.channel_values.observer import Observer
from pliant.items.base import matrix_of
from pliant.kernels import evaluation
from pliant.kernels.state_row import parts

EPS, H = 1e-30, 1e-4
R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])


class Reference:
    """The nonlinear equations of motion in complex numbers, with independent equations of joints only."""

    def __init__(self, lin):
        self.d, self.row = lin.d, lin.row
        self.s = s = lin.d.system
        self.x, self.data = s.memory(complex), s.typed_data(complex)
        p = parts(self.row[None, :], s.q0.size, s.n)
        self.q, self.v, self.t, self.x.H[:] = p["q"][0], p["v"][0][:s.n_v], float(self.row[0]), p["H"][0]
        self.equations = s.active[s.active >= s.n_v]
        C = self.matrices(self.q.astype(complex))[1].real
        if len(C):
            rank = np.linalg.matrix_rank(C, tol=1e-9 * np.linalg.norm(C))
            self.equations = self.equations[np.sort(qr(C.T, pivoting=True, mode="economic")[2][:rank])]

    def matrices(self, q):
        s, x = self.s, self.x
        x.q[:], x.a[:], x.lam[:], x.D[:] = q, 0, 0, 0
        evaluation.run(s.program("tangent", complex), self.data, x, self.t, 1.0, 0.0, 0.0)
        full = s.dense(x.D)
        return full[:s.n_v, :s.n_v], full[self.equations, :s.n_v]

    def accelerations(self, q, v, t):
        s, x = self.s, self.x
        self.t = t
        M, C = self.matrices(q)
        x.v[:s.n_v] = v
        evaluation.run(s.program("residual", complex), self.data, x, t, 0.0, 0.0, 0.0)
        b = -x.R[:s.n_v].copy()
        x.V[:] = 0
        evaluation.run(s.program("rates", complex), self.data, x, t, 0.0, 0.0, 0.0)
        self.rates = x.V[self.equations].copy()
        k = len(C)
        K = np.block([[M, C.T], [C, np.zeros((k, k))]])
        return np.linalg.solve(K, np.concatenate([b, -x.R[self.equations]]))[:s.n_v]

    def consistent(self, xi, dv):
        """A complex velocity that the joints allow at the displaced position."""
        q, v = self.moved(1j * EPS * xi), self.v + 1j * EPS * dv
        self.accelerations(q, v, float(self.row[0]))
        left, C = self.rates.imag / EPS, self.matrices(self.q.astype(complex))[1].real
        return v - 1j * EPS * np.linalg.pinv(C) @ left if len(C) else v

    def moved(self, u):
        full, q = np.zeros(self.s.n, complex), self.q.astype(complex)
        full[:self.s.n_v] = u
        evaluation.retract(self.data, self.q.astype(complex), full, 1.0, q)
        return q

    def flow(self, u, v, t, steps=4):
        """Classical Runge-Kutta in exponential coordinates about the state."""
        t0, h = float(self.row[0]), t / steps

        def f(t, u, v):
            rate = v.copy()
            for iv, _ in self.s.data.rotations:
                a, w = u[iv:iv + 3], v[iv:iv + 3]
                c = np.cross(a, w)
                c2 = np.cross(a, c)
                rate[iv:iv + 3] = w + c / 2 + c2 / 12 - np.cross(a, np.cross(a, c2)) / 720
            return rate, self.accelerations(self.moved(u), v, t)
        for k in range(steps):
            t = t0 + k * h
            k1 = f(t, u, v)
            k2 = f(t + h / 2, u + h / 2 * k1[0], v + h / 2 * k1[1])
            k3 = f(t + h / 2, u + h / 2 * k2[0], v + h / 2 * k2[1])
            k4 = f(t + h, u + h * k3[0], v + h * k3[1])
            u, v = (y + h / 6 * (a + 2 * b + 2 * c + d) for y, a, b, c, d in zip((u, v), k1, k2, k3, k4, strict=True))
        return u, v

    def deviation(self, xi, dv, t, W):
        """eta of a displaced motion after t, in axes that turn with W."""
        u, _ = self.flow(1j * EPS * xi, self.consistent(xi, dv), t)
        q, eta, Q = self.moved(u.real), u.imag / EPS, expm(t * cross(W)).T
        for iv, iq in self.s.data.rotations:
            a, b = u.real[iv:iv + 3], u.imag[iv:iv + 3] / EPS
            A = cross(a)
            world = matrix_of(q[iq:iq + 4].real.tolist()) @ (b - A @ b / 2 + A @ A @ b / 6 - A @ A @ A @ b / 24 + A @ A @ A @ A @ b / 120)
            eta[iv - 3:iv], eta[iv:iv + 3] = Q @ eta[iv - 3:iv], Q @ world
        return eta


def cross(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def mechanism(driven=None, moving=False):
    """A spatial loop with redundant hinges, springs, dampers, a bushing, a following force and gravity off axis."""
    m = pl.Model("mechanism", gravity=(2.0, -5.0, -8.0))
    a, b, c = (R @ p for p in np.array([(0, 0, 0), (0.4, 0.1, 0), (0.9, -0.2, 0)]))
    crank = m.add(pl.RigidBody("crank", mass=1.2, inertia=(0.02, 0.03, 0.035), position=(a + b) / 2))
    rod = m.add(pl.RigidBody("rod", mass=0.8, inertia=(0.03, 0.02, 0.04), position=(b + c) / 2 + (0.02, 0.01, 0.03)))
    block = m.add(pl.RigidBody("block", mass=1.5, inertia=(0.01, 0.02, 0.015), position=c))
    tail = m.add(pl.RigidBody("tail", mass=0.5, inertia=(0.004, 0.005, 0.006), position=c + (0.1, 0.2, 0.25)))
    axis = R[:, 2]
    m.add(pl.Revolute("A", m.ground.frame(a), crank.frame(a - (a + b) / 2), axis=axis, **({"angle_rate": 3.0} if moving else {})))
    m.add(pl.Revolute("B", crank.frame(b - (a + b) / 2), rod.frame(b - m["rod"].position), axis=axis))
    m.add(pl.Revolute("C", rod.frame(c - m["rod"].position), block, axis=axis))
    m.add(pl.Prismatic("D", m.ground.frame(c), block, axis=R[:, 0]))
    m.add(pl.Spherical("E", block.frame((0.05, 0.1, 0.1)), tail.frame((-0.05, -0.1, -0.15))))
    m.add(pl.SpringDamper("spring", m.ground.frame(R @ (0.8, 0.7, 0.3)), rod.frame((0.1, 0.05, -0.02)), stiffness=400.0, damping=6.0,
                          length=0.4))
    m.add(pl.Bushing("bush", block.frame((0.05, 0.1, 0.1)), tail, stiffness=(30, 40, 50, 6, 7, 8), damping=(1, 2, 1, 0.1, 0.2, 0.1)))
    m.add(pl.TorsionSpring("coil", "A", stiffness=15.0, damping=0.3, angle=0.2))
    m.add(pl.Force("wind", tail, (1.0, "0.5 * cos(t)", -0.7), axes="frame"))
    m.add(pl.Torque("motor", crank, (0, 0, 0)))
    if driven:
        m.add(pl.Drive("A", "angle", driven, name="drive"))
    return m


OUTPUTS = ["rod.position", "tail.rotation", "tail.acceleration", "A.force", "D.torque", "spring.force", "bush.torque", "energy.kinetic",
           "energy.elastic", "D.displacement"]
CASES = {"equilibrium": (mechanism, "static"), "driven": (lambda: mechanism("2 * t + 0.3 * sin(4 * t)"), None),
         "moving": (lambda: mechanism(moving=True), None), "not in equilibrium": (mechanism, None)}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    make, state = CASES[request.param]
    m = make()
    ports = [n for n in ("motor", "wind.x", "A.angle") if not (request.param == "driven" and n == "A.angle")]
    return m.linearize(ports, OUTPUTS, state)


def directions(lin):
    """Displacements and velocities that the joints allow: one of each free motion, as world increments, and x of each."""
    ref = Reference(lin)
    C = ref.matrices(ref.q.astype(complex))[1].real
    N = null_space(C) if len(C) else np.eye(ref.s.n_v)
    return ref, N


def test_motion_equals_the_complex_step(case):
    moves_alike(case)


def test_steady_rotation_equals_the_complex_step():
    """In axes that turn with a driven table, on which an unsymmetric body is carried by springs beside the axle."""
    m = pl.Model("table")
    rate, p = 5.0, R @ (0.3, 0.1, 0.2)
    table = m.add(pl.RigidBody("table", mass=5.0, inertia=(1, 1, 2), rotation=R))
    b = m.add(pl.RigidBody("b", mass=1.2, inertia=(0.02, 0.03, 0.045), position=p, rotation=R, angular_velocity=(0, 0, rate),
                           velocity=np.cross(rate * R[:, 2], p)))
    m.add(pl.Revolute("axle", m.ground.frame((0, 0, 0), rotation=R), table, axis="z"))
    m.add(pl.Drive("axle", "angle", f"{rate} * t", name="motor"))
    m.add(pl.Bushing("springs", table, b, stiffness=(90, 260, 400, 5, 6, 7), damping=(2, 1, 3, 0.1, 0.2, 0.1)))
    m.add(pl.Force("centripetal", b, -1.2 * rate**2 * np.array([0.3, 0.1, 0.0]), axes="frame"))
    lin = m.linearize(["centripetal.x"], ["b.position"])
    np.testing.assert_allclose(lin.frame, rate * R[:, 2], atol=1e-9)
    assert not lin.note
    moves_alike(lin)


def moves_alike(case):
    """A against the nonlinear motion: deviations a little before and after, their first and second time derivatives."""
    lin = case.linearisation
    ref, N = directions(lin)
    n = N.shape[1]
    assert n == lin.n
    rng = np.random.default_rng(2)
    G = lin.tangent.G
    steps, second, first = np.array([-2, -1, 0, 1, 2]), np.array([-1, 16, -30, 16, -1]) / 12, np.array([1, -8, 0, 8, -1]) / 12
    scale = abs(case.A).max()
    for _ in range(4):
        xi, dv = N @ rng.standard_normal(n), N @ rng.standard_normal(n)
        eta = np.array([ref.deviation(xi, dv, k * H, lin.W) if k else G @ xi for k in steps])
        z, z1, z2 = (lin.freedom.back @ y for y in (eta[2], first @ eta / H, second @ eta / H**2))
        E = np.array(named(case))
        x, x1 = np.concatenate([E @ z, E @ z1]), np.concatenate([E @ z1, E @ z2])
        np.testing.assert_allclose(case.A @ x, x1, rtol=0, atol=1e-9 * scale * abs(x).max())


def named(case):
    """Rows that give the named coordinates from z, by differences of channels; displacements and rotations directly."""
    lin = case.linearisation
    s, rows = lin.d.system, []
    for name in case.states[:lin.n]:
        item, _, which = name.partition(".")
        if which.startswith(("position", "rotation")):
            k = next(i for i, (iv, _) in enumerate(s.data.rotations) if lin.d.body_of(int(iv) // 6) == item)
            place = s.data.rotations[k, 0] + "xyz".index(which[-1]) - (3 if which.startswith("position") else 0)
            rows.append(lin.N[place])
            continue
        found = np.repeat(lin.row[None, :], 2 * lin.n, axis=0)
        p, h = parts(found, s.q0.size, s.n), 1e-5
        for j in range(lin.n):
            for sign in range(2):
                xi, q = np.zeros(s.n), p["q"][2 * j + sign].copy()
                xi[:s.n_v] = lin.tangent.G.T @ lin.N[:, j]
                evaluation.retract(s.data, p["q"][2 * j + sign].copy(), xi, (2 * sign - 1) * h, q)
                p["q"][2 * j + sign] = q
        value = Observer(lin.d, found, np.zeros((len(found), 3)))(name)
        rows.append((value[1::2] - value[::2]) / (2 * h))
    return rows


def test_outputs_equal_differences_of_nonlinear_states(case):
    """C: channels of states that are displaced, made consistent, with accelerations and reactions of their own."""
    lin = case.linearisation
    d, s = lin.d, lin.d.system
    rng = np.random.default_rng(5)
    E = np.array(named(case))
    h, at, by = 1e-3, np.array([-2, -1, 1, 2]), np.array([1, -8, 8, -1]) / 12
    for _ in range(3):
        z, z1 = rng.standard_normal((2, lin.n))
        eta, dv, _ = lin.velocities(z[:, None], z1[:, None], 0 * z[:, None])
        rows = np.repeat(lin.row[None, :], 4, axis=0)
        p = parts(rows, s.q0.size, s.n)
        for i, k in enumerate(at):
            xi, q = np.zeros(s.n), p["q"][i].copy()
            xi[:s.n_v] = lin.tangent.G.T @ eta[:, 0]
            evaluation.retract(s.data, p["q"][i].copy(), xi, h * k, q)
            p["q"][i] = q
            p["v"][i, :s.n_v] += h * k * (lin.tangent.G.T @ dv[:, 0])
        energies, _ = d.refine(rows)
        observer = Observer(d, rows, energies)
        x = np.concatenate([E @ z, E @ z1])
        for j, name in enumerate(case.outputs):
            value = observer(name)
            change = by @ value / h
            assert (case.C @ x)[j] == pytest.approx(change, rel=1e-8, abs=3e-9 * max(1, abs(value).max())), name


@pytest.mark.parametrize("load", ["motor", "wind"])
def test_inputs_equal_changed_loads(case, load):
    """B and D: the same model with 1 N or N m more along x; accelerations and reactions are linear in it."""
    lin, k = case.linearisation, case.inputs.index(f"{load}.x")
    base, _ = changed(lin, load, 0.0)
    more, observer = changed(lin, load, 1.0)
    z2 = lin.freedom.back @ (lin.tangent.G @ (more - base)[:lin.d.system.n_v])
    np.testing.assert_allclose(case.B[lin.n:, k], np.array(named(case)) @ z2, rtol=0, atol=1e-10 * abs(case.B).max())
    np.testing.assert_allclose(case.B[:lin.n], 0)
    before = Observer(lin.d, lin.row[None, :], np.zeros((1, 3)))
    for name in ("A.force.x", "D.torque.y", "tail.acceleration.z"):
        assert case.D[case.outputs.index(name), k] == pytest.approx(observer(name)[0] - before(name)[0], rel=1e-7, abs=1e-9), name


def changed(lin, load, by):
    from pliant.families.loads import LOAD
    d = lin.d.model.compile(exact=True)
    row = next(e for e in range(*d.system.families[LOAD]) if d.system.owners[e] == load)
    d.system.data.rp[row, 0] += by
    rows = lin.row[None, :].copy()
    d.refine(rows)
    return parts(rows, d.system.q0.size, d.system.n)["a"][0].copy(), Observer(d, rows, np.zeros((1, 3)))


def test_effort_on_a_joint_is_a_pair_of_torques():
    m = mechanism()
    m.add(pl.Torque("on_rod", "rod", (0, 0, 0)))
    one = m.linearize(["B.angle", "motor", "on_rod"], ["B.angle", "A.torque"], "static")
    axis = R[:, 2] / np.linalg.norm(R[:, 2])
    d = one.linearisation.d
    record = d.directory.joints["B"]
    from pliant.kernels.contract import A
    evaluation.run(d.system.program("rates"), d.system.data, d.x, 0.0, 0.0, 0.0, 0.0)
    axis = d.x.X[record.a, A:A + 9].reshape(3, 3)[:, 2]
    for M in (one.B, one.D):
        np.testing.assert_allclose(M[:, 0], M[:, 4:7] @ axis - M[:, 1:4] @ axis, atol=1e-9 * abs(M).max())


def oscillator():
    m = pl.Model("oscillator")
    b = m.add(pl.RigidBody.box("b", (0.1, 0.2, 0.3), mass=2.0, position=0.5 * R[:, 0]))
    m.add(pl.Prismatic("slide", m.ground, b, axis=R[:, 0]))
    m.add(pl.SpringDamper("k", m.ground, b, stiffness=50.0, damping=0.6))
    m.add(pl.Force("push", b, (0, 0, 0)))
    return m


def test_oscillator_has_the_transfer_function_of_the_textbook(tmp_path):
    lin = oscillator().linearize(["slide.displacement"], ["slide.displacement", "slide.displacement_rate", "b.acceleration.y", "k.force"])
    assert lin.states == ["slide.displacement", "slide.displacement_rate"]
    np.testing.assert_allclose(lin.A, [[0, 1], [-25, -0.3]], atol=1e-12)
    np.testing.assert_allclose(lin.B, [[0], [0.5]], atol=1e-14)
    f = np.array([0.1, 0.8, 3.0])
    w = 2 * np.pi * f
    H = 1 / (50 - 2 * w**2 + 0.6j * w)
    found = lin.response(f)[:, :, 0]
    np.testing.assert_allclose(found, np.column_stack([H, 1j * w * H, -w**2 * H * R[1, 0], (50 + 0.6j * w) * H]), rtol=1e-9)
    np.testing.assert_allclose(lin.to_scipy().A, lin.A)
    assert lin.units == {"states": ["m", "m/s"], "inputs": ["N"], "outputs": ["m", "m/s", "m/s^2", "N"]}
    lin.save(tmp_path / "o.npz")
    with np.load(tmp_path / "o.npz") as data:
        np.testing.assert_array_equal(data["A"], lin.A)
        assert list(data["states"]) == lin.states
    lin.save(tmp_path / "o.json")
    np.testing.assert_array_equal(json.loads((tmp_path / "o.json").read_text())["B"], lin.B)
    with pytest.raises(ValueError, match=r"'o.txt' must end in .npz or .json"):
        lin.save("o.txt")


@pytest.mark.parametrize(("inputs", "outputs", "message"), [
    (["pusch.x"], ["b.position"], r"input 'pusch.x' is not known.*did you mean 'push.x'\?"),
    (["push"], ["b.positon"], r"no channel 'b.positon'; did you mean 'b.position'\?"),
    (["push"], ["energy.work"], "'energy.work' depends on the whole motion before"),
    ([], ["b.position"], "inputs .* must be a list of names"),
    (["push"], None, "outputs are missing; give a list of names"),
    (["motor"], ["b.position"], "drive 'motor' cannot be an input: it prescribes a motion.*'slide.displacement'"),
])
def test_wrong_names_are_explained(inputs, outputs, message):
    m = oscillator()
    m.add(pl.Drive("slide", "displacement", "0.1 * t", name="motor"))
    with pytest.raises(pl.ModelError, match=message):
        m.linearize(inputs, outputs)


def test_wrong_states_are_explained():
    m = oscillator()
    for state, message in (("statik", "state 'statik' is not known; did you mean 'static'"), (3, "state 3 must be one of"),
                           ((m.simulate(0.1, progress=False), 2.0), "the time 2 must be from 0 to 0.1 s"),
                           (mechanism().static(), "belongs to another model")):
        with pytest.raises(pl.ModelError, match=message):
            m.linearize(["push"], ["b.position"], state)


def test_state_of_a_run_is_that_of_its_row():
    m = mechanism(moving=True)
    sol = m.simulate(0.05, accuracy="fine", progress=False)
    first, start = m.linearize(["motor.x"], ["A.angle"], (sol, 0.0)), m.linearize(["motor.x"], ["A.angle"])
    np.testing.assert_allclose(first.A, start.A, atol=1e-9 * abs(start.A).max())
    later = m.linearize(["motor.x"], ["A.angle"], (sol, 0.05))
    assert later.t == pytest.approx(0.05) and abs(later.A - start.A).max() > 1


def test_states_of_modes_are_named_as_channels():
    """They can be asked of a solution."""
    m = pl.Model("arm", gravity=(0, 0, -9.81))
    arm = m.add(pl.ModalBody("arm", rod()))
    m.add(pl.Revolute("A", m.ground, arm["start"], axis="y"))
    lin = m.linearize(["A.angle"], ["arm.end.position.z"])
    sol = m.simulate(1e-3, step=1e-3, progress=False)
    modal = {state: unit for state, unit in zip(lin.states, lin.units["states"], strict=True) if "modal" in state}
    assert {(state.rpartition(".")[0], unit) for state, unit in modal.items()} == {("arm.modal", ""), ("arm.modal_rate", "1/s")}
    assert all(np.isfinite(sol[state]).all() for state in modal)
