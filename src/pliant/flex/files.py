"""Reduced parts as HDF5: plain arrays of 64-bit floats under the names of `Reduced`, texts as attributes, a checksum behind the end."""
from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..safe_files.hdf5 import Foreign, check_results, check_seal, member, opened, put, text, write_whole
from ..safe_files.hdf5 import numbers as checked_numbers
from .load_participation import Represented
from .recovery import Recovery
from .reduced import Integrals, Node, PartLoad, Reduced, Skin, Stiffening

FORMAT = 1  # version of the layout
TAKE = "take the file that Reduced.save wrote"


def save(part: Reduced, path: str | Path) -> None:
    """Write a part; the file appears under its name when it is complete, an older one stays until then."""
    write_whole(path, check_results(path), lambda disk: _write_file(part, disk))


def _write_file(part: Reduced, disk: Any) -> None:
    import h5py
    with h5py.File(disk, "w") as f:
        write(part, f)


def image(part: Reduced) -> bytes:
    """The bytes of such a file."""
    stream = io.BytesIO()
    _write_file(part, stream)
    return stream.getvalue()


def from_image(data: bytes) -> Reduced:
    """The part of such bytes; ValueError if they are not what `image` gave."""
    import h5py
    try:
        with h5py.File(io.BytesIO(data), "r") as f:
            return read(f)
    except (KeyError, TypeError, IndexError, OSError) as error:
        raise ValueError(f"a part cannot be read: {error}") from None


def write(part: Reduced, f: Any, packed: bool = False) -> None:
    """Write a part into a group of an HDF5 file; ``packed``: large arrays are compressed."""
    def arrays(group: Any, values: dict[str, Any]) -> None:
        for name, value in values.items():
            if value is not None:
                put(group, name, value, packed)
    f.attrs["pliant_reduced"], f.attrs["names"] = FORMAT, json.dumps(part.names)
    f.attrs["facts"] = json.dumps(part.facts)
    arrays(f.create_group("integrals"), part.integrals._asdict())
    arrays(f, {"Kqq": part.Kqq, "Dqq": part.Dqq})
    nodes = f.create_group("nodes", track_order=True)
    nodes.attrs["names"], nodes.attrs["lines"] = json.dumps(list(part.nodes)), json.dumps(part.lines)
    for k, node in enumerate(part.nodes.values()):
        arrays(nodes.create_group(str(k)), node._asdict())
    if part.stiffening is not None:
        group = f.create_group("stiffening")
        group.attrs["loads"] = json.dumps([list(load) for load in part.stiffening.loads])
        arrays(group, {"K": part.stiffening.K})
    if part.skin is not None:
        arrays(f.create_group("skin"), part.skin._asdict())
    if part.represented is not None:
        group = f.create_group("represented")
        group.attrs["loads"] = json.dumps([list(load) for load in part.represented.loads])
        arrays(group, {"full": part.represented.full, "reduced": part.represented.reduced})
    if part.loads:
        spread = f.create_group("loads")
        spread.attrs["names"] = json.dumps(list(part.loads))
        for k, load in enumerate(part.loads.values()):
            arrays(spread.create_group(str(k)), load._asdict())
    if part.stress is not None:
        r, group = part.stress, f.create_group("stress")
        group.attrs["interfaces"] = json.dumps(r.interfaces)
        arrays(group, {"points": r.points, "cells": r.cells, "elastic": r.elastic, "zone": r.zone, "forces": r.forces, "S": r.S})


def load(path: str | Path) -> Reduced:
    """Read a part; what is wrong with a file is told in a sentence."""
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
        return read(f)


def read(f: Any) -> Reduced:
    """The part in a group of an HDF5 file; nothing that the file says of itself is believed."""
    names, facts = json.loads(text(f, "names")), json.loads(text(f, "facts"))
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or not isinstance(facts, dict):
        raise ValueError("its names or facts are not what they must be")
    dims = {"m": (), "c0": 1, "J0": 2, "S": 2, "B0": 2, "G0": 3, "J2": 4, "B1": 3, "Mqq": 2, "u0": 1, "A0": 2, "psi_R": 2, "psi_theta": 2,
            "second": 3, "points": 2, "cells": 2, "psi": 3, "force": 1, "moment": 1, "modal": 1, "dyad": 2, "turning": 2, "force1": 2,
            "moment1": 2, "modal1": 2}

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
    made_stress = part("stress", _read_stress)
    if made_stress is not None and made_stress.S.shape[2] != len(names):
        raise ValueError(f"its stresses are of {made_stress.S.shape[2]} coordinates, must be of {len(names)}")
    return Reduced(names, Integrals(*some(member(f, "integrals", "group"), Integrals._fields)), numbers(f, "Kqq", None, None)[()],
                   made, D, stiffening, skin, facts, made_stress, represented,
                   json.loads(text(nodes, "lines")) if "lines" in nodes.attrs else None,
                   part("loads", lambda group: {str(name): PartLoad(*some(member(group, str(k), "group"), PartLoad._fields))
                                                for k, name in enumerate(json.loads(text(group, "names")))}))


def numbers(group: Any, name: str, *shape: int | None) -> Any:
    """A dataset of floats, perhaps compressed."""
    return checked_numbers(group, name, *shape, packed=True)


def _loads(group: Any) -> list[Any]:
    return [tuple(load) for load in json.loads(text(group, "loads"))]


def _skin(points: np.ndarray, cells: np.ndarray, psi: np.ndarray) -> Skin:
    if not (cells == np.floor(cells)).all() or not ((cells >= 0) & (cells < len(points))).all():
        raise ValueError("its skin has cells between points that do not exist")
    return Skin(points, cells.astype(np.int64), psi)


def _read_stress(group: Any) -> Recovery:
    points, cells, elastic = (numbers(group, n, None, None)[()] for n in ("points", "cells", "elastic"))
    zone, S = numbers(group, "zone", len(points))[()], numbers(group, "S", len(points), 6, None)[()]
    forces = numbers(group, "forces", None, None, None, None)[()] if "forces" in group else None
    interfaces = json.loads(text(group, "interfaces"))
    fit = cells.min(initial=-1) >= -1 and cells.max(initial=-1) < len(points) and len(elastic) == len(points)
    if not fit or not isinstance(interfaces, list) or zone.min(initial=-1) < -1 or zone.max(initial=-1) >= len(interfaces):
        raise ValueError("its tables of stresses do not fit each other")
    return Recovery(points, cells.astype(np.int64), S, elastic, zone.astype(np.int64), interfaces, forces)
