"""Flexible pendulum with a floating frame and reduced modes: a solid bar 1 x 0.05 x 0.05 m, Hurty-Craig-Bampton modes (2 rigid interfaces, 6 static
and k fixed-interface modes), on a revolute joint about z at the left face, released horizontally; 1 s.

Usage: p5_ffrf_exudyn.py MESH.npz [PATH.npy]: the mesh is that of flexible_pendulum.py (nodes, K and M); PATH gets the tip every 10 ms,
with the weight of every node as a load there, as its mass-proportional load leaves out that the deformed body has another lever."""
import sys

import numpy as np

if len(sys.argv) < 2:  # among all peers: it has a driver of its own
    sys.exit(0)

import scipy.sparse as sp
from exudyn.FEM import FEMinterface, HCBstaticModeSelection, ObjectFFRFreducedOrderInterface

from common import G, Timer, best, row
from exu_common import PEER, ei, exu, settings, solve

MODES = 8


def build(mesh, weights_at_nodes=False):
    """Under gravity as the program's own load, or as weights of all nodes."""
    X, K, M = mesh["nodes"], *(sp.csr_matrix((mesh[f"{n}_data"], mesh[f"{n}_indices"], mesh[f"{n}_indptr"])) for n in "KM")
    fem = FEMinterface()
    fem.nodes["Position"] = X
    fem.massMatrix, fem.stiffnessMatrix = M, K
    left, right = np.where(X[:, 0] < 1e-9)[0], np.where(X[:, 0] > 1 - 1e-9)[0]

    def weights(ids):  # of the area around each node
        w = np.ones(len(ids))
        for a in (1, 2):
            w *= np.where(np.abs(np.abs(X[ids, a]) - .025) < 1e-9, .5, 1.)
        return w / w.sum()
    wl, wr = weights(left), weights(right)
    fem.ComputeHurtyCraigBamptonModes([left, right], nEigenModes=MODES, boundaryNodesWeights=[wl, wr],
                                      computationMode=HCBstaticModeSelection.RBE2)
    cms = ObjectFFRFreducedOrderInterface(fem)
    mbs = exu.SystemContainer().AddSystem()
    o = cms.AddObjectFFRFreducedOrder(mbs, positionRef=[0, 0, 0], gravity=[0, 0 if weights_at_nodes else -G, 0])["oFFRFreducedOrder"]
    mk = mbs.AddMarker(ei.MarkerSuperElementRigid(bodyNumber=o, meshNodeNumbers=left, weightingFactors=wl))
    mg = mbs.AddMarker(ei.MarkerBodyRigid(bodyNumber=mbs.AddObject(ei.ObjectGround())))
    mbs.AddObject(ei.ObjectJointRevoluteZ(markerNumbers=[mg, mk]))
    if weights_at_nodes:
        masses = np.asarray(M @ np.tile([0.0, 1.0, 0.0], len(X))).reshape(-1, 3)[:, 1]
        all_nodes = mbs.AddMarker(ei.MarkerSuperElementPosition(bodyNumber=o, meshNodeNumbers=np.arange(len(X)),
                                                                weightingFactors=masses / masses.sum()))
        mbs.AddLoad(ei.LoadForceVector(markerNumber=all_nodes, loadVector=[0, -G * masses.sum(), 0]))
    tip = int(right[np.argmin(np.linalg.norm(X[right] - [1, 0, 0], axis=1))])
    sensor = mbs.AddSensor(ei.SensorSuperElement(bodyNumber=o, meshNodeNumber=tip, storeInternal=True, fileName="",
                                                 outputVariableType=exu.OutputVariableType.Position))
    mbs.Assemble()
    return mbs, sensor, X.shape[0] * 3


def run(mesh, h=1e-3):
    def timed():
        mbs, _, dofs = build(mesh)
        return (*solve(mbs, settings(1.0, h)), dofs)
    wall, steps, newton, jac, ok, dofs = best(timed)
    row(f"5 FFRF {dofs} DOF, {6 + MODES} modes", PEER, f"FFRFreducedOrder gen-alpha rho=0.9 modNewton{'' if ok else ' FAILED'}", h, wall, steps,
        newton=newton, jac=jac)


def path(mesh, h):
    mbs, sensor, _ = build(mesh, weights_at_nodes=True)
    s = settings(1.0, h, modified=False)
    s.solution.sensors.active = True
    s.solution.sensors.writePeriod = 0.01
    with Timer():
        mbs.SolveDynamic(s)
    return mbs.GetSensorStoredData(sensor)


if __name__ == "__main__":
    mesh = np.load(sys.argv[1])
    run(mesh)
    if len(sys.argv) > 2:
        np.save(sys.argv[2], path(mesh, 1e-4))
