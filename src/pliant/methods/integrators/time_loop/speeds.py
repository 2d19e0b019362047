"""What errors of velocities are measured in. docs/theory/explicit.md"""
import numpy as np

from ....kernels.jit import inlined, jit
from ....kernels.so3 import cross, dot, vec, vec2
from .control import SLOWEST_PART, STATE
from .rows import place

ONSET = 1e-2  # of the speed that an acceleration gives over the size of the model: out of rest no velocity is known yet


@inlined
def is_state(w, k):
    """Whether a velocity is a state z: errors of it are measured in the largest |z| so far, at least its nominal value."""
    return w.times[k] == STATE


@jit
def reached(w, n_q, k, y, f, onset):
    """A velocity, in sizes of the model or rad, or a part of what its acceleration gives; a state in its nominal value."""
    if is_state(w, k):
        return max(1.0, w.weight[n_q + k] * abs(y[n_q + k]))
    return max(w.weight[n_q + k] * abs(y[n_q + k]), onset * np.sqrt(w.weight[n_q + k] * abs(f[n_q + k])))


@jit
def swept(w, j, rates, first):
    """How fast a body turns that others hold at a point: w, or less if the point is next to the axis of the rotation"""
    spin = vec(rates, first + int(w.points[j, 0]))
    arm = cross(spin, vec2(w.points, j, 1))
    return np.sqrt(min(dot(spin, spin), dot(arm, arm)))


@jit
def common_speed(p, w, c, v, a, first, onset):
    """The speed of the model so far: of centres of mass and modes in its sizes, of bodies that turn what they hold; a spinning wheel
    moves nothing but itself                                                                              [ode-6]"""
    fastest, strongest = c.speed, 0.0
    for k in range(p.d.linear.shape[0]):
        i = first + p.d.linear[k, 0]
        by = w.weight[i] if first > 0 else 1 / c.size  # slopes have no length; trees have none of them
        fastest, strongest = max(fastest, by * abs(v[i])), max(strongest, by * abs(a[i]))
    for j in range(w.points.shape[0]):
        fastest, strongest = max(fastest, swept(w, j, v, first)), max(strongest, swept(w, j, a, first))
    return max(fastest, onset * np.sqrt(strongest))


@jit
def speeds(p, w, c, t, y, f, onset):
    """What errors of velocities are measured in: the speed of the model, or their own largest value if that
    is larger, of a rotation that of its three components; and at least a part of the fastest, with flexible
    bodies times of the speed of the model                                                                [ode-7]"""
    n_q, n_v, rotations, fastest = p.num.state_q, p.num.state_v, p.maps.rotations, 0.0
    if p.joints.used.size > 0:
        place(p, w, t, y)
        c.speed = common_speed(p, w, c, p.x.v, p.x.a, 0, onset)
    else:
        c.speed = common_speed(p, w, c, y, f, n_q, onset)
    for k in range(n_v):
        w.speed[k] = max(w.speed[k], reached(w, n_q, k, y, f, onset))
        if not is_state(w, k):
            w.speed[k] = max(w.speed[k], c.speed)
            fastest = max(fastest, w.speed[k])
    for j in range(rotations.shape[0]):
        i = rotations[j, 0]
        w.speed[i:i + 3] = max(w.speed[i], w.speed[i + 1], w.speed[i + 2])
    for k in range(n_v):
        if not is_state(w, k):
            w.speed[k] = max(w.speed[k], SLOWEST_PART * fastest, min(w.times[k] * c.speed, fastest))


@jit
def turning(p, y):
    """The fastest angular velocity of a quaternion of the state."""
    fastest = 0.0
    for j in range(p.maps.rotations.shape[0]):
        spin = vec(y, p.num.state_q + p.maps.rotations[j, 0])
        fastest = max(fastest, dot(spin, spin))
    return np.sqrt(fastest)
