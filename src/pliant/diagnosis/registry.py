"""Checks register themselves with their codes: a new check is one function, in this folder or outside the package.

    @check("code", "what it means", ITEMS)
    def look(model): yield Finding("code", WARNING, ("crank",), "sentence.", "remedy.")

A function that finds several things has one line for each code. The stage says when it is called, and with what.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..report.finding import Finding

ITEMS = "items"          # with the Model, as it is written
MODELLED = "modelled"    # with the Examination: the model is compiled, bodies are where they are modelled
ASSEMBLED = "assembled"  # bodies are where the run begins
RANKED = "ranked"        # which equations of the joints depend on each other is known, loop by loop
REFUSED = "refused"      # only if there is no consistent start, and nothing found so far says why
RUN = "run"              # against the options of the run
STAGES = ITEMS, MODELLED, ASSEMBLED, RANKED, REFUSED, RUN

CODES: dict[str, str] = {}
CHECKS: dict[str, list[Callable[[Any], Iterable[Finding]]]] = {stage: [] for stage in STAGES}


def add_code(name: str, meaning: str) -> None:
    """A code of findings that are made on the way, not by a check of their own."""
    if name in CODES:
        raise ValueError(f"check: the code {name!r} is taken; it means {CODES[name]!r}")
    CODES[name] = meaning


def check(name: str, meaning: str, stage: str) -> Callable[[Callable[[Any], Iterable[Finding]]], Any]:
    """Register a function that yields Findings with this code."""
    if stage not in CHECKS:
        raise ValueError(f"check {name!r}: stage {stage!r} must be one of {', '.join(STAGES)}")
    add_code(name, meaning)

    def add(function: Callable[[Any], Iterable[Finding]]) -> Callable[[Any], Iterable[Finding]]:
        if function not in CHECKS[stage]:
            CHECKS[stage].append(function)
        return function
    return add
