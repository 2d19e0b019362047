"""The one place where Numba is told what to do: decorators, the cache, and calls through addresses.

Numba stamps a cached function with its own file only; an edit in another file would go unnoticed. Every function here is
stamped with the text of its file *and* with the stamps of the kernels and constants it uses, so a stale one is never served.
"""
from __future__ import annotations

import builtins
import hashlib
import os
import pickle
import stat
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from llvmlite.ir import instructions
from numba import njit
from numba.core import cgutils, errors, types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher

from . import by_reference


def _without_scipy() -> None:
    """Numba imports scipy.linalg (0.3 s) to see whether there is a BLAS. There is: SciPy is among our dependencies."""
    from numba.np import linalg
    check = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = check


_without_scipy()


def _number(value: Any) -> int | None:
    """What an index is known to be while compiling, or None."""
    if isinstance(value, instructions.ExtractValue):
        made = value.operands[0]
        while isinstance(made, instructions.InsertValue) and made.indices != value.indices:
            made = made.operands[0]
        value = made.operands[1] if isinstance(made, instructions.InsertValue) else None
    return value.constant if isinstance(value, ir.Constant) and isinstance(value.constant, int) else None


def _from_the_start() -> None:
    """Kernels never count from the end of an array. The test for negative numbers at every access takes time and keeps loops from being
    vectorised, or makes gathered and scattered ones of them. Kernels are what has no reference counts, see _cached."""
    from numba.np import arrayobj
    wrapped = arrayobj.fix_integer_index

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if context.enable_nrt:
            return wrapped(context, builder, kind, index, size)
        if (_number(index) or 0) < 0:
            raise errors.TypingError(f"kernel: the index {_number(index)} counts from the end of an array; kernels count from the start")
        place = context.cast(builder, index, kind, types.intp)
        if BOUNDS:
            with cgutils.if_unlikely(builder, builder.icmp_unsigned(">=", place, size)):
                builder.call(cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.VoidType(), []), "abort"), [])
        return place
    arrayobj.fix_integer_index = fix_integer_index


def _fields_in_types() -> None:
    """Two versions of a named tuple with fields of the same types in another order are different types: a kernel of the cache that was
    compiled for one would read other fields of the other."""
    def with_fields(known: Any) -> Any:
        return property(lambda self: (*known.fget(self), self.fields))
    for name in ("NamedTuple", "NamedUniTuple"):
        kind: Any = getattr(types, name)
        kind.key = with_fields(kind.key)


_from_the_start()
_fields_in_types()
DISABLED = bool(numba.config.DISABLE_JIT)
BOUNDS = bool(os.environ.get("PLIANT_BOUNDS"))  # an index outside of its array ends the process: for tests of kernels
MODULES = ("numpy", "math")  # the only modules a kernel may name


@lru_cache
def cache_folder() -> Path:
    """Where compiled kernels are kept: $PLIANT_CACHE, or the user's cache folder, or (nothing writable) a temporary one."""
    chosen = os.environ.get("PLIANT_CACHE")
    base = os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else os.environ.get("XDG_CACHE_HOME")
    try:
        folder = Path(chosen).expanduser() if chosen else Path(base or Path.home() / ".cache") / "pliant" / "kernels"
        folder = folder / "bounds" if BOUNDS else folder
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except (OSError, RuntimeError):  # no home
        pass
    return _temporary_folder()


