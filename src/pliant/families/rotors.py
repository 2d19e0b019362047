"""Rotors of motors behind gears: inertia of a joint angle. docs/theory/drives.md

The angle of a joint whose axes z are parallel has c' = z_B . w_B - z_A . w_A with the axes as each frame has them; along the axis of a
frame d(z . w)/dt = z . w', since z' = w x z.
"""
from ..kernels.contract import AW, KINETIC, TABLE, A, Family, M, Stage, W
from ..kernels.jit import index, jit
from ..kernels.pairs import FA, FB, add_pair, clear_stiffness, put
from ..kernels.so3 import accumulate2, axis2, dot, skew, vec2

AXIS, INERTIA = index(4), index(0)  # ip: axis of both frames; rp: of the rotor, times the square of the ratio of its gear


@jit
def along(s, b, e, part):
    """z_B . x_B - z_A . x_A of the angular velocities or accelerations x of the two frames."""
    fa, fb, k = b.ip[e, FA], b.ip[e, FB], b.ip[e, AXIS]
    return dot(axis2(s.X, fb, A, k), vec2(s.X, fb, part)) - dot(axis2(s.X, fa, A, k), vec2(s.X, fa, part))


@jit
def rotor(s, b, o):
    """Moments I c'' z_B on B, -I c'' z_A on A, on the left                                           [rotor-1]"""
    for e in range(b.first, b.last):
        m = b.rp[e, INERTIA] * along(s, b, e, AW)
        accumulate2(m, axis2(s.X, b.ip[e, FB], A, b.ip[e, AXIS]), s.X, b.ip[e, FB], M)
        accumulate2(-m, axis2(s.X, b.ip[e, FA], A, b.ip[e, AXIS]), s.X, b.ip[e, FA], M)


@jit
def turning(s, b, e, side, i, c):
    """How c' follows velocity c of tile i of one frame: z J"""
    f, sign = b.ip[e, FA + side], 2.0 * side - 1
    z, j = axis2(s.X, f, A, b.ip[e, AXIS]), b.fr[f, 1] + i
    return sign * (z[0] * s.J[j, 3, c] + z[1] * s.J[j, 4, c] + z[2] * s.J[j, 5, c])


@jit
def turned(s, b, e, side, i, c):
    """The same by the unknown of a step: T turns an increment of q into that of a, in columns 3 to 5."""
    if c < 3:
        return turning(s, b, e, side, i, c)
    t, y = b.fr[b.ip[e, FA + side], 3] + i, 0 * s.H[0]
    for k in range(3):
        y += turning(s, b, e, side, i, 3 + k) * s.T[t, 3 * k + c - 3]
    return y


@jit
def rotor_tangent(s, b, o):
    """D += cm I (z J)^T (z J T), K = -+ I c'' [z] of the frames' own turns                             [rotor-2]
    Of rigid bodies that is all; what velocities and positions of flexible ones change in c'' is left out."""
    rotor(s, b, o)
    for e in range(b.first, b.last):
        f = b.rp[e, INERTIA]
        na, m = b.fr[b.ip[e, FA], 0], b.fr[b.ip[e, FA], 0] + b.fr[b.ip[e, FB], 0] + 1
        clear_stiffness(o.W)
        for side in range(2):
            sign = 2.0 * side - 1
            put(o.W, 3 + 6 * side, 3 + 6 * side, -sign * f * along(s, b, e, AW), skew(axis2(s.X, b.ip[e, FA + side], A, b.ip[e, AXIS])))
        add_pair(s, b, o, e, False)
        for row in range(m - 1):
            side_r = 0 if row < na else 1
            for column in range(m - 1):
                side_c = 0 if column < na else 1
                block = b.tab[b.ip[e, TABLE] + m * row + column]
                for c in range(6):
                    y = o.cm * f * turned(s, b, e, side_c, column - side_c * na, c)
                    for k in range(6):
                        o.D[block, k, c] += y * turning(s, b, e, side_r, row - side_r * na, k)


@jit
def rotor_energy(s, b, o):
    """E = I c'^2 / 2"""
    for e in range(b.first, b.last):
        c = along(s, b, e, W)
        o.E[KINETIC] += b.rp[e, INERTIA] * c * c / 2


ROTOR = Family("rotor", act=Stage(residual=rotor, tangent=rotor_tangent, energy=rotor_energy))
