"""Channels over time as a table: columns with names and units, for files and other programs."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

SHOWN = 12  # columns that are told
PANDAS = "a DataFrame needs pandas: pip install pliant[tables]"


class ChannelTable(Mapping[str, np.ndarray]):
    """Columns by name, "t" first: ``table["A.angle"]``, ``table.units["A.angle"]``; vectors are columns by component,
    ``table["crank.position.x"]``."""

    def __init__(self, columns: dict[str, np.ndarray], units: dict[str, str]) -> None:
        self._columns, self.units = columns, units

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._columns:
            from ..items.base import did_you_mean
            raise KeyError(f"no column {name!r}{did_you_mean(name, self._columns)}")
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        more = f", … ({len(self)} columns)" if len(self) > SHOWN else ""
        return f"ChannelTable({len(self['t'])} rows: {', '.join(self.heads[:SHOWN])}{more})"

    def _repr_html_(self) -> str:
        from ..report.display import html_table, page
        columns = [column.tolist() for column in list(self.values())[:SHOWN]]
        return page(repr(self), html_table(self.heads[:SHOWN], zip(*columns, strict=True)))

    @property
    def heads(self) -> list[str]:
        """Names with units, such as "A.angle [rad]"."""
        return [f"{name} [{unit}]" if (unit := self.units[name]) else name for name in self]

    def to_array(self) -> np.ndarray:
        """A structured array of NumPy, one field for each column."""
        return np.rec.fromarrays(list(self.values()), names=list(self)).view(np.ndarray)  # type: ignore[call-overload]

    def to_csv(self, path: str | Path) -> None:
        """As text, 17 digits, the first line names and units."""
        from ..safe_files.hdf5 import check_target
        check_target(path)
        np.savetxt(path, np.column_stack(list(self.values())), delimiter=",", header=",".join(self.heads), comments="", fmt="%.17g")

    def to_pandas(self) -> Any:
        """A DataFrame indexed by t; ``attrs["units"]`` has the units. Needs the extra ``tables``."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(PANDAS) from None
        frame = pd.DataFrame({name: values for name, values in self.items() if name != "t"}, index=pd.Index(self["t"], name="t"))
        frame.attrs["units"] = dict(self.units)
        return frame