def _temporary_folder() -> Path:
    """A folder that only this user can write: Numba's cache must not be read from a place that others can fill."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"pliant-kernels-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o022:
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="pliant-kernels-"))


@lru_cache
def file_hash(path: str) -> str:
    """Hash of a source file; of the path alone where there is none (an interactive session)."""
    data = Path(path).read_bytes() if Path(path).is_file() else path.encode()
    return hashlib.sha256(data).hexdigest()


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _stamp_of(name: str, value: Any, kernel: str) -> str | None:
    """What one global adds to the stamp; None if it adds nothing. Anything that could change unseen is refused."""
    if isinstance(value, Dispatcher):
        return None  # see source_key
    if isinstance(value, (bool, int, float, np.integer)):
        return f"{name}={value!r}"
    if isinstance(value, type) or hasattr(value, "_defn"):  # named tuples, intrinsics
        module = sys.modules[getattr(value, "_defn", value).__module__]
        return file_hash(module.__file__) if getattr(module, "__file__", None) else None
    if isinstance(value, ModuleType) and value.__name__ in MODULES:
        return None
    if isinstance(value, np.ufunc) or getattr(builtins, name, None) is value:
        return None
    raise TypeError(f"kernel {kernel}: it uses the global {name!r} ({type(value).__name__}), whose changes the cache cannot see; "
                    "use kernels imported by name, numbers, and arguments only")


def _used(f: Callable[..., Any]) -> dict[str, Any]:
    """Globals that a kernel names, as far as they are defined by now."""
    return {name: f.__globals__[name] for name in sorted(set(_names(f.__code__))) if name in f.__globals__}


def _check(f: Callable[..., Any]) -> None:
    """TypeError for what no stamp would see."""
    if f.__closure__:
        raise TypeError(f"kernel {f.__name__}: a kernel cannot close over local variables")
    for name, value in _used(f).items():
        _stamp_of(name, value, f.__name__)


@cache
def source_key(f: Callable[..., Any]) -> str:
    """Hash of everything the compiled ``f`` depends on. Asked for when it is compiled or looked up, not before: kernels that stand
    below it in its file are known by then."""
    _check(f)
    below = [source_key(value.py_func) if isinstance(value, Dispatcher) else _stamp_of(name, value, f.__name__)
             for name, value in _used(f).items() if getattr(value, "py_func", None) is not f]
    files = [file_hash(name) for name in (__file__, by_reference.__file__, f.__code__.co_filename)]
    return hashlib.sha256("|".join([f"{BOUNDS}", *files, *(s for s in below if s)]).encode()).hexdigest()


def _cached(f: Callable[..., Any], **options: Any) -> Any:
    """Compiled without reference counts: kernels make no arrays, and counting those they are given takes longer than most of them."""
    if DISABLED:
        return f
    jitted = njit(f, error_model="numpy", no_cfunc_wrapper=True, _nrt=False, **options)
    _check(f)
    if Path(f.__code__.co_filename).is_file():
        _keep(jitted, f)
    return jitted


def _keep(jitted: Any, f: Callable[..., Any]) -> None:
    """Let a kernel be kept in the cache. No fault of the cache stops a run: what cannot be read is compiled again, and what cannot be
    written is not kept, which is told once."""
    before = numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES
    try:
        numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES = str(cache_folder()), "UserProvidedCacheLocator"
        jitted.enable_caching()
    except (OSError, RuntimeError) as error:  # no folder can be made; Numba says it by a RuntimeError
        return _tell(error)
    finally:
        numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES = before
    kept = jitted._cache
    kept._cache_file = _Files(kept._cache_file, f)
    read, write = kept.load_overload, kept.save_overload

    def load(signature: Any, context: Any) -> Any:
        try:
            return read(signature, context)
        except Exception:  # whatever parts of another version raise
            return None

    def save(signature: Any, compiled: Any) -> None:
        try:
            write(signature, compiled)
        except OSError as error:
            _tell(error)
    kept.load_overload, kept.save_overload = load, save


_told: list[str] = []  # why kernels are not kept


def _tell(error: Exception) -> None:
    if not _told:
        number, where = getattr(error, "errno", None), f" in {str(cache_folder())!r}" if cache_folder.cache_info().currsize else ""
        _told.append(os.strerror(number) if number else "no folder for them can be made")
        warnings.warn(f"compiled kernels cannot be kept{where}: {_told[0]}. Runs go on, but every process compiles again; "
                      "make room there or set PLIANT_CACHE to another folder", stacklevel=2)


class _Files(IndexDataCacheFile):
    """Index and compiled versions of one kernel on disk, as Numba keeps them, but stamped with all that the kernel depends on and
    with a checksum. A file is taken for what its name says only if stamp, key and checksum are right: processes that compile
    at the same time, or a disk that is full, may leave an index that points to a version of other times. Any other counts as absent."""

    def __init__(self, file: IndexDataCacheFile, f: Callable[..., Any]) -> None:
        self.__dict__.update(file.__dict__)
        self.f = f

    def load(self, key: Any) -> Any:
        name = self._load_index().get(key)
        found = name and self._read(self._data_path(name))
        return found[1] if found and found[0] == key else None

    def _load_index(self) -> Any:
        self._source_stamp = source_key(self.f)
        return self._read(self._index_path) or {}

    def _save_index(self, overloads: Any) -> None:
        self._source_stamp = source_key(self.f)
        self._write(self._index_path, overloads)

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (key, data))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _read(self, path: str) -> Any:
        """What a file holds; None if that is not what was written for this kernel as it is now."""
        try:
            data = Path(path).read_bytes()
            if int.from_bytes(data[:4], "little") != zlib.crc32(data[4:]):
                return None
            version, stamp, content = pickle.loads(memoryview(data)[4:])
            return content if (version, stamp) == (self._version, self._source_stamp) else None
        except Exception:  # no file, or whatever a pickle of another version raises: it may name classes that were elsewhere
            return None

    def _write(self, path: str, content: Any) -> None:
        data = self._dump((self._version, self._source_stamp, content))
        with self._open_for_write(path) as file:
            file.write(zlib.crc32(data).to_bytes(4, "little") + data)


def _refuse(*args: Any, **options: Any) -> None:
    raise TypeError("this is a kernel: call it from jitted code or by address, or use .py_func")


def jit(f: Callable[..., Any], **options: Any) -> Any:
    """For kernels. They have no Python entry, which saves a third of the compile time; a call from Python is refused."""
    jitted: Any = _cached(f, no_cpython_wrapper=True, **options)
    if not DISABLED:
        jitted._compile_for_args, jitted._insert = _refuse, lambda *args, **kwargs: None
    return jitted


def inlined(f: Callable[..., Any]) -> Any:
    """For kernels with dozens of array arguments, where passing them costs up to 1 us, and for products of tiles."""
    return jit(f, forceinline=True)


def entry(f: Callable[..., Any]) -> Any:
    """For the few functions that Python calls."""
    return _cached(f)


def variant(of: Callable[..., Any], name: str, **parts: Any) -> Any:
    """A kernel from a plain function, with other kernels or numbers in place of the globals that ``parts`` names: one source for an
    algorithm that works on several kinds of data. ``name`` tells the variants apart."""
    for part in parts:
        if part not in of.__code__.co_names:
            raise TypeError(f"variant {name!r} of {of.__name__}: it does not use {part!r}")
    made = FunctionType(of.__code__, {**of.__globals__, **parts}, f"{of.__name__}_{name}", of.__defaults__)
    made.__doc__, made.__module__, made.__qualname__ = of.__doc__, of.__module__, f"{of.__qualname__}_{name}"
    return jit(made)


def variants(name: str, *sources: Callable[..., Any], **parts: Any) -> tuple[Any, ...]:
    """`variant` of several sources, each of which may call those before it; each takes of ``parts`` what it uses."""
    made = dict(parts)
    if unused := set(parts) - {n for of in sources for n in of.__code__.co_names}:
        raise TypeError(f"variants {name!r}: no source uses {sorted(unused)}")
    for of in sources:
        made[of.__name__] = variant(of, name, **{k: v for k, v in made.items() if k in of.__code__.co_names})
    return tuple(made[of.__name__] for of in sources)


def compiled_before(f: Any) -> bool:
    """Whether the cache holds a version of an entry that is still valid."""
    return DISABLED or (isinstance(f._cache, FunctionCache) and bool(f._cache._cache_file._load_index()))


def index(*i: int) -> Any:
    """Named positions as np.int64. For a Python int Numba would compile every helper that takes it once per value."""
    return tuple(np.int64(k) for k in i) if len(i) > 1 else np.int64(i[0])
