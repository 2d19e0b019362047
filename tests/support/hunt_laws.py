"""A hunt for laws that a run gets wrong without a word: random pulses, tables, switches, bells and steps of time, alone and in laws that
read channels, x or v, push a mass of 2 kg along a slide; m v + c x (c: drag) is the integral of the force, in closed form. And pulses at
a place of the motion, or that travel: they do a known work.

python tests/support/hunt_laws.py --cases 2000 --seed 1
"""
import argparse
import random
import sys
import time

import numpy as np

import pliant as pl

N = np.array([1.0, 2.0, 2.0]) / 3
ACROSS = np.stack([N, np.array([2, 1, -2]) / 3, np.cross(N, np.array([2, 1, -2]) / 3)], 1)
MASS, END, ACCURACY = 2.0, 10.0, 1e-5


def bell(r):
    w, c, a = 10 ** r.uniform(-7, -1), r.uniform(1, 9), 10 ** r.uniform(0, 1)
    return f"{a / w}*exp(-((t - {c})/{w})^2)", a * np.sqrt(np.pi)


def box(r):
    w, c, a = 10 ** r.uniform(-7, -1), r.uniform(1, 9), r.uniform(1, 10)
    forms = [f"if(t > {c} and t < {c + w}, {a / w}, 0)", f"if(t < {c}, 0, if(t - {c + w} < 0, {a / w}, 0))",
             f"{a / w}*(if({c} <= t, 1, 0) - if({c + w} <= t, 1, 0))", f"if(abs(t - {c + w / 2}) < {w / 2}, {a / w}, 0)"]
    return r.choice(forms), a * (c + w - c) / w


def hill(r):
    w, c, k, a = 10 ** r.uniform(-6, -1), r.uniform(1, 9), r.choice([1, 7, 0.3]), r.uniform(1, 10)
    return f"step({k}*t, {k * c}, 0, {k * (c + w)}, {a / w}) - step({k}*t, {k * (c + w)}, 0, {k * (c + 2 * w)}, {a / w})", a


def roof(r):
    w, c, a = 10 ** r.uniform(-6, -1), r.uniform(1, 9), r.uniform(1, 10)
    return r.choice([f"{a / w}*max(0, 1 - abs(t - {c})/{w})", f"{a / w}*(ramp(t, {c - w}, {c}) - ramp(t, {c}, {c + w}))"]), a


def table(r):
    w, c, a = 10 ** r.uniform(-7, -2), r.uniform(1, 9), r.uniform(1, 10)
    return pl.Table([0, c - w, c, c + w, END], [0, 0, a / w, 0, 0], "linear"), a


def switch(r):
    n, a, part = r.randrange(3, 60), r.uniform(1, 10), r.uniform(0.05, 0.95)
    period = END / n
    if r.random() < 0.5:
        return f"if(mod(t, {period}) < {part * period}, {a}, 0)", a * part * END
    level = np.cos(np.pi * part)
    return f"if(sin({2 * np.pi / period}*t) > {level}, {a}, 0)", a * part * END


def sine(r):
    n, a = r.randrange(1, 300), r.uniform(1, 10)
    return f"{a}*sin({2 * np.pi * n / END}*t)^2", a * END / 2


def python(r):
    w, c, a = 10 ** r.uniform(-1.5, 0), r.uniform(1, 9), r.uniform(1, 10)
    if r.random() < 0.5:
        return (lambda t: a / w if c < t < c + w else 0.0), a * (c + w - c) / w
    return (lambda t: a / w * np.exp(-((t - c) / w) ** 2)), a * (np.sqrt(np.pi) if 6 * w < min(c, END - c) else np.nan)


KINDS = [bell, box, hill, roof, table, switch, sine, python]


def travelling(u, part, width, place):
    """A bell that comes with the speed u and does part m u^2 / 2 of work in its frame, where x - u t falls from 0; and the speed of a body
    that was at rest. One that does more than m u^2 / 2 throws the body before it: 2 u."""
    work = part * MASS * u * u / 2
    bell = f"{work / width / np.sqrt(np.pi)}*exp(-((P.displacement - {u}*t - {place})/{width})^2)"
    return bell, u - u * np.sqrt(1 - part) if part < 1 else 2 * u


