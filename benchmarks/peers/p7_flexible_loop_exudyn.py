"""Four-bar with a flexible coupler in Exudyn's floating frame: the solid bar of p5 between two rigid cranks, revolute joints on the ground,
balls at the bar, all axes parallel (plane) or not (spatial); released under gravity, 1 s.

Usage: p7_flexible_loop_exudyn.py MESH.npz DATA.json PATHS.npy: mesh and data are those of flexible_loop.py; PATHS gets rows of time,
middle and right end of the bar every 10 ms. The weight of the bar is a load on every node (see p5)."""
import json
import sys

import numpy as np

if len(sys.argv) < 4:  # among all peers: it has a driver of its own
    sys.exit(0)

import scipy.sparse as sp
from exudyn.FEM import FEMinterface, HCBstaticModeSelection, ObjectFFRFreducedOrderInterface

from common import G
from exu_common import ei, exu, settings


def bar(mbs, mesh, modes):
    """The flexible body, markers of its ends and sensors of its middle and its right end."""
    X, K, M = mesh["nodes"], *(sp.csr_matrix((mesh[f"{n}_data"], mesh[f"{n}_indices"], mesh[f"{n}_indptr"])) for n in "KM")
    fem = FEMinterface()
    fem.nodes["Position"] = X
    fem.massMatrix, fem.stiffnessMatrix = M, K
    ends = [np.where(abs(X[:, 0] - x) < 1e-9)[0] for x in (0.0, 1.0)]
    even = [np.full(len(e), 1 / len(e)) for e in ends]
    fem.ComputeHurtyCraigBamptonModes(ends, nEigenModes=modes, boundaryNodesWeights=even, computationMode=HCBstaticModeSelection.RBE2)
    body = ObjectFFRFreducedOrderInterface(fem).AddObjectFFRFreducedOrder(mbs, positionRef=[0, 0, 0])["oFFRFreducedOrder"]
    markers = [mbs.AddMarker(ei.MarkerSuperElementRigid(bodyNumber=body, meshNodeNumbers=e, weightingFactors=w))
               for e, w in zip(ends, even, strict=True)]
    masses = np.asarray(M @ np.tile([0.0, 1.0, 0.0], len(X))).reshape(-1, 3)[:, 1]
    everywhere = mbs.AddMarker(ei.MarkerSuperElementPosition(bodyNumber=body, meshNodeNumbers=np.arange(len(X)),
                                                             weightingFactors=masses / masses.sum()))
    mbs.AddLoad(ei.LoadForceVector(markerNumber=everywhere, loadVector=[0, -G * masses.sum(), 0]))
    places = [np.where(abs(X[:, 0] - x) < 1e-9)[0] for x in (0.5, 1.0)]
    means = [mbs.AddMarker(ei.MarkerSuperElementPosition(bodyNumber=body, meshNodeNumbers=p, weightingFactors=np.full(len(p), 1 / len(p))))
             for p in places]
    sensors = [mbs.AddSensor(ei.SensorMarker(markerNumber=k, storeInternal=True, fileName="",
                                             outputVariableType=exu.OutputVariableType.Position)) for k in means]
    return markers, sensors


def axes(z):
    """Columns: two directions across z, and z."""
    z = np.array(z, float) / np.linalg.norm(z)
    x = np.cross(z, [1.0, 0, 0])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def crank(mbs, ground, pin, end, axis, mass, inertia):
    """A rigid body from a pin on the ground to an end; the marker there."""
    pin, end = np.array(pin, float), np.array(end, float)
    center = (pin + end) / 2
    node = mbs.AddNode(ei.NodeRigidBodyEP(referenceCoordinates=[*center, 1, 0, 0, 0]))
    body = mbs.AddObject(ei.ObjectRigidBody(mass=mass, inertia=[inertia] * 3 + [0] * 3, nodeNumber=node))
    mbs.AddLoad(ei.LoadMassProportional(markerNumber=mbs.AddMarker(ei.MarkerBodyMass(bodyNumber=body)), loadVector=[0, -G, 0]))
    at = [mbs.AddMarker(ei.MarkerBodyRigid(bodyNumber=b, localPosition=list(p))) for b, p in ((ground, pin), (body, pin - center))]
    mbs.AddObject(ei.ObjectJointRevoluteZ(markerNumbers=at, rotationMarker0=axes(axis), rotationMarker1=axes(axis)))
    return mbs.AddMarker(ei.MarkerBodyRigid(bodyNumber=body, localPosition=list(end - center)))


def run(mesh, data):
    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.AddObject(ei.ObjectGround())
    ends, sensors = bar(mbs, mesh, data["modes"])
    for end, name in zip(ends, ("left", "right"), strict=True):
        tip = crank(mbs, ground, data[name]["pin"], data[name]["end"], data[name]["axis"], data["mass"], data["inertia"])
        mbs.AddObject(ei.ObjectJointSpherical(markerNumbers=[tip, end], constrainedAxes=[1, 1, 1]))
    mbs.Assemble()
    s = settings(1.0, data["step"], modified=False, tol=1e-9)
    s.solution.sensors.active = True
    s.solution.sensors.writePeriod = 0.01
    if not mbs.SolveDynamic(s):
        sys.exit("Exudyn did not come to the end")
    middle, right = (np.asarray(mbs.GetSensorStoredData(k)) for k in sensors)
    return np.column_stack([middle, right[:, 1:]])


if __name__ == "__main__":
    np.save(sys.argv[3], run(np.load(sys.argv[1]), json.loads(open(sys.argv[2]).read())))
