"""Tables of the recursion: a tree of links in joint coordinates, its state, and its work arrays."""
from typing import NamedTuple

import numpy as np

from .jit import index

# kinds of joints: about and along one axis (also fixed), two crossed axes, a point, a plane, none; any moves one after the other
AXIAL, UNIVERSAL, SPHERICAL, PLANAR, FREE, SERIAL = index(0, 1, 2, 3, 4, 5)
# ip of a link: row of its parent (the last one is the ground), kind; first of its coordinates and of its rates, number of rates; the
# body in q and v; rates of angle and displacement (-1: none); axes of a universal joint. Of flexible bodies: modes, whose rates follow
# those of the joint, and the first of their coordinates; places in m (-1: none) of the body, of the node of the joint on the parent
# and on the body, and of what the modes of the parent do. Moves of a serial joint as digits to the base of eight, the first one lowest:
# 0, 1, 2 along x, y, z of the joint, 3, 4, 5 about them
PARENT, KIND, IP, IU, NU, IQ, IV, TURN, SLIDE, AXIS_1, AXIS_2, NM, IM, ELASTIC, INNER, OUTER, WAYS, MOVES = index(*range(18))
LINK_INTEGERS = 18
# rp of a link: joint on the parent (from its reference, its axes); axis there; reference of the body from the joint (own axes); two
# quaternions with q_parent^-1 q = cos(angle/2) Q1 + sin(angle/2) Q2; quaternions of the joint axes on the parent, and inverse
# on the child; displacement per angle and at angle 0; joint axes on the parent; second axis of a universal joint (own axes); mass, inertia
ARM, AXIS, RHO, Q1, Q2, QF, QC, LEAD, OFFSET, AXES, SECOND, MASS, INERTIA = index(0, 3, 6, 9, 13, 17, 21, 25, 26, 27, 36, 39, 40)
LINK_REALS = 49
# w, one row per link and one for the ground: axes, position, velocity, angular velocity; from the parent; bias acceleration; articulated
# inertia [M H; H^T J] with M and J by their upper halves; bias force; acceleration; quaternion; left side of the
# body's own equations
A_, R_, V_, W_, D_, C_, MM, HH, JJ, P_, AC, QQ, LS = index(0, 9, 12, 15, 18, 21, 27, 33, 42, 48, 54, 60, 64)
LINK_WORK = 70
# s, one row per rate: motion of the body, force U = I S, 1 / (S . U), force along it; of a mode the bias of its equation, and the left
# side of that alone
S_, U_, DI, UU, PQ, LQ = index(0, 6, 12, 13, 14, 15)
RATE_WORK = 16
# g, one joint at a time: local quaternion, displacement and its rate, relative angular velocity and what changes it; at a node of the
# parent axes, quaternion, angular velocity, velocity, and both bias accelerations; on the body quaternion and what its node adds; of a
# serial joint the bias acceleration of its point, and its axes after some moves
LOC, LAG, SPEED, SPIN, GYRO = index(0, 4, 7, 10, 13)
FA_, FQ, FW, FV, FC = index(16, 25, 29, 32, 35)
OWN, OUT_V, OUT_W, OUT_C = index(41, 45, 48, 51)
PULL, TURNED = index(57, 60)
JOINT_WORK = 69
# m at a node: place, quaternion of its turn, their first rates, second ones without those of the modes, in axes of the body; then per mode
# what it displaces and turns
N_U, N_Q, N_U1, N_R1, N_U2, N_R2, N_S = index(0, 3, 7, 10, 13, 16, 19)
# m of a body: first moment of mass, moments of inertia; then per mode linear and angular momentum; then masses of the modes, and those
# of the articulated body, later its factors
B_C, B_J, B_S = index(0, 3, 12)
WAY = 12  # m per mode of the parent: motion of the body, and the force that this takes
TINY = 1e-13  # of an inertia: none


class Tree(NamedTuple):
    """Links, parents before children, with the state in joint coordinates and the work arrays of the recursion."""
    ip: np.ndarray
    rp: np.ndarray
    drive: np.ndarray      # per rate: the element that prescribes it, or -1
    driven: np.ndarray     # (rate, position, element) of those
    scale: np.ndarray      # per rate: sign and zero, coordinate = sign * own + zero
    history: np.ndarray    # (place in H, rate, its position) of angles that are counted
    rotations: np.ndarray  # (first rate, first position) of quaternions; of all other coordinates
    linear: np.ndarray
    flexible: np.ndarray   # (link, element) of bodies with modes
    nodes: np.ndarray      # (element, place in m) of their nodes with joints
    lines: np.ndarray      # (rate, position, place in v, in q) of what slides along flexible bodies: no link moves by it
    states: np.ndarray     # (rate, place in v) of states, which have no position
    nominal: np.ndarray    # that their equations are divided by
    rotors: np.ndarray     # per rate: inertia of rotors that turn with it alone
    q: np.ndarray
    u: np.ndarray
    du: np.ndarray
    w: np.ndarray
    s: np.ndarray
    g: np.ndarray
    m: np.ndarray
