"""Rigid bodies (reference point = centre of mass) and the frames on them. Equations: docs/theory/rigid.md"""
from ..kernels.contract import AV, AW, GRAVITY, KINETIC, POTENTIAL, TABLE, A, F, Family, M, P, Stage, V, W
from ..kernels.jit import index, jit
from ..kernels.so3 import accumulate, add, column, cross, dot, mat2, matmul, mul, rotation, store2, sub, tmul, vec, vec2
from .body_frames import body_columns, pull_body, pull_turns, release, turn_columns

IQ, IV, FRAME, JTILE = index(1, 2, 3, 4)   # ip of a body and of a frame: place in q and v; of a frame: its row in X, its tile in J
MASS, INERTIA = index(0, 1)                # rp of a body: kg; 3x3 about the centre of mass, body axes
OFFSET, AXES = index(0, 3)                 # rp of a frame: p_BF from the centre of mass, R_BF


@jit
def inertia(s, b, o):
    """R += [m (a - g), I w' + w x I w]                                                               [rigid-1]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        iv, m, I = b.ip[e, IV], b.rp[e, MASS], mat2(b.rp, e, INERTIA)
        w = vec(s.v, iv + 3)
        accumulate(m, sub(vec(s.a, iv), g), o.R, iv)
        accumulate(1.0, add(mul(I, vec(s.a, iv + 3)), cross(w, mul(I, w))), o.R, iv + 3)


@jit
def inertia_tangent(s, b, o):
    """D += diag(cm m, (cm I + cd ([w] I - [I w])) T)                                                 [rigid-2]"""
    inertia(s, b, o)
    for e in range(b.first, b.last):
        iv, k, I = b.ip[e, IV], b.tab[b.ip[e, TABLE]], mat2(b.rp, e, INERTIA)
        w, T = vec(s.v, iv + 3), mat2(s.T, iv // 6, P)
        Iw = mul(I, w)
        for j in range(3):
            u = column(T, j)
            Iu = mul(I, u)
            gyro = add(cross(w, Iu), cross(u, Iw))
            o.D[k, j, j] += o.cm * b.rp[e, MASS]
            for i in range(3):
                o.D[k, 3 + i, 3 + j] += o.cm * Iu[i] + o.cd * gyro[i]


@jit
def energy(s, b, o):
    """E = m v.v / 2 + w.I w / 2 (kinetic), - m g.p (potential)                                       [rigid-3]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        iv, m = b.ip[e, IV], b.rp[e, MASS]
        v, w = vec(s.v, iv), vec(s.v, iv + 3)
        o.E[KINETIC] += (m * dot(v, v) + dot(w, mul(mat2(b.rp, e, INERTIA), w))) / 2
        o.E[POTENTIAL] -= m * dot(g, vec(s.q, b.ip[e, IQ]))


@jit
def push(s, b, o):
    """p_WF = p + R s,  R_WF = R R_BF,  v_WF = v + R w x R s,  w_WF = R w; no forces yet              [rigid-4]"""
    for e in range(b.first, b.last):
        iq, iv, f = b.ip[e, IQ], b.ip[e, IV], b.ip[e, FRAME]
        R = rotation(s.q, iq + 3)
        arm, w = mul(R, vec2(b.rp, e, OFFSET)), mul(R, vec(s.v, iv + 3))
        store2(add(vec(s.q, iq), arm), s.X, f, P)
        store2(matmul(R, mat2(b.rp, e, AXES)), s.X, f, A)
        store2(add(vec(s.v, iv), cross(w, arm)), s.X, f, V)
        store2(w, s.X, f, W)
        release(s, f)


@jit
def push_tangent(s, b, o):
    """J = [1, -[R s] R; 0, R];  L = [0, -R [w x s]; 0, -R [w]]                                       [rigid-5]"""
    push(s, b, o)
    for e in range(b.first, b.last):
        R, t = rotation(s.q, b.ip[e, IQ] + 3), b.ip[e, JTILE]
        body_columns(s, t, R, mul(R, vec2(b.rp, e, OFFSET)))
        if b.fr[b.ip[e, FRAME], 2] == 1:
            w = vec(s.v, b.ip[e, IV] + 3)
            turn_columns(s, t, R, cross(w, vec2(b.rp, e, OFFSET)), w)


@jit
def push_rates(s, b, o):
    """v_WF' = v' + R w' x R s + w x (w x R s),  w_WF' = R w'                                         [rigid-6]"""
    push(s, b, o)
    for e in range(b.first, b.last):
        iv, f, R = b.ip[e, IV], b.ip[e, FRAME], rotation(s.q, b.ip[e, IQ] + 3)
        arm, w, turn = mul(R, vec2(b.rp, e, OFFSET)), vec2(s.X, f, W), mul(R, vec(s.a, iv + 3))
        store2(add(vec(s.a, iv), add(cross(turn, arm), cross(w, cross(w, arm)))), s.X, f, AV)
        store2(turn, s.X, f, AW)


@jit
def pull(s, b, o):
    """R += J^T (force, moment)                                                                       [rigid-7]"""
    for e in range(b.first, b.last):
        pull_body(s, o, b.ip[e, FRAME], b.ip[e, IV], rotation(s.q, b.ip[e, IQ] + 3), vec2(b.rp, e, OFFSET))


@jit
def pull_tangent(s, b, o):
    """D += ck ([s] [R^T f] + [R^T m]): what J^T does to a constant wrench when q moves                [rigid-8]"""
    pull(s, b, o)
    for e in range(b.first, b.last):
        f, R = b.ip[e, FRAME], rotation(s.q, b.ip[e, IQ] + 3)
        pull_turns(o, b.tab[b.ip[e, TABLE]], vec2(b.rp, e, OFFSET), tmul(R, vec2(s.X, f, F)), tmul(R, vec2(s.X, f, M)))


BODY = Family("rigid body", act=Stage(residual=inertia, tangent=inertia_tangent, energy=energy))
FRAMES = Family("rigid frame", push=Stage(residual=push, tangent=push_tangent, rates=push_rates, energy=push, power=push),
                pull=Stage(residual=pull, tangent=pull_tangent))
MARKERS = Family("rigid marker", push=Stage(rates=push_rates))  # frames that are only looked at
ACCELERATED = Family("accelerated rigid frame", push=Stage(residual=push_rates, tangent=push_rates))  # once more, for inertia on them
