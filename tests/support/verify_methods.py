"""Long runs of all methods, for `make verify`: 100 s of the double four-bar, which passes singular positions again and again.

It stays on its physical branch if both windows stay parallelograms: the posts are parallel. Its one equation of motion knows nothing of the
singular positions and gives the exact angle, but the motion amplifies errors; the parallelogram does not.
"""
import sys
import time

import numpy as np
import spatial

import pliant as pl

INDEX3, INDEX2, FINE = pl.Index3(), pl.StabilizedIndex2(), {"accuracy": 1e-7}
CASES = [(pl.GeneralizedAlpha(), INDEX3, {"step": 2e-3}), (pl.GeneralizedAlpha(0.8), INDEX3, {"accuracy": 1e-5}),
         (pl.HHT(), INDEX3, {"step": 2e-3}), (pl.EnergyMomentum(), INDEX3, {"step": 1e-2}),
         (pl.EnergyDecaying(), INDEX3, {"step": 1e-2}), (pl.DIMCD(), pl.NullSpace(), {"step": 5e-3}),
         (pl.RadauIIA5(), INDEX2, FINE), (pl.BDF(), INDEX2, {"accuracy": 1e-6}), (pl.DOP853(), pl.AugmentedLagrangian(), FINE),
         (pl.DOP853(), pl.Index1(), FINE), (pl.RungeKutta4(), pl.AugmentedLagrangian(), {"step": 2e-3}),
         (pl.AdamsBashforthMoulton(), pl.Index1(), FINE), (pl.DOP853(), pl.CoordinatePartitioning(), FINE),
         (pl.DOP853(), pl.NullSpace(), FINE)]
DRIFT = 1e-10  # of energy, relative, that the energy-momentum method may have


def parallel(sol: pl.Solution) -> float:
    """Largest distance of the ends of the posts from where they are in a parallelogram [m]."""
    first = sol["post0.end.position"]
    return float(max(np.linalg.norm(sol[f"post{k}.end.position"] - first - (k, 0, 0), axis=1).max() for k in (1, 2)))


def main() -> int:
    failed = 0
    for method, form, options in CASES:
        clock = time.process_time()
        try:
            sol = spatial.double_four_bar().simulate(100.0, integrator=method, formulation=form, output_step=0.1, **options)
            error = parallel(sol)
            kept = method.kind != "energy-momentum" or sol.energy.drift <= DRIFT * sol.energy.kinetic.max()
            good = error <= 1e-6 and kept
            told = f"parallelogram {error:.1e} m, energy drift {sol.energy.drift:.1e} J, {sol.quality.steps} steps"
        except pl.SimulationError as stopped:
            may_stop = form.kind in ("coordinate-partitioning", "null-space")
            good, told = may_stop and stopped.code == "singular-pose", str(stopped)
        failed += not good
        seconds = time.process_time() - clock
        print(f"{'ok  ' if good else 'FAIL'} {method.kind}, {form.kind}, {options}: {told}, {seconds:.1f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
