"""Commands that show what the program can do: verification and speed."""
from __future__ import annotations

import click

from .base import DONE, WRONG, Answer, command


@command
@click.argument("names", nargs=-1)
@click.option("--accuracy", help="Choose steps for this accuracy (draft, normal, fine or a number) instead of fixed ones.")
def verify(names: tuple[str, ...], accuracy: str | None) -> Answer:
    """Run the verification book, or the benchmarks named: value, reference, error and verdict."""
    from ..report import table
    from ..verification import verify as book
    rows = [dict(r) for r in book(list(names) or None, accuracy)]
    failed = sum(not r["passed"] for r in rows)
    keys = ("name", "quantity", "value", "reference", "error", "tolerance", "steps", "seconds")
    shown = [[r.get(k) for k in keys] + ["passed" if r["passed"] else "FAILED"] for r in rows]
    text = table((*keys, "verdict"), shown, indent="") + f"\n{len(rows) - failed} of {len(rows)} passed"
    return Answer({"results": rows, "passed": failed == 0}, text, WRONG if failed else DONE)


@command
@click.option("--peers", is_flag=True, help="Run peers as well, where they are installed.")
@click.option("--quick", is_flag=True, help="Fewer and shorter runs.")
def bench(peers: bool, quick: bool) -> Answer:
    """Measure the speed of this program on its standard problems."""
    from ..bench import bench as measure
    from ..bench import table
    rows = measure(peers=peers, quick=quick)
    return Answer({"results": rows}, table(rows))
