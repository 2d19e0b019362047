"""The rigid part of motions of models that nothing holds, locked in the middle of a step. Body k has the tile k."""
from ....kernels.jit import jit
from ....kernels.so3 import accumulate, add, column, cross, dot, dyad, mat_add, mul, rotation, scale, sub, tmul, vec


@jit
def solve3(A, b):
    """x with A x = b, by Cramer's rule."""
    c0, c1, c2 = column(A, 0), column(A, 1), column(A, 2)
    det = dot(c0, cross(c1, c2))
    if det == 0:
        return 0 * b[0], 0 * b[1], 0 * b[2]
    return dot(b, cross(c1, c2)) / det, dot(c0, cross(b, c2)) / det, dot(c0, cross(c1, b)) / det


@jit
def centre(d, x, o):
    """Mass, centre of mass and inertia about it of the whole."""
    m, c = 0.0, (0.0, 0.0, 0.0)
    for k in range(d.rotations.shape[0]):
        m += o.mass[k, 0, 0]
        c = add(c, scale(o.mass[k, 0, 0], vec(x.q, d.rotations[k, 1] - 3)))
    c = scale(1 / m, c)
    I = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(d.rotations.shape[0]):
        iq = d.rotations[k, 1]
        r, R = sub(vec(x.q, iq - 3), c), rotation(x.q, iq)
        I = mat_add(I, o.mass[k, 0, 0], dyad(scale(-1.0, r), r, dot(r, r)))
        for i in range(3):
            for j in range(3):
                I = mat_add(I, o.mass[k, 3 + i, 3 + j], dyad(column(R, i), column(R, j), 0.0))
    return m, c, I


@jit
def take_rigid(d, x, o, whole, y, sign):
    """y -= M times the rigid motion of the whole with the momenta of y - sign inert"""
    m, c, I = whole
    f, t = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(d.rotations.shape[0]):
        i, iq = d.rotations[k, 0] - 3, d.rotations[k, 1]
        force = sub(vec(y, i), scale(sign, vec(o.inert, i)))
        moment = sub(vec(y, i + 3), scale(sign, vec(o.inert, i + 3)))
        f = add(f, force)
        t = add(t, add(cross(sub(vec(x.q, iq - 3), c), force), mul(rotation(x.q, iq), moment)))
    u, turn = scale(-1 / m, f), scale(-1.0, solve3(I, t))
    for k in range(d.rotations.shape[0]):
        i, iq = d.rotations[k, 0] - 3, d.rotations[k, 1]
        accumulate(o.mass[k, 0, 0], add(u, cross(turn, sub(vec(x.q, iq - 3), c))), y, i)
        z = tmul(rotation(x.q, iq), turn)
        for j in range(3):
            y[i + 3 + j] += o.mass[k, 3 + j, 3] * z[0] + o.mass[k, 3 + j, 4] * z[1] + o.mass[k, 3 + j, 5] * z[2]


@jit
def free_momentum(d, x, o):
    """Inner forces of a free model sum to nothing, nor does sigma M Delta add to momenta              [conserving-5]"""
    whole = centre(d, x, o)
    take_rigid(d, x, o, whole, x.R, 1.0)
    take_rigid(d, x, o, whole, o.along, 0.0)
