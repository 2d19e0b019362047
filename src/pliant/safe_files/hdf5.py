"""HDF5 as files of results need it: writing that survives a full disk and Ctrl-C, reading that believes nothing a file says of itself.

Read are only numbers and texts that are in the file: no links to other files, no objects, nothing larger than the file.
"""
from __future__ import annotations

import errno
import glob
import io
import os
import signal
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

try:
    import fcntl
except ImportError:  # Windows: a file that is open cannot be replaced there
    fcntl = None  # type: ignore[assignment]


class Abandoned(KeyboardInterrupt):
    """A file was left unfinished, since the user asked again to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.code = 128 + number  # as shells have it


class Disk(io.FileIO):
    """A file that keeps its first fault and swallows what comes after: HDF5 does not survive a write that fails."""
    error: OSError | None = None
    report: Callable[[float, float], None] = staticmethod(lambda done, total: None)
    came: Sequence[tuple[int, Any]] = ()  # signals that wait
    enough = 2                            # of them end the writing

    def step(self, done: float, total: float) -> None:
        """So much is written; here the writing may be given up."""
        self.report(done, total)
        if len(self.came) >= self.enough:
            raise Abandoned(self.came[0][0])

    def write(self, data: Any) -> int:
        rest = memoryview(data).cast("B")
        size = len(rest)
        try:
            while rest and not self.error:
                rest = rest[super().write(rest) or 0:]
        except OSError as error:
            self.error = error
        return size

    def truncate(self, size: int | None = None) -> int:
        try:
            return self.tell() if self.error else super().truncate(size)
        except OSError as error:
            self.error = error
            return self.tell()

    def seal(self) -> None:
        """A checksum behind the end, where HDF5 does not look; any change by other programs removes it."""
        if not self.error:
            size = self.seek(0, os.SEEK_END)
            self.write(SEAL % _crc(self, size))


def hold(file: Any, exclusive: bool) -> None:
    """Lock a file until it is closed or the process ends, however it does; BlockingIOError if another holds it. Where the system has
    no such locks, nothing."""
    if fcntl is not None:
        try:
            fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # some network folders
            pass


def sweep(target: Path) -> None:
    """Remove what processes left that were killed while they wrote ``target``."""
    for file in target.parent.glob(f".{glob.escape(target.name)}.*.tmp") if fcntl is not None else ():
        try:
            with open(file, "rb") as held:
                hold(held, exclusive=True)
                file.unlink(missing_ok=True)
        except OSError:  # another is at work on it
            continue


SEAL = b"\npliant seal %08x\n"
BLOCK = 2**20


def _crc(file: Any, size: int) -> int:
    crc, left = 0, size
    file.seek(0)
    while left > 0 and (block := file.read(min(BLOCK, left))):
        crc, left = zlib.crc32(block, crc), left - len(block)
    return crc


def check_seal(path: Path) -> bool:
    """Whether a file has a checksum; ValueError if it does not fit. HDF5 may crash where bytes in its tables have changed."""
    length = len(SEAL % 0)
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END) - length
        if size < 0 or file.seek(size) != size or (end := file.read())[:-9] != (SEAL % 0)[:-9]:
            return False
        if end != SEAL % _crc(file, size):
            raise ValueError("its bytes are not those that were written; take another copy")
    return True


@contextmanager
def uninterrupted() -> Iterator[list[Any]]:
    """Ctrl-C and the like wait until the block has ended: what is half written would be lost. Gives the list of those that wait."""
    came: list[Any] = []
    if threading.current_thread() is not threading.main_thread():
        yield came  # signals come to the main thread only
        return
    handlers = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and callable(signal.getsignal(number)):
            handlers[number] = signal.signal(number, lambda *given: came.append(given))
    try:
        yield came
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if came:
        handler = handlers[came[0][0]]
        assert callable(handler)
        handler(*came[0])


REFUSALS = {errno.ENOENT: "no file can be made in that folder", errno.EACCES: "no file can be made in that folder",
            errno.ENAMETOOLONG: "the name is too long", errno.ENOSPC: "the disk is full", errno.EROFS: "its folder is read-only"}


def check_target(path: str | Path) -> Path:
    """Where a file will be written (the file itself, if the path is a link); a sentence if it cannot be."""
    target, shown = Path(os.path.realpath(path)), repr(str(path))
    if os.path.isdir(target):
        raise IsADirectoryError(f"cannot write {shown}: it is a folder; give the name of a file, such as run.h5")
    if not os.path.isdir(target.parent):
        raise FileNotFoundError(f"cannot write {shown}: there is no folder {str(Path(path).parent)!r}; make it or choose another")
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"cannot write {shown}: its folder is read-only; choose another")
    if os.path.exists(target) and not os.path.isfile(target):
        return target  # a device or a pipe: nothing is made beside it
    trial = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        os.close(os.open(trial, os.O_CREAT | os.O_WRONLY))
        trial.unlink(missing_ok=True)
    except OSError as error:
        raise type(error)(f"cannot write {shown}: {REFUSALS.get(error.errno or 0, error.strerror)}; choose another place") from None
    return target


def check_results(path: str | Path) -> Path:
    """The same for a file that is made beside its place and then renamed."""
    target, shown = check_target(path), repr(str(path))
    if target.exists() and not target.is_file():
        raise OSError(f"cannot write {shown}: it is a device or a pipe; give the name of a file, such as run.h5")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(f"cannot write {shown}: the file there is write-protected; choose another name")
    if target.exists() and not is_own(target):
        raise FileExistsError(f"cannot write {shown}: the file there was not written by pliant and would be lost; choose another name, or "
                              "move it away")
    return target


OWN = "pliant", "pliant_reduced"  # attributes of files of results and of parts


def is_own(path: Path) -> bool:
    """Whether a file was written by `write_whole`, or there is nothing in it to be lost. Other programs that change it remove the seal, but
    not what the file says of itself."""
    length = len(SEAL % 0)
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - length))
        if size == 0 or file.read()[:-9] == (SEAL % 0)[:-9]:
            return True
    try:
        with opened(path, str(path)) as f:
            return any(name in f.attrs for name in OWN)
    except (ValueError, OSError):
        return False


def write_whole(path: str | Path, target: Path, write: Callable[[Disk], None], report: Callable[[float, float], None] | None = None,
                enough: int = 2) -> None:
    """Write a file beside ``target``; it appears under its name when it is complete, an older one stays until then. ``path``:
    as the user named it, for messages. ``report`` is told how much is written; so many interrupts as ``enough`` end it (`Abandoned`)."""
    made = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with uninterrupted() as came, Disk(made, "w+") as disk:
            disk.came, disk.enough = came, enough
            disk.report = report or disk.report
            hold(disk, exclusive=True)
            write(disk)
            disk.seal()
            if disk.error:
                raise disk.error
            os.fsync(disk.fileno())
            os.replace(made, target)
        sweep(target)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OSError(f"cannot write {str(path)!r}: {reason}; make room or choose another folder") from error
    finally:
        made.unlink(missing_ok=True)


# -- reading
TAKE = "take the file that sol.save wrote"
FOREIGN = "is not an HDF5 file, so not one of results"


@contextmanager
def opened(path: Path, shown: str, remedy: str = TAKE, foreign: str = FOREIGN, **how: Any) -> Iterator[Any]:
    """An HDF5 file, closed as soon as it was read; what is wrong with it is told in a sentence, with a remedy. ``foreign``
    is said of files of another kind; ``how``: as `h5py.File` takes it."""
    import h5py
    try:
        file = h5py.File(path, "r", **how)
    except PermissionError:
        raise PermissionError(f"{shown!r} may not be read; change its permissions") from None
    except OSError as error:
        truncated = "truncated" in str(error)  # the library says it in no other way
        what = "is truncated: it was not copied completely" if truncated else foreign
        raise ValueError(f"{shown!r} {what}; {remedy}") from error
    try:
        with file:
            yield file
    except (Foreign, FileNotFoundError):
        raise
    except (Exception, MemoryError) as error:
        told = str(error.args[0]) if error.args else type(error).__name__
        raise ValueError(f"{shown!r} is damaged: {told}; {remedy}") from error


SIGNATURE = b"\x89HDF\r\n\x1a\n"


def is_hdf5(path: Path) -> bool:
    """Whether a file begins as HDF5 files do."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(SIGNATURE)) == SIGNATURE
    except OSError:
        return False


