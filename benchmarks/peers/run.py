"""Run the peers' benchmarks and print one table.

Usage:  taskset -c 0 python run.py [--json FILE] [name-filter ...]      e.g.  run.py --json rows.json p1 p3
Each file runs in its own process; a peer that is not installed is skipped with a line saying so. A run whose solver stopped, or
whose result is not a number, is a failed row: it has no times. FILE gets the raw rows, failed and skipped ones included.
"""
import glob, json, math, os, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
TIMES = ("wall", "cpu", "us_per_step", "us_per_newton", "acc")


def fmt(r):
    f = lambda v, s: "-" if v is None else s % v
    if r.get("skipped"):
        return "| %s | %s | not run: %s |" % (r["problem"], r["peer"], r["note"]) + " |" * 9
    acc = "-" if r["acc"] is None else "%.1e %s" % (r["acc"], r["acc_what"].replace("|E-E0|", " dE"))
    times = "failed | failed | %d | failed" % r["steps"] if r["failed"] else "%.3f | %.3f | %d | %.1f" % (
        r["wall"], r["cpu"], r["steps"], r["us_per_step"])
    return "| %s | %s | %s | %s | %s | %s | %s | %s | %s |" % (
        r["problem"], r["peer"], r["method"], f(r["h"], "%g"), times, f(r["newton"] and r["newton"] / max(1, r["steps"]), "%.1f"),
        f(r["us_per_newton"], "%.1f"), acc, f(r["rss"], "%.0f"))


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
    problem, peer = name[:-3].split("_")[0][1:] + " " + name.split("_")[1], name[:-3].split("_")[-1]
    last = (err.strip().splitlines() or ["?"])[-1][:200]
    return dict(problem=problem, peer=peer, method="", steps=0, failed=True, skipped=True, note=last, **dict.fromkeys(TIMES))


def main(args):
    target = None
    if "--json" in args:
        at = args.index("--json")
        target, args = os.path.abspath(args[at + 1]), args[:at] + args[at + 2:]
    env = dict(os.environ)
    for v in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        env[v] = "1"
    files = sorted(f for f in glob.glob(os.path.join(HERE, "p[0-9]_*_*.py")) if not f.endswith("_model.py"))
    rows = []
    for f in files:
        name = os.path.basename(f)
        if args and not any(x in name for x in args):
            continue
        print("running", name, file=sys.stderr, flush=True)
        try:
            p = subprocess.run([sys.executable, f], cwd=HERE, env=env, capture_output=True, text=True, timeout=900)
            out, err, rc = p.stdout, p.stderr, p.returncode
        except subprocess.TimeoutExpired as e:
            out, err, rc = (e.stdout or b"").decode(), "timed out", 1
        rows += [judged(json.loads(l[4:])) for l in out.splitlines() if l.startswith("ROW ")]
        if rc:
            rows.append(stopped(name, err))
    rows.sort(key=lambda r: (r["problem"].split()[0], r["problem"], r["peer"]))
    if target:
        with open(target, "w") as fh:
            json.dump(rows, fh, indent=0)
    print("| problem | peer | method | h [s] | wall [s] | cpu [s] | steps | us/step | Newton/step | us/Newton | accuracy | peak RSS [MiB] |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for r in rows:
        print(fmt(r))


if __name__ == "__main__":
    main(sys.argv[1:])
