"""From the positions and velocities of bodies to the coordinates and rates of the joints that carry them."""
from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..families.elastic import deform_at
from ..items.base import matrix_of
from ..items.declarations import BALL, TURNS
from ..kernels import link_tables as rc
from ..kernels.state_row import parts
from . import serial
from .tree import inverse, quaternion_product

if TYPE_CHECKING:
    from .topology import Link
    from .tree import JointSpace


class Pose(NamedTuple):
    """Of a body or of a joint on it: place, quaternion, axes, velocity, angular velocity, all in world axes. A joint has the axes of its
    body, turned as its node is by the modes."""
    r: np.ndarray
    quaternion: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray


GROUND = Pose(np.zeros(3), np.array([1.0, 0, 0, 0]), np.eye(3), np.zeros(3), np.zeros(3))


def modal_rates(space: JointSpace) -> np.ndarray:
    """Places of the rates of modes among the rates of a tree."""
    return np.concatenate([rate + count + np.arange(modes) for rate, count, modes in space.tree.ip[:, [rc.IU, rc.NU, rc.NM]]])


def joint_state(space: JointSpace, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and rates of the tree at a consistent row; angles are counted as in its history."""
    p = {name: value[0] for name, value in parts(row[None, :], space.system.q0.size, space.system.n).items()}
    poses, tree = {"ground": GROUND}, space.tree
    q, u = np.zeros(space.n_q), np.zeros(space.n_u)
    _deform(space, p["q"], p["v"])
    for i, link in enumerate(space.links):
        iq, iv = (int(tree.ip[i, k]) for k in (rc.IQ, rc.IV))
        R = matrix_of(p["q"][iq + 3:iq + 7].tolist())
        poses[link.body] = Pose(p["q"][iq:iq + 3], p["q"][iq + 3:iq + 7], R, p["v"][iv:iv + 3], R @ p["v"][iv + 3:iv + 6])
        at, rate = (int(tree.ip[i, k]) for k in (rc.IP, rc.IU))
        position, rates = _of_joint(space, i, link, poses[link.parent], poses[link.body])
        q[at:at + len(position)], u[rate:rate + len(rates)] = position, rates
        at, rate, modes = int(tree.ip[i, rc.IM]), rate + int(tree.ip[i, rc.NU]), int(tree.ip[i, rc.NM])
        q[at:at + modes], u[rate:rate + modes] = p["q"][iq + 7:iq + 7 + modes], p["v"][iv + 6:iv + 6 + modes]
    for rate, at, iv, iq in tree.lines:
        q[at], u[rate] = p["q"][iq], p["v"][iv]
    u[tree.states[:, 0]] = p["v"][tree.states[:, 1]]
    for h, k, at in tree.history:
        sign, zero = tree.scale[k]
        q[at] += 2 * np.pi * np.round((sign * (p["H"][h] - zero) - q[at]) / (2 * np.pi))
    return q, u


def _of_joint(space: JointSpace, i: int, link: Link, a: Pose, b: Pose) -> tuple[list[float], list[float]]:
    """Of one joint, from the poses of its inner and its outer body."""
    kind, moves = space.tree.ip[i, rc.KIND], space.moving(link).moves
    if kind == rc.FREE:
        return [*b.r, *b.quaternion], [*b.v, *(b.R.T @ b.w)]
    inner, outer = space.sides(link)
    places = space.tree.ip[i, [rc.INNER, rc.OUTER]]
    a, b = (_joint_on(space, int(at), pose, side.point) for at, pose, side in zip(places, (a, b), (inner, outer), strict=True))
    F, C = a.R @ inner.axes, b.R @ outer.axes
    between, spin, slip = F.T @ (b.r - a.r), b.w - a.w, F.T @ (b.v - a.v - np.cross(a.w, b.r - a.r))
    rel, rate = F.T @ C, F.T @ spin
    angle = float(np.arctan2(rel[1, 0], rel[0, 0]))
    if kind == rc.SPHERICAL:
        return [*quaternion_product(inverse(a.quaternion), b.quaternion)], [*(b.R.T @ spin)]
    if kind == rc.UNIVERSAL:
        first, second = (int(space.tree.ip[i, k]) for k in (rc.AXIS_1, rc.AXIS_2))
        turns = ([angle, float(np.arctan2(rel[2, 1], rel[2, 2]))] if first == 2 else
                 [float(np.arctan2(-rel[1, 2], rel[2, 2])), float(np.arctan2(-rel[0, 1], rel[0, 0]))])
        return turns, [rate[first], float(C[:, second] @ spin)]
    if kind == rc.SERIAL:
        q = serial.coordinates(moves, between, rel)
        return q.tolist(), serial.rates(moves, q, slip, rate).tolist()
    found = {"x": (between[0], slip[0]), "y": (between[1], slip[1]), "z": (between[2], slip[2]), "rz": (angle, rate[2])}
    return [found[move][0] for move in moves], [found[move][1] for move in moves]


def _deform(space: JointSpace, q: np.ndarray, v: np.ndarray) -> None:
    """Nodes of flexible bodies in the work array of the tree, at the positions and velocities of a row."""
    tree, x = space.tree, space.system.memory()
    for i, _ in tree.flexible:
        iq, iv, n = tree.ip[i, [rc.IQ, rc.IV, rc.NM]]
        at, rate = tree.ip[i, rc.IM], tree.ip[i, rc.IU] + tree.ip[i, rc.NU]
        tree.q[at:at + n], tree.u[rate:rate + n] = q[iq + 7:iq + 7 + n], v[iv + 6:iv + 6 + n]
    if len(tree.flexible):
        deform_at(tree, space.system.data, x)


def _joint_on(space: JointSpace, at: int, body: Pose, point: np.ndarray) -> Pose:
    """A joint on a body: at a point, or at a node with its place in the work array."""
    if at < 0:
        return body._replace(r=body.r + body.R @ point, v=body.v + np.cross(body.w, body.R @ point))
    m = space.tree.m[at:at + int(rc.N_S)]
    turned, arm = m[rc.N_Q:rc.N_Q + 4], body.R @ m[rc.N_U:rc.N_U + 3]
    return Pose(body.r + arm, quaternion_product(body.quaternion, turned), body.R @ matrix_of(turned.tolist()),
                body.v + np.cross(body.w, arm) + body.R @ m[rc.N_U1:rc.N_U1 + 3], body.w + body.R @ m[rc.N_R1:rc.N_R1 + 3])


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
    m, (inner, outer) = space.tree.m, space.tree.ip[i, [rc.INNER, rc.OUTER]]
    local = _of_coordinates(space, i, link, q)
    if inner >= 0:
        local = quaternion_product(m[inner + rc.N_Q:inner + rc.N_Q + 4], local)
    return quaternion_product(local, inverse(m[outer + rc.N_Q:outer + rc.N_Q + 4])) if outer >= 0 else local


def _of_coordinates(space: JointSpace, i: int, link: Link, q: np.ndarray) -> np.ndarray:
    """Without what nodes turn."""
    at, rp = int(space.tree.ip[i, rc.IP]), space.tree.rp[i]
    kind, moves = space.tree.ip[i, rc.KIND], space.moving(link).moves
    if kind in (rc.FREE, rc.SPHERICAL):
        return q[at + moves.index(BALL):][:4]
    if kind in (rc.UNIVERSAL, rc.SERIAL):
        turns = [np.eye(4)[0] * np.cos(a / 2) + np.eye(4)[1 + TURNS.index(move)] * np.sin(a / 2)
                 for a, move in zip(q[at:], moves, strict=False) if move in TURNS]
        rel = reduce(quaternion_product, turns, np.eye(4)[0])
        return quaternion_product(quaternion_product(rp[rc.QF:rc.QF + 4], rel), rp[rc.QC:rc.QC + 4])
    if "rz" not in moves:
        return rp[rc.Q1:rc.Q1 + 4]
    angle = q[at + moves.index("rz")]
    return np.asarray(np.cos(angle / 2) * rp[rc.Q1:rc.Q1 + 4] + np.sin(angle / 2) * rp[rc.Q2:rc.Q2 + 4])
