"""Random throws at what is easily missed: thin plates and discs, edges that are grazed, pegs next to spinning rods, bodies that tumble
past each other, blades of fans, limits, conditions and ceilings that are touched for microseconds (`throws`). The free motion is known.
Where it would go deeper into something than the accuracy there must be a touch, until then and no earlier than it is as near; where it
passes farther away, none.

    python tests/support/hunt_contacts.py --cases 10000 --seed 0
"""
import argparse
import sys
import time
from collections import Counter

import numpy as np
from free_gaps import first_below
from throws import KINDS

import pliant as pl

ACCURACIES = 1e-3, 1e-4, 1e-6, 1e-8
METHODS = {"default": None, "dop853": pl.DOP853(), "radau-iia-5": pl.RadauIIA5(), "bdf": pl.BDF()}
OFTEN = 0.4, 0.2, 0.2, 0.2
EXPLICIT = METHODS["default"], METHODS["dop853"]
LEAST = 1e-12    # [m] of rounding
LOCATED = 1e-13  # of the way: instants are, to this part of a step


def thrown(seed, case):
    """A throw, its accuracy, method and coordinates."""
    rng = np.random.default_rng([seed, case])
    kind = list(KINDS)[case % len(KINDS)]
    throw = KINDS[kind](rng)
    method = str(rng.choice(list(METHODS), p=OFTEN))
    options = {"accuracy": float(rng.choice(ACCURACIES)), "integrator": METHODS[method]}
    options["coordinates"] = "joint" if rng.random() < 0.3 else "absolute"
    return throw, options, f"{kind} {case} ({method}, {options['accuracy']:g}, {options['coordinates']})"


def one(seed, case):
    """'right', 'near' (touches by less than the accuracy), 'overlap' (at the start), or what is wrong."""
    throw, options, name = thrown(seed, case)
    T, gap, rate = throw.duration, throw.gap, throw.rate
    scale = throw.scale if options["integrator"] in EXPLICIT else max(throw.scale, 1.0)  # implicit ones are not exact in uniform motion
    within = options["accuracy"] * scale + LEAST + LOCATED * rate * T
    if gap(np.array([0.0]))[0] < 2 * within:
        return "overlap"
    sol = throw.model.simulate(T, progress=False, output_step=T, **options)
    hits = [e.t for e in sol.events if e.what in throw.told]
    late, lowest = first_below(lambda t: gap(t) + within, rate, T, 0.2 * within)
    if not hits:
        return f"{name}: passes unseen, {within - lowest:.3g} m deep at {late:.9g}" if late < T else "near" if lowest < within else "right"
    here = float(gap(np.array([hits[0]]))[0])
    if here > within:
        return f"{name}: hit at {hits[0]:.9g}, {here:.3g} m away"
    return f"{name}: hit at {hits[0]:.9g} instead of {late:.9g}" if late < hits[0] - 1e-12 * T else "right"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS)
    given = parser.parse_args()
    counts, begun = {kind: Counter() for kind in KINDS}, time.process_time()
    for case in range(given.first, given.first + given.cases):
        kind = list(KINDS)[case % len(KINDS)]
        if given.kind not in (None, kind):
            continue
        try:
            found = one(given.seed, case)
        except (ValueError, RuntimeError) as error:
            found = f"{kind} {case}: {type(error).__name__}: {error}"
        if case % 500 == 499:
            print(f"{case + 1 - given.first} throws so far", flush=True)
        known = found in ("right", "near", "overlap")
        counts[kind][found if known else "wrong"] += 1
        if not known:
            print(found, flush=True)
    for kind, count in counts.items():
        print(f"{kind:10}", *(f"{count[key]:6d} {key}" for key in ("right", "near", "overlap", "wrong")))
    total = sum(counts.values(), Counter())
    print(f"{total.total()} throws, {total['wrong']} wrong, {time.process_time() - begun:.0f} s")
    sys.exit(total["wrong"] > 0)


if __name__ == "__main__":
    main()
