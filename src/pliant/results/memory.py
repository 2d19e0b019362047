"""Memory that the rows of a run take, and what there is of it."""
from __future__ import annotations

import os
import sys
from pathlib import Path

from ..items.errors import ModelError

LARGE = 300_000_000  # bytes of rows that are worth a word before a run
FILL = 0.8           # of the memory that is available may be filled by the rows of a run that is proposed


def available() -> float | None:
    """Bytes that this process can still take, as far as the system tells; None if it does not."""
    found = [x for x in (_system(), _group(), _limit()) if x is not None]
    return max(0.0, min(found)) if found else None


def _system() -> float | None:
    if sys.platform == "win32":
        return _windows()
    try:
        lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
        kilobytes = {words[0]: int(words[1]) for words in lines if len(words) > 1}
        return 1024.0 * (kilobytes["MemAvailable:"] + kilobytes.get("SwapFree:", 0))
    except (OSError, ValueError, KeyError):
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))  # all there is: better than nothing
    except (OSError, ValueError, AttributeError):
        return None


def _windows() -> float | None:
    import ctypes
    names = "Total", "Avail", "TotalPageFile", "AvailPageFile", "TotalVirtual", "AvailVirtual", "AvailExtendedVirtual"

    class Status(ctypes.Structure):
        _fields_ = (("Length", ctypes.c_ulong), ("Load", ctypes.c_ulong), *((name, ctypes.c_ulonglong) for name in names))
    status = Status(ctypes.sizeof(Status))
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):  # type: ignore[attr-defined]
        return None
    return float(status.AvailPageFile)


def _group() -> float | None:
    """Where the system gives a group of processes a limit, as containers have: what of it is left. Files in memory can be let go."""
    folder = Path("/sys/fs/cgroup")
    for most, now, stat in (("memory.max", "memory.current", "memory.stat"),
                            ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat")):
        try:
            limit, used = float((folder / most).read_text()), float((folder / now).read_text())
            counts = dict(line.split() for line in (folder / stat).read_text().splitlines())
            return limit - used + float(counts.get("inactive_file", 0)) + float(counts.get("active_file", 0))
        except (OSError, ValueError):  # also "max": no limit
            continue
    return None


def _limit() -> float | None:
    """What ``ulimit -v`` leaves."""
    try:
        import resource
        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        return None if most == resource.RLIM_INFINITY else float(most - pages * os.sysconf("SC_PAGE_SIZE"))
    except (ImportError, OSError, ValueError, AttributeError):
        return None


def size(count: float) -> str:
    """Bytes in words."""
    unit, name = next(((u, n) for u, n in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")) if count >= u), (1e3, "kB"))
    return f"{count / unit:.3g} {name}"


def fewer(length: float, width: int, room: float) -> str:
    """A distance of rows that divides the duration, at which they fit."""
    most = max(1.0, FILL * room / (8 * width))
    power = 10.0 ** (len(str(int(most))) - 1)
    rows = power * next(k for k in (5, 2, 1) if k * power <= most)
    return f"keep fewer rows: output_step = {length / rows:.10g} s"


def refuse_too_large(rows: int, width: int, length: float, runs: int = 1, remedy: str = "") -> None:
    """Rows that cannot fit into memory are refused before the run; ``runs``: so many are in memory at a time."""
    need, room = 8.0 * rows * width * runs, available()
    if room is not None and need > room:
        of = f" of {runs} runs" if runs > 1 else ""
        raise ModelError(f"simulate: {rows} rows of {width} numbers{of} take {size(need)} of memory, and {size(room)} are available; "
                         f"{remedy or fewer(length, width, room / runs)}")
