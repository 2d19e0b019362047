"""How the links of a tree move when one coordinate or rate of it is varied.

The links beyond it move as one rigid body, and go on moving so: dr = s + phi x r with s and phi that change with time. By d/dt

    dv = s' + phi' x r + phi x v,   dw = phi' + phi x w
    da = s'' + phi'' x r + 2 phi' x v + phi x a,   dalpha = phi'' + phi' x w + phi x alpha               [slopes-1]

so 18 numbers (s, phi, s', phi', s'', phi'') are the *field* of a variation for all of them. They follow from the link that the coordinate
moves against its parent, whose own variation is found by an imaginary step. A mode has one for every link that its body carries.
"""
from .articulated import carried
from .elastic_links import moved_by_modes, moved_by_parent
from .jit import inlined, jit
from .link_tables import A_, AC, C_, INNER, IU, IV, NM, NU, PARENT, QQ, R_, S_, UU, V_, W_, WAY, WAYS
from .so3 import add, cross, mat2, mul, scale, store, store2, sub, tmul, vec, vec2

ETA = 1e-30  # the imaginary step
SHIFT, TURN, SHIFT_1, TURN_1, SHIFT_2, TURN_2 = range(0, 18, 3)
FIELD = 18
POSE = C_ + 6  # so many columns of w say where a link is and how it moves


@jit
def mirror(tr, tc, i, a):
    """Link i of the complex tree tc as in the real one; ``a``: accelerations of all bodies."""
    for k in range(POSE):
        tc.w[i, k] = tr.w[i, k]
    for k in range(QQ, QQ + 4):
        tc.w[i, k] = tr.w[i, k]
    iv = tr.ip[i, IV]
    store2(vec(a, iv), tc.w, i, AC)
    store2(mul(mat2(tr.w, i, A_), vec(a, iv + 3)), tc.w, i, AC + 3)
    for k in range(tr.ip[i, IU], beyond(tr, i)):
        for j in range(6):
            tc.s[k, S_ + j] = tr.s[k, S_ + j]


@inlined
def beyond(tr, i):
    """The rate behind the last one of link i."""
    return tr.ip[i, IU] + tr.ip[i, NU] + tr.ip[i, NM]


@inlined
def imaginary(a):
    return a[0].imag / ETA, a[1].imag / ETA, a[2].imag / ETA


@inlined
def real(a):
    return a[0].real, a[1].real, a[2].real


@inlined
def acceleration(tc, i):
    """Of link i, from that of its parent and those of all rates."""
    a, b = carried(tc, i)
    a, b = add(a, vec2(tc.w, i, C_)), add(b, vec2(tc.w, i, C_ + 3))
    if tc.ip[i, INNER] >= 0:
        a, b = moved_by_parent(tc, i, a, b)
    for k in range(tc.ip[i, IU], tc.ip[i, IU] + tc.ip[i, NU]):
        if tc.drive[k] < 0:
            a, b = add(a, scale(tc.s[k, UU], vec2(tc.s, k, S_))), add(b, scale(tc.s[k, UU], vec2(tc.s, k, S_ + 3)))
    return moved_by_modes(tc, i, a, b)


@jit
def find_field(tc, i, field):
    """Of link i, from its imaginary parts.                                                            [slopes-1]"""
    w = tc.w
    a, b = acceleration(tc, i)
    store2(a, w, i, AC)
    store2(b, w, i, AC + 3)
    q, dq = (w[i, QQ].real, real(vec2(w, i, QQ + 1))), (w[i, QQ].imag / ETA, imaginary(vec2(w, i, QQ + 1)))
    turn = scale(2.0, sub(sub(scale(q[0], dq[1]), scale(dq[0], q[1])), cross(dq[1], q[1])))
    r, v, spin = real(vec2(w, i, R_)), real(vec2(w, i, V_)), real(vec2(w, i, W_))
    turn_1 = sub(imaginary(vec2(w, i, W_)), cross(turn, spin))
    turn_2 = sub(imaginary(b), add(cross(turn_1, spin), cross(turn, real(b))))
    store2(turn, field, i, TURN)
    store2(turn_1, field, i, TURN_1)
    store2(turn_2, field, i, TURN_2)
    store2(sub(imaginary(vec2(w, i, R_)), cross(turn, r)), field, i, SHIFT)
    store2(sub(imaginary(vec2(w, i, V_)), add(cross(turn_1, r), cross(turn, v))), field, i, SHIFT_1)
    more = add(cross(turn_2, r), add(scale(2.0, cross(turn_1, v)), cross(turn, real(a))))
    store2(sub(imaginary(a), more), field, i, SHIFT_2)


@jit
def body_variation(tr, field, i, iv, a, dq, dv, da):
    """Variations of link i in the coordinates of bodies, angular ones in body axes; ``a``: accelerations of all bodies."""
    w, A = tr.w, mat2(tr.w, i, A_)
    r, v, spin = vec2(w, i, R_), vec2(w, i, V_), vec2(w, i, W_)
    turn, turn_1, turn_2 = vec2(field, i, TURN), vec2(field, i, TURN_1), vec2(field, i, TURN_2)
    store(add(vec2(field, i, SHIFT), cross(turn, r)), dq, iv)
    store(tmul(A, turn), dq, iv + 3)
    store(add(vec2(field, i, SHIFT_1), add(cross(turn_1, r), cross(turn, v))), dv, iv)
    store(tmul(A, turn_1), dv, iv + 3)
    more = add(scale(2.0, cross(turn_1, v)), cross(turn, vec(a, iv)))
    store(add(vec2(field, i, SHIFT_2), add(cross(turn_2, r), more)), da, iv)
    store(tmul(A, add(turn_2, cross(turn_1, spin))), da, iv + 3)


@inlined
def bracket(field, i, v, turn):
    """What the field of link i makes of a motion (v at the origin, turn) that is carried along."""
    s, phi = vec2(field, i, SHIFT), vec2(field, i, TURN)
    return add(cross(phi, v), cross(s, turn)), cross(phi, turn)


@inlined
def at_origin(tr, i, k):
    """The motion of rate k of link i, as that of the point of its body at the origin."""
    turn = vec2(tr.s, k, S_ + 3)
    return add(vec2(tr.s, k, S_), cross(vec2(tr.w, i, R_), turn)), turn


@inlined
def way_at_origin(tr, c, j):
    """The same of mode j of the parent, for link c."""
    at = tr.ip[c, WAYS] + WAY * j
    turn = vec(tr.m, at + 3)
    return add(vec(tr.m, at), cross(vec2(tr.w, c, R_), turn)), turn


@jit
def spread(tr, i, field, moved):
    """The field of link i and of those that have their own (moved) to all beyond."""
    for l in range(i + 1, tr.ip.shape[0]):
        p = tr.ip[l, PARENT]
        if moved[l] == 0 and moved[p] == 1:
            moved[l] = 1
            for k in range(FIELD):
                field[l, k] = field[p, k]
