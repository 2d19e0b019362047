"""Fuzzing of the text model: models made from its JSON Schema and valid models changed at random are read and, if accepted, compiled
and assembled. Whatever is wrong must end in sentences: no other exception, no hang, no unbounded memory.

    python tests/support/fuzz_models.py --cases 100000      (part of make verify; test_fuzz.py runs a few hundred)
"""
from __future__ import annotations

import argparse
import faulthandler
import math
import multiprocessing
import os
import re
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from random import Random
from typing import Any

import numpy as np
from fuzz_making import MODELS, located, model_text
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from pliant import Model
from pliant.items.errors import ModelError, TextError
from pliant.start.assembly import start_row
from pliant.text import model_text as reader

HANG = 5.0          # s of computing that one case may take
STUCK = 120         # s after which a process that does not come back is ended
MEMORY = 6 * 2**30  # bytes of address space of a process
BATCH = 500         # cases that share a seed
PROCESSES = 2
FOREIGN = re.compile(r"Traceback|Input should be|NoneType|\bNone\b|\bnp\.|Errno|<class|object at 0x|_parsing|\bdict\b|\btuple\b|"
                     r"ValueError|\bSVD\b|LinAlg|converge|unexpected keyword|positional argument|has no attribute|subscriptable|"
                     r"not supported between|iterable|cannot be understood")
LOCATED = re.compile(r"m:\d+: |    ")

def read(text: str, data: Any) -> Model:
    if data is None:
        return reader.from_text(text, "m")
    usual = reader.load_yaml
    try:
        reader.load_yaml = lambda *_: (located(data), [])
        return reader.from_text("", "m")
    finally:
        reader.load_yaml = usual


# -- what must hold

class Fault(AssertionError):
    """What a model did that none may do."""


def outcome(text: str, data: Any = None) -> str:
    """How a model ends: refused by the reader, when compiled or when assembled, or accepted. Fault for anything else."""
    start, stage = time.process_time(), "reader"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "(?s).*turns; write", UserWarning)  # of a rotation in plain numbers
            model = read(text, data)
            warnings.simplefilter("ignore")  # sizes beyond computing
            stage = "compile"
            dynamics = model.compile()
            stage = "assemble"
            row = start_row(dynamics)
            if not np.isfinite(row).all():
                raise Fault("the initial state is not finite")
            stage = "accepted"
    except TextError as error:
        for line in error.lines:
            if not LOCATED.match(line):
                raise Fault(f"not located: {line}") from error
        _sentence(str(error))
    except ModelError as error:
        if stage == "reader":
            raise Fault(f"not a TextError: {error}") from error
        _sentence(str(error))
    except Fault:
        raise
    except BaseException as error:
        raise Fault(f"{stage}: {type(error).__name__}: {error}") from error
    took = time.process_time() - start
    if took > HANG:
        raise Fault(f"{stage}: took {took:.1f} s")
    return stage


def _sentence(told: str) -> None:
    if FOREIGN.search(told) or not told.strip() or max(map(len, told.split("\n"))) > 600:
        raise Fault(f"not a sentence: {told[:600]!r}")


def batch(number: int, cases: int = BATCH, base: int = 0) -> tuple[Counter[str], str, str]:
    """Run one batch. How many ended how, and if there was a fault, what it was and the smallest model that shows it."""
    ends: Counter[str] = Counter()
    last = ["", ""]

    @seed(base * 1_000_003 + number)
    @settings(max_examples=cases, deadline=None, database=None, phases=[Phase.generate, Phase.shrink],
              suppress_health_check=list(HealthCheck))
    @given(st.randoms(use_true_random=False))
    def check(random: Random) -> None:
        text, data = model_text(random)
        faulthandler.dump_traceback_later(STUCK, exit=True)
        try:
            ends[outcome(text, data)] += 1
        except Fault:
            last[:] = traceback.format_exc(limit=-6), text
            raise
        finally:
            faulthandler.cancel_dump_traceback_later()
    try:
        check()
    except BaseException as error:
        if not last[0]:
            return ends, f"{type(error).__name__}: {error}", ""
        return ends, last[0], last[1]
    return ends, "", ""


def _prepare() -> None:
    """Bound the memory, and compile what is used, which is done once and no part of a case."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    for text in MODELS:
        start_row(reader.from_text(text).compile())


def _work(task: tuple[int, int, int]) -> tuple[int, Counter[str], str, str]:
    return task[0], *batch(*task)


def main() -> int:
    options = argparse.ArgumentParser(description="Fuzz the text model.")
    options.add_argument("--cases", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=0, help="another one gives other models")
    options.add_argument("--start", type=int, default=0, help="first batch, to go on where a run stopped")
    options.add_argument("--keep-going", action="store_true", help="report all faults, not only the first")
    given_ = options.parse_args()
    os.environ["PLIANT_QUIET"] = "1"
    total, start, faults = Counter[str](), time.perf_counter(), 0
    tasks = [(k, min(BATCH, given_.cases - k * BATCH), given_.seed) for k in range(given_.start, math.ceil(given_.cases / BATCH))]
    _prepare()
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn"), _prepare) if len(tasks) > 1 else nullcontext() as pool:
        # a process that hangs ends itself, which breaks the pool and this loop
        for number, ends, fault, text in pool.map(_work, tasks) if pool else map(_work, tasks):
            total += ends
            done, took = total.total(), time.perf_counter() - start
            told = ", ".join(f"{count} {end}" for end, count in total.most_common())
            print(f"\r{done} cases in {took:.0f} s: {told}   ", end="", file=sys.stderr, flush=True)
            if fault:
                faults += 1
                with tempfile.NamedTemporaryFile("w", suffix=".yaml", prefix="pliant_fuzz_", delete=False) as file:
                    file.write(text)
                print(f"\nfault in batch {number} (again with --seed {given_.seed} --start {number}), model in {file.name}:\n{fault}",
                      file=sys.stderr)
                if not given_.keep_going:
                    return 1
    print(f"\n{total.total()} models, {faults} faults", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
