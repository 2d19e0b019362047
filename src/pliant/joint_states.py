"""From the positions and velocities of bodies to the coordinates and rates of the joints that carry them."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .items.base import matrix_of
from .kernels import recursion as rc
from .refinement import parts
from .tree import inverse, quaternion_product

if TYPE_CHECKING:
    from .topology import Link
    from .tree import JointSpace


class Pose(NamedTuple):
    """Of a body: centre of mass, quaternion, axes, velocity, angular velocity, all in world axes."""
    r: np.ndarray
    quaternion: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray


GROUND = Pose(np.zeros(3), np.array([1.0, 0, 0, 0]), np.eye(3), np.zeros(3), np.zeros(3))


def joint_state(space: JointSpace, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and rates of the tree at a consistent row; angles are counted as in its history."""
    p = {name: value[0] for name, value in parts(row[None, :], space.system.q0.size, space.system.n).items()}
    poses, tree = {"ground": GROUND}, space.tree
    q, u = np.zeros(space.n_q), np.zeros(space.n_u)
    for i, link in enumerate(space.links):
        iq, iv = (int(tree.ip[i, k]) for k in (rc.IQ, rc.IV))
        R = matrix_of(p["q"][iq + 3:iq + 7].tolist())
        poses[link.body] = Pose(p["q"][iq:iq + 3], p["q"][iq + 3:iq + 7], R, p["v"][iv:iv + 3], R @ p["v"][iv + 3:iv + 6])
        at, rate = (int(tree.ip[i, k]) for k in (rc.IP, rc.IU))
        position, rates = _of_joint(space, i, link, poses[link.parent], poses[link.body])
        q[at:at + len(position)], u[rate:rate + len(rates)] = position, rates
    for h, k, at in tree.history:
        sign, zero = tree.scale[k]
        q[at] += 2 * np.pi * np.round((sign * (p["H"][h] - zero) - q[at]) / (2 * np.pi))
    return q, u


def _of_joint(space: JointSpace, i: int, link: Link, a: Pose, b: Pose) -> tuple[list[float], list[float]]:
    """Of one joint, from the poses of its inner and its outer body."""
    if link.kind == "free":
        return [*b.r, *b.quaternion], [*b.v, *(b.R.T @ b.w)]
    inner, outer = space.sides(link)
    F, C = a.R @ inner.axes, b.R @ outer.axes
    s, c = a.R @ inner.point, b.R @ outer.point
    between, spin = F.T @ (b.r + c - a.r - s), b.w - a.w
    slip = F.T @ (b.v + np.cross(b.w, c) - a.v - np.cross(a.w, b.r + c - a.r))
    rel, rate = F.T @ C, F.T @ spin
    angle = float(np.arctan2(rel[1, 0], rel[0, 0]))
    match link.kind:
        case "revolute" | "screw":
            return [angle], [rate[2]]
        case "prismatic":
            return [between[2]], [slip[2]]
        case "cylindrical":
            return [angle, between[2]], [rate[2], slip[2]]
        case "planar":
            return [between[0], between[1], angle], [slip[0], slip[1], rate[2]]
        case "spherical":
            return [*quaternion_product(inverse(a.quaternion), b.quaternion)], [*(b.R.T @ spin)]
        case "universal":
            first, second = (int(space.tree.ip[i, k]) for k in (rc.AXIS_1, rc.AXIS_2))
            turns = ([angle, float(np.arctan2(rel[2, 1], rel[2, 2]))] if first == 2 else
                     [float(np.arctan2(-rel[1, 2], rel[2, 2])), float(np.arctan2(-rel[0, 1], rel[0, 0]))])
            return turns, [rate[first], float(C[:, second] @ spin)]
    return [], []


def align(space: JointSpace, row: np.ndarray) -> None:
    """Quaternions of bodies get the signs they have in a row: a turn is as well described by the negative one."""
    wanted, tree = parts(row[None, :], space.system.q0.size, space.system.n)["q"][0], space.tree
    q, found = joint_state(space, row)[0], {"ground": GROUND.quaternion}
    for i, link in enumerate(space.links):
        at = int(tree.ip[i, rc.IQ]) + 3
        own = quaternion_product(found[link.parent], _local(space, i, link, q))
        if own @ wanted[at:at + 4] < 0:
            tree.rp[i, rc.Q1:rc.QF + 4] *= -1
        found[link.body] = wanted[at:at + 4]


def _local(space: JointSpace, i: int, link: Link, q: np.ndarray) -> np.ndarray:
    """The quaternion of a body against its parent, as the recursion has it."""
    at, rp = int(space.tree.ip[i, rc.IP]), space.tree.rp[i]
    match link.kind:
        case "free":
            return q[at + 3:at + 7]
        case "spherical":
            return q[at:at + 4]
        case "universal":
            turns = [np.eye(4)[0] * np.cos(a / 2) + np.eye(4)[1 + k] * np.sin(a / 2)
                     for a, k in zip(q[at:at + 2], space.tree.ip[i, [rc.AXIS_1, rc.AXIS_2]], strict=True)]
            return quaternion_product(quaternion_product(rp[rc.QF:rc.QF + 4], quaternion_product(*turns)), rp[rc.QC:rc.QC + 4])
        case "fixed" | "prismatic":
            return rp[rc.Q1:rc.Q1 + 4]
    angle = q[at + 2] if link.kind == "planar" else q[at]
    return np.asarray(np.cos(angle / 2) * rp[rc.Q1:rc.Q1 + 4] + np.sin(angle / 2) * rp[rc.Q2:rc.Q2 + 4])
