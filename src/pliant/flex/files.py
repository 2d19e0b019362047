"""Reduced parts as HDF5: plain arrays of 64-bit floats under the names of `Reduced`, texts as attributes, a checksum behind the end."""
from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .load_participation import Represented
from .recovery import Recovery
from .reduced import Integrals, Node, Reduced, Skin, Stiffening

FORMAT = 1  # version of the layout
TAKE = "take the file that Reduced.save wrote"


def save(part: Reduced, path: str | Path) -> None:
    """Write a part; the file appears under its name when it is complete, an older one stays until then."""
    from ..safe_files.hdf5 import check_results, write_whole
    write_whole(path, check_results(path), lambda disk: _write(part, disk))


def _write(part: Reduced, disk: Any) -> None:
    import h5py
    with h5py.File(disk, "w") as f:
        f.attrs["pliant_reduced"], f.attrs["names"] = FORMAT, json.dumps(part.names)
        f.attrs["facts"] = json.dumps(part.facts)
        _arrays(f.create_group("integrals"), part.integrals._asdict())
        _arrays(f, {"Kqq": part.Kqq, "Dqq": part.Dqq})
        nodes = f.create_group("nodes", track_order=True)
        nodes.attrs["names"], nodes.attrs["lines"] = json.dumps(list(part.nodes)), json.dumps(part.lines)
        for k, node in enumerate(part.nodes.values()):
            _arrays(nodes.create_group(str(k)), node._asdict())
        if part.stiffening is not None:
            group = f.create_group("stiffening")
            group.attrs["loads"] = json.dumps([list(load) for load in part.stiffening.loads])
            _arrays(group, {"K": part.stiffening.K})
        if part.skin is not None:
            _arrays(f.create_group("skin"), part.skin._asdict())
        if part.represented is not None:
            group = f.create_group("represented")
            group.attrs["loads"] = json.dumps([list(load) for load in part.represented.loads])
            _arrays(group, {"full": part.represented.full, "reduced": part.represented.reduced})
        if part.stress is not None:
            _write_stress(f.create_group("stress"), part.stress)


def _write_stress(group: Any, r: Recovery) -> None:
    """S in blocks of points, so that a part of it can be read alone."""
    group.attrs["interfaces"] = json.dumps(r.interfaces)
    _arrays(group, {"points": r.points, "cells": r.cells, "elastic": r.elastic, "zone": r.zone, "forces": r.forces})
    chunk = (min(len(r.S), 2048), *r.S.shape[1:])
    group.create_dataset("S", data=r.S, dtype="<f8", chunks=chunk if r.S.size else None)


def _arrays(group: Any, arrays: dict[str, Any]) -> None:
    for name, value in arrays.items():
        if value is not None:
            group.create_dataset(name, data=np.asarray(value, np.float64), dtype="<f8")


def load(path: str | Path) -> Reduced:
    """Read a part; what is wrong with a file is told in a sentence."""
    from ..safe_files.hdf5 import Foreign, check_seal, opened
    shown, file = str(path), Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {shown!r}; reduced.save(path) and 'pliant flex reduce PART -o path' write it")
    try:
        check_seal(file)
    except ValueError as error:
        raise ValueError(f"{shown!r} is damaged: {error}") from None
    with opened(file, shown, TAKE, "is not an HDF5 file") as f:
        version = f.attrs.get("pliant_reduced")
        if not isinstance(version, (int, np.integer)):
            raise Foreign(f"{shown!r} is an HDF5 file, but not of a reduced part; {TAKE}")
        if version > FORMAT:
            raise Foreign(f"{shown!r} has format {version}, this version of pliant reads up to {FORMAT}: "
                          "pip install --upgrade pliant")
        return _read(f)


def _read(f: Any) -> Reduced:
    from ..safe_files.hdf5 import member, numbers, text
    names, facts = json.loads(text(f, "names")), json.loads(text(f, "facts"))
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or not isinstance(facts, dict):
        raise ValueError("its names or facts are not what they must be")
    dims = {"m": (), "c0": 1, "J0": 2, "S": 2, "B0": 2, "G0": 3, "J2": 4, "B1": 3, "Mqq": 2, "u0": 1, "A0": 2, "psi_R": 2, "psi_theta": 2,
            "second": 3, "points": 2, "cells": 2, "psi": 3}

    def some(group: Any, fields: tuple[str, ...]) -> list[Any]:
        return [numbers(group, n, *([None] * (dims[n] or 0)))[()] if n != "second" or n in group else None for n in fields]  # type: ignore

    def part(name: str, read: Callable[[Any], Any]) -> Any:
        return read(member(f, name, "group")) if name in f else None

    nodes = member(f, "nodes", "group")
    made = {name: Node(*some(member(nodes, str(k), "group"), Node._fields)) for k, name in enumerate(json.loads(text(nodes, "names")))}
    stiffening = part("stiffening", lambda group: Stiffening(_loads(group), numbers(group, "K", None, None, None)[()]))
    skin = part("skin", lambda group: _skin(*some(group, Skin._fields)))
    represented = part("represented", lambda group: Represented(
        _loads(group), *(numbers(group, n, None, None)[()] for n in ("full", "reduced"))))
    D = numbers(f, "Dqq", None, None)[()] if "Dqq" in f else None
    return Reduced(names, Integrals(*some(member(f, "integrals", "group"), Integrals._fields)), numbers(f, "Kqq", None, None)[()],
                   made, D, stiffening, skin, facts, part("stress", _read_stress), represented,
                   json.loads(text(nodes, "lines")) if "lines" in nodes.attrs else None)


def _loads(group: Any) -> list[Any]:
    from ..safe_files.hdf5 import text
    return [tuple(load) for load in json.loads(text(group, "loads"))]


def _skin(points: np.ndarray, cells: np.ndarray, psi: np.ndarray) -> Skin:
    if not (cells == np.floor(cells)).all() or not ((cells >= 0) & (cells < len(points))).all():
        raise ValueError("its skin has cells between points that do not exist")
    return Skin(points, cells.astype(np.int64), psi)


def _read_stress(group: Any) -> Recovery:
    from ..safe_files.hdf5 import numbers, text
    points, cells, elastic = (numbers(group, n, None, None)[()] for n in ("points", "cells", "elastic"))
    zone = numbers(group, "zone", None)[()]
    forces = numbers(group, "forces", None, None, None, None)[()] if "forces" in group else None
    return Recovery(points, cells.astype(np.int64), numbers(group, "S", None, None, None)[()], elastic, zone.astype(np.int64),
                    json.loads(text(group, "interfaces")), forces)
