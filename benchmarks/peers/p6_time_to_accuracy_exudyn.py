"""CPU time of Exudyn to a given accuracy: double four-bar (largest error of the first tip, 10 s) and Andrews' squeezer (largest error
of seven angles at 0.03 s). Steps are refined by two until the error stops falling or a run takes too long. Prints one JSON line per run:
problem, method, h, error, cpu, steps. Both models in 2-D, the fastest Exudyn has for them; nothing is recorded in the timed pass."""
import json
import sys
import time

import numpy as np

from exu_common import ei, exu, settings
from p1_fourbar_exudyn import build as four_bar

LIMIT = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0  # s of one run
REFERENCE = sys.argv[1]  # csv of the first tip: t, B0x, B0y
M = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
I = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
BETA, THETA, GAMMA, PHI = -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885
DELTA, OMEGA, EPSILON = 0.487364979543842550, -0.222668390165885885, 1.23054744454982119
ENDS = (15.810771195153714, -15.756371058411847, 0.0408222401196452, -0.534730116342081, 0.524409965879954, 0.534730116342081,
        1.048080741041938)  # beta, Theta, gamma, Phi, delta, Omega, epsilon at 0.03 s


def andrews():
    """The model, and a function that gives the seven angles."""
    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.AddObject(ei.ObjectGround())
    rr, e, zf, zt, u, ss = 7e-3, 2e-2, 2e-2, 4e-2, 4e-2, 35e-3
    A, B, C = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), np.array([0.014, 0.072])
    F = rr * np.array([np.cos(BETA), np.sin(BETA)])
    G = A + zt * np.array([np.cos(DELTA), np.sin(DELTA)])
    H = A + u * np.array([np.sin(EPSILON), -np.cos(EPSILON)])
    given = ((np.zeros(2), BETA, (92e-5, 0), (rr, 0)), (F, BETA + THETA, (-115e-4, 0), (-28e-3, 0)),
             (B, GAMMA, (1043e-5, -1874e-5), (0, -ss)), (G, PHI + DELTA, (0, 1421e-5 - e), (0, -e)),
             (A, DELTA, (2308e-5, 916e-5), (zt, 0)), (H, OMEGA + EPSILON, (zf - 1421e-5, 0), (zf, 0)),
             (A, EPSILON, (-449e-5, -1228e-5), (0, -u)))
    bodies = []
    for k, (pin, angle, com, tip) in enumerate(given):
        R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        node = mbs.AddNode(ei.NodeRigidBody2D(referenceCoordinates=[*(pin + R @ com), angle]))
        bodies.append((mbs.AddObject(ei.ObjectRigidBody2D(mass=M[k], inertia=I[k], nodeNumber=node)), -np.array(com), np.array(tip) - com, node))

    def pin(a, pa, b, pb):
        marks = [mbs.AddMarker(ei.MarkerBodyPosition(bodyNumber=x, localPosition=[*p, 0])) for x, p in ((a, pa), (b, pb))]
        mbs.AddObject(ei.ObjectJointRevolute2D(markerNumbers=marks))
    K = bodies
    pin(ground, (0, 0), K[0][0], K[0][1])
    pin(K[0][0], K[0][2], K[1][0], K[1][1])
    pin(ground, B, K[2][0], K[2][1])
    pin(ground, A, K[4][0], K[4][1])
    pin(K[4][0], K[4][2], K[3][0], K[3][1])
    pin(ground, A, K[6][0], K[6][1])
    pin(K[6][0], K[6][2], K[5][0], K[5][1])
    for k in (2, 3, 5):
        pin(K[1][0], K[1][2], K[k][0], K[k][2])
    ends = [mbs.AddMarker(ei.MarkerBodyPosition(bodyNumber=x, localPosition=[*p, 0]))
            for x, p in ((ground, C), (K[2][0], np.array((2e-2, -18e-3)) + K[2][1]))]
    mbs.AddObject(ei.ObjectConnectorSpringDamper(markerNumbers=ends, stiffness=4530, damping=0, referenceLength=0.07785))
    mark = mbs.AddMarker(ei.MarkerBodyRigid(bodyNumber=K[0][0], localPosition=[0, 0, 0]))
    mbs.AddLoad(ei.LoadTorqueVector(markerNumber=mark, loadVector=[0, 0, 0.033]))
    mbs.Assemble()

    def angles():
        a = [float(np.atleast_1d(mbs.GetNodeOutput(n, exu.OutputVariableType.Coordinates))[2]) + angle
             for (_, _, _, n), (_, angle, _, _) in zip(bodies, given)]
        return np.array([a[0], a[1] - a[0], a[2], a[3] - a[4], a[4], a[5] - a[6], a[6]])
    return mbs, angles


def timed(build, end, h, rho, tol, solver):
    mbs = build()[0]
    s = settings(end, h, rho=rho, tol=tol)
    clock = time.process_time()
    ok = mbs.SolveDynamic(s) if solver is None else mbs.SolveDynamic(s, solverType=solver)
    return time.process_time() - clock, ok


def error_four_bar(h, rho, tol, solver):
    rows = np.loadtxt(REFERENCE, delimiter=",", skiprows=1)
    mbs, _, bar = four_bar(2, True)
    found, every = {}, round(0.05 / h)

    def watch(mbs, t):
        if round(t / h) % every == 0:
            found[round(t / 0.05)] = mbs.GetObjectOutputBody(bar, exu.OutputVariableType.Position, [0, 0.5, 0])[:2]
        return True
    mbs.SetPostStepUserFunction(watch)
    s = settings(10.0, h, rho=rho, tol=tol)
    mbs.SolveDynamic(s) if solver is None else mbs.SolveDynamic(s, solverType=solver)
    return float(max(abs(np.array(found[k]) - rows[k, 1:3]).max() for k in range(1, 201)))


def error_andrews(h, rho, tol, solver):
    mbs, angles = andrews()
    s = settings(0.03, h, rho=rho, tol=tol)
    mbs.SolveDynamic(s) if solver is None else mbs.SolveDynamic(s, solverType=solver)
    return float(abs(angles() - ENDS).max())


def refine(problem, build, error, end, h, rho, tol, solver, name):
    best = np.inf
    for _ in range(12):
        try:
            cpu, ok = timed(build, end, h, rho, tol, solver)
            e = error(h, rho, tol, solver) if ok else np.inf
        except Exception as failed:
            print(json.dumps({"problem": problem, "method": name, "h": h, "note": str(failed)[:80]}), flush=True)
            return
        print(json.dumps({"problem": problem, "method": name, "h": h, "error": e, "cpu": cpu, "steps": round(end / h)}), flush=True)
        if cpu > LIMIT / 2 or e > 3 * best:
            return
        best, h = min(best, e), h / 2


trapezoidal = exu.DynamicSolverType.TrapezoidalIndex2
for rho, tol, solver, name in ((0.9, 1e-10, None, "generalized-alpha 0.9, tol 1e-10"), (0.9, None, None, "generalized-alpha 0.9"),
                               (0.7, 1e-10, None, "generalized-alpha 0.7, tol 1e-10"), (1.0, 1e-10, trapezoidal, "trapezoidal index 2, tol 1e-10")):
    refine("double four-bar", lambda: four_bar(2, True), error_four_bar, 10.0, 1e-3, rho, tol, solver, name)
    refine("andrews", andrews, error_andrews, 0.03, 1e-5, rho, tol, solver, name)
