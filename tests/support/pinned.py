"""Tests of one method: runs that ask for nothing else use it."""
import pliant as pl


def pin(monkeypatch, method):
    """Let `simulate` without a step and an integrator take this one."""
    simulate = pl.Model.simulate

    def pinned(self, duration=None, **options):
        if not {"step", "integrator", "formulation"} & {*options, *self.settings}:
            options["integrator"] = method
        return simulate(self, duration, **options)
    monkeypatch.setattr(pl.Model, "simulate", pinned)