def of_place(r):
    """A pulse at a place, or one that travels; the speed at the start and at the end."""
    w, u = 10 ** r.uniform(-6, -1), r.uniform(0.5, 2)
    if r.random() < 0.4:
        law, end = travelling(u, r.choice([r.uniform(-3, 0.8), r.uniform(1.3, 3)]), w, -r.uniform(2, 7) * u)
        return law, 0.0, end
    work, x = r.uniform(-0.8, 2) * MASS * u * u / 2, f"(P.displacement - {r.uniform(2, 7) * u * 0.5})"
    f = work / w
    forms = [f"{f / np.sqrt(np.pi)}*exp(-({x}/{w})^2)", f"step({x}, 0, 0, {w}, {f}) - step({x}, {w}, 0, {2 * w}, {f})",
             f"if(abs({x}) < {w / 2}, {f}, 0)", f"{f}*max(0, 1 - abs({x})/{w})", f"{f / 2}*(tanh({x}/{w}) - tanh(({x} - {w})/{w}))"]
    return r.choice(forms), u, np.sqrt(u * u + 2 * work / MASS)


def slide(speed=0.0):
    m = pl.Model("slide")
    b = m.add(pl.RigidBody.box("b", (0.1, 0.2, 0.3), mass=MASS, velocity=tuple(speed * N)))
    m.add(pl.Prismatic("P", m.ground, b, axis=tuple(N)))
    return m, b


def case(r):
    """A model, the integral of its law of time, its drag, and the law."""
    law, impulse = r.choice(KINDS)(r)
    while not impulse < np.inf:
        law, impulse = r.choice(KINDS)(r)
    m, b = slide()
    drag, how = 0.0, "alone"
    turned = b.frame((0, 0, 0), rotation=ACROSS)
    if isinstance(law, str):
        how = r.choice(["alone", "channel", "spring", "damped"])
        other, more = r.choice([k for k in KINDS if k not in (table, python)])(r)
        if r.random() < 0.3 and more < np.inf:
            law, impulse = f"{law} + {other}", impulse + more
    drag = 10 ** r.uniform(-3, 0) if how in ("channel", "damped") else 0.0
    if how in ("spring", "damped"):
        m.add(pl.SpringDamper("s", m.ground.frame(tuple(-N)), b, stiffness=f"-({law}) + {drag}*v + 0*x", length=1.0))
    else:
        m.add(pl.Force("f", turned, (f"{law} - {drag}*P.displacement_rate" if drag else law, 0, 0), axes="frame"))
    return m, impulse, drag, f"{how}: {law}"


def judge_place(r):
    law, speed, end = of_place(r)
    m, b = slide(speed)
    m.add(pl.Force("f", b.frame((0, 0, 0), rotation=ACROSS), (law, 0, 0), axes="frame"))
    try:
        sol = m.simulate(END, accuracy=ACCURACY)
    except (pl.SimulationError, pl.ModelError) as told:
        return 0.0, f"{law} TOLD {told}"
    v = sol["P.displacement_rate"]
    return abs(v[-1] - end) / (10 * ACCURACY * END * max(abs(v).max(), abs(end))), f"place: {law}"


def judge(r):
    """Error over what is allowed, or 0 and the sentence; and the law."""
    if r.random() < 0.2:
        return judge_place(r)
    m, impulse, drag, law = case(r)
    try:
        sol = m.simulate(END, accuracy=ACCURACY)
    except (pl.SimulationError, pl.ModelError) as told:
        return 0.0, f"{law} TOLD {told}"
    x, v = sol["P.displacement"][-1], sol["P.displacement_rate"][-1]
    error = abs(MASS * v + drag * x - impulse)
    scale = MASS * abs(sol["P.displacement_rate"]).max() + drag * abs(sol["P.displacement"]).max() + impulse
    return error / (10 * ACCURACY * END * scale), law


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    worst, wrong, told, clock = 0.0, 0, 0, time.time()
    for k in range(given.cases):
        error, law = judge(random.Random(given.seed * 1_000_003 + k))
        worst, told = max(worst, error), told + ("TOLD" in law)
        if not error <= 1 or "TOLD" in law:
            wrong += not error <= 1
            print(f"case {k}: {error:.3g} {law}", flush=True)
    print(f"{given.cases} laws, {wrong} wrong without a word, {told} told; worst {worst:.3g} of what is allowed; "
          f"{time.time() - clock:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
