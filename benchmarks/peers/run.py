"""Run the peers' benchmarks and print one table.

Usage:  taskset -c 0 python run.py [--json FILE] [name-filter ...]      e.g.  run.py --json rows.json p1 p3
Each file runs in its own process; a peer that is not installed is skipped with a line saying so. A run whose solver stopped,
or whose result is not a number, is a failed row: it has no times. FILE gets the raw rows, failed and skipped ones included.
"""
import glob
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TIMES = ("wall", "cpu", "us_per_step", "us_per_newton", "acc")
HEAD = ("problem", "peer", "method", "h [s]", "wall [s]", "cpu [s]", "steps", "us/step", "Newton/step", "us/Newton", "accuracy",
        "peak RSS [MiB]")


def fmt(r):
    def number(v, form):
        return "-" if v is None else format(v, form)
    if r.get("skipped"):
        return f"| {r['problem']} | {r['peer']} | not run: {r['note']} |" + " |" * 9
    times = ["failed"] * 3 if r["failed"] else [f"{r['wall']:.3f}", f"{r['cpu']:.3f}", f"{r['us_per_step']:.1f}"]
    acc = "-" if r["acc"] is None else f"{r['acc']:.1e} {r['acc_what'].replace('|E-E0|', ' dE')}"
    newton = None if r["newton"] is None else r["newton"] / max(1, r["steps"])
    cells = [r["problem"], r["peer"], r["method"], number(r["h"], "g"), times[0], times[1], str(r["steps"]), times[2],
             number(newton, ".1f"), number(r["us_per_newton"], ".1f"), acc, number(r["rss"], ".0f")]
    return "| " + " | ".join(cells) + " |"


def judged(r):
    """The row with the entry failed; a failed row keeps its step count and loses its times."""
    number = r["acc"] is None or math.isfinite(r["acc"])
    r["failed"] = "FAILED" in r["method"] or not number
    if r["failed"]:
        r["note"] = r["note"] or ("solver stopped" if number else "result is not a number")
        r.update(dict.fromkeys(TIMES))
    return r


def stopped(name, err):
    """A row for a file that did not run to its end."""
    number, problem, peer = name[:-3].split("_")
    last = (err.strip().splitlines() or ["?"])[-1][:200]
    return dict(problem=f"{number[1:]} {problem}", peer=peer, method="", steps=0, failed=True, skipped=True, note=last,
                **dict.fromkeys(TIMES))


def run(name):
    """All rows of one file."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    print("running", name, file=sys.stderr, flush=True)
    try:
        p = subprocess.run([sys.executable, os.path.join(HERE, name)], cwd=HERE, env={**os.environ, **threads},
                           capture_output=True, text=True, timeout=900)
        out, err, rc = p.stdout, p.stderr, p.returncode
    except subprocess.TimeoutExpired as e:
        out, err, rc = (e.stdout or b"").decode(), "timed out", 1
    rows = [judged(json.loads(line[4:])) for line in out.splitlines() if line.startswith("ROW ")]
    return [*rows, stopped(name, err)] if rc else rows


def main(args):
    target = None
    if "--json" in args:
        at = args.index("--json")
        target, args = os.path.abspath(args[at + 1]), args[:at] + args[at + 2:]
    names = sorted(map(os.path.basename, glob.glob(os.path.join(HERE, "p[0-9]_*_*.py"))))
    rows = [row for name in names if not name.endswith("_model.py") and (not args or any(x in name for x in args))
            for row in run(name)]
    rows.sort(key=lambda r: (r["problem"].split()[0], r["problem"], r["peer"]))
    if target:
        with open(target, "w") as fh:
            json.dump(rows, fh, indent=0)
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    for r in rows:
        print(fmt(r))


if __name__ == "__main__":
    main(sys.argv[1:])