class Foreign(ValueError):
    """A sound file, but not one of ours."""


def member(group: Any, name: str, kind: str) -> Any:
    """A group or dataset that is in this very file; links that lead elsewhere are not followed."""
    from h5py import Dataset, Group, h5l
    key = name.encode()
    if not group.id.links.exists(key):
        raise ValueError(f"{name!r} is missing")
    if group.id.links.get_info(key).type != h5l.TYPE_HARD:
        raise ValueError(f"{name!r} is a link to another place")
    found = group[name]
    if not isinstance(found, Group if kind == "group" else Dataset):
        raise ValueError(f"{name!r} is not a {kind}")
    return found


LEAST, PIECE = 2**14, 2**20  # bytes of what is compressed, and of its chunks
RATIO = 30                   # how much larger than in the file compressed numbers may be in memory
TABLES = 4096                # bytes that HDF5 needs to find chunks


def put(group: Any, name: str, values: Any, packed: bool = False) -> None:
    """A dataset of floats; ``packed``: compressed where that saves room, unless it became so small that readers would distrust it."""
    data, how = np.asarray(values, np.float64, order="C"), {}
    if packed and data.nbytes >= LEAST:
        shuffled = data.reshape(-1).view(np.uint8).reshape(-1, 8).T.tobytes()  # as HDF5 does it, for an estimate
        small = len(zlib.compress(shuffled, 1))
        if small + TABLES + data.nbytes // 1000 < data.nbytes <= RATIO / 2 * small:
            chunk = min(len(data), max(1, PIECE * len(data) // data.nbytes)), *data.shape[1:]
            how = {"chunks": chunk, "compression": 1, "shuffle": True}
    group.create_dataset(name, data=data, dtype="<f8", **how)


def numbers(group: Any, name: str, *shape: int | None, packed: bool = False) -> Any:
    """A dataset of floats, not yet read, of the shape given (None: any length). All of its numbers are in the file; ``packed``:
    they may be compressed, within `RATIO`."""
    from h5py import h5d
    found = member(group, name, "dataset")
    if found.dtype.kind != "f" or found.dtype.itemsize != 8:
        raise ValueError(f"{name!r} holds {found.dtype}, must hold 64-bit floats")
    if found.shape is None or len(found.shape) != len(shape) or any(b not in (None, a) for a, b in zip(found.shape, shape, strict=True)):
        due = ", ".join("n" if n is None else str(n) for n in shape)
        raise ValueError(f"{name!r} has the shape {found.shape}, must have ({due})")
    plan = found.id.get_create_plist()
    if plan.get_layout() == h5d.VIRTUAL or (plan.get_layout() == h5d.CONTIGUOUS and plan.get_external_count()):
        raise ValueError(f"{name!r} has its numbers in another file")
    filters = [plan.get_filter(k)[0] for k in range(plan.get_nfilters())]
    if filters and not (packed and filters == [SHUFFLE, DEFLATE]):
        raise ValueError(f"{name!r} is compressed; undo that with h5repack -f NONE")
    size, stored = _bytes(found.shape), min(found.id.get_storage_size(), _file_size(found.file))
    if size and max(size, _bytes(found.chunks or ())) > stored * (RATIO if filters else 1):
        raise ValueError(f"{name!r} should hold {size} bytes, the file has fewer")
    return found


DEFLATE, SHUFFLE = 1, 2  # as HDF5 numbers filters


def _bytes(shape: tuple[int, ...]) -> int:
    return 8 * int(np.prod([int(n) for n in shape], dtype=object))


def _file_size(file: Any) -> int:
    """Of a file on disk, or of one in memory; HDF5 opens none that claims to be larger than it is."""
    return os.path.getsize(file.filename) if os.path.isfile(file.filename) else int(file.id.get_filesize())


def text(item: Any, name: str, missing: str | None = None) -> str:
    """An attribute that is a text."""
    value = _attribute(item, name, missing)
    if not isinstance(value, str):
        raise ValueError(f"attribute {name!r} is not a text")
    return value


def number(item: Any, name: str, missing: float | None = None) -> float:
    """An attribute that is a number, or true or false."""
    value = _attribute(item, name, missing)
    if not isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)) or not np.isfinite(value):
        raise ValueError(f"attribute {name!r} is not a number")
    return float(value)


def _attribute(item: Any, name: str, missing: Any) -> Any:
    if name not in item.attrs:
        if missing is None:
            raise ValueError(f"attribute {name!r} is missing")
        return missing
    kind = item.attrs.get_id(name)
    if kind.shape != () or kind.dtype.kind not in "biufSUO":
        raise ValueError(f"attribute {name!r} is neither a text nor a number")
    value = item.attrs[name]
    return value.decode() if isinstance(value, bytes) else value
