"""The performance table as Markdown on standard output.

Usage:  taskset -c 0 python benchmarks/run.py [--peers] [--quick] [--json FILE]
"""
import datetime
import json
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from pliant import __version__
from pliant.proofs.benchmarks import bench, peers_python, table

PACKAGES = ("exudyn", "mujoco", "pin", "drake", "numpy")
VERSIONS = f"""
from importlib.metadata import PackageNotFoundError, version
for name in {PACKAGES!r}:
    try:
        print(name, version(name))
    except PackageNotFoundError:
        pass
"""


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def head(peers: bool) -> str:
    own = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "llvmlite", "pydantic"))
    text = [f"{datetime.date.today()}, {processor()}, {platform.system()}, Python {platform.python_version()}, one thread.",
            f"pliant {__version__} with {own}."]
    if peers:
        found = subprocess.run([peers_python(), "-c", VERSIONS], capture_output=True, text=True).stdout.split("\n")
        text.append(f"Peers: {', '.join(filter(None, found))}.")
    return "\n".join(text)


if __name__ == "__main__":
    with_peers = "--peers" in sys.argv
    print(head(with_peers) + "\n", flush=True)
    rows = bench(peers=with_peers, quick="--quick" in sys.argv)
    print(table(rows))
    if "--json" in sys.argv:
        Path(sys.argv[sys.argv.index("--json") + 1]).write_text(json.dumps(rows, indent=1))
