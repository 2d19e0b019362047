"""What a check reports. Every code has a section in docs/when_it_does_not_run.md."""
from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from ..report.finding import ERROR, NOTE, WARNING, Finding, Severity

HEADINGS = {ERROR: "errors", WARNING: "warnings", NOTE: "notes"}
TREE = 40    # lines of the tree of joints
WIDTH = 110  # of a printed report
MOST = 60    # findings that a notebook shows
SHOWN = 5    # warnings and notes of one code that are printed; all are in ``findings``

FAULTS: dict[str, str] = {
    "newton-failed": "the equations of a step could not be solved",
    "singular-matrix": "the equations of motion have no unique solution",
    "jam": "friction jams a joint",
    "not-finite": "a number is not finite",
    "joint-open": "joints came apart",
    "end-of-travel": "a driven linkage came to the end of its travel",
    "whole-turn": "a bushing made a whole turn",
    "deformation": "a flexible body is deformed beyond all measure",
    "end-of-line": "what slides along a flexible body came to the end of its line",
    "too-far": "a joint was to be connected too far from its pose as modelled",
    "step-underflow": "the step became too small",
    "user-function": "a function of the model raised an error",
    "interrupted": "the run was interrupted",
    "chattering": "a function switches to and fro",
    "not-written": "the results could not be written",
    "file-damaged": "a result file cannot be read in full",
}


@dataclass
class Report:
    """What ``check`` found. Counts are None where the model could not be analysed."""
    model: str
    findings: list[Finding] = field(default_factory=list)
    bodies: int = 0
    equations: int | None = None             # of joints, couplings and drives; of a plane model those that act in the plane
    rank: int | None = None                  # how many of them are independent, in the pose as modelled
    redundant: int | None = None
    degrees_of_freedom: int | None = None    # what the joints leave, in general poses
    degrees_of_freedom_at_pose: int | None = None
    rolling: int = 0                         # independent equations of velocities alone: so many fewer degrees of freedom these have
    drives: int = 0
    degrees_of_freedom_after_drives: int | None = None
    planar: Any = None
    not_unique: dict[str, str] = field(default_factory=dict)  # joint -> the part of its reactions that is not unique
    tree: str = ""                           # of the joints, for joint coordinates
    contacts: dict[str, str] = field(default_factory=dict)  # contact -> how it is expected to meet: speed, duration, depth, restitution

    @property
    def ok(self) -> bool:
        """No errors."""
        return not any(f.severity == ERROR for f in self.findings)

    @property
    def unique_reactions(self) -> bool | None:
        """Whether all reactions are unique."""
        return None if self.rank is None else not self.not_unique

    def select(self, *severities: Severity) -> list[Finding]:
        """Findings of these severities."""
        return [f for f in self.findings if f.severity in severities]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        data = asdict(self)
        data["findings"] = [{**asdict(f), "items": list(f.items)} for f in self.findings]
        return {**data, "ok": self.ok, "unique_reactions": self.unique_reactions}

    def __str__(self) -> str:
        lines = [f"check of {self.model!r}", *self._counts(), *self._tree()]
        for severity, heading in HEADINGS.items():
            found = self.select(severity)  # type: ignore[arg-type]
            lines += ["", heading] if found else []
            seen: Counter[str] = Counter()
            for f in found:
                seen[f.code] += 1
                if seen[f.code] <= SHOWN or severity == ERROR:
                    lines += [f"  {f.code}: {_listed(f.items)}".rstrip(": "), *_wrapped(f.message), *_wrapped(f.remedy, "> ")]
            lines += [f"  {code}: {n - SHOWN} more" for code, n in seen.items() if n > SHOWN and severity != ERROR]
        if not self.findings:
            lines += ["", "nothing found"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from ..report.display import facts, finding, page
        counts = [(line[2:22].strip(), line[22:]) for line in self._counts()]
        shown = [f for severity in HEADINGS for f in self.select(severity)][:MOST]  # type: ignore[arg-type]
        told = "".join(finding(f.severity, f"{f.code}: {_listed(f.items)}".rstrip(": "), f.message, f.remedy) for f in shown)
        more = f"<p>and {len(self.findings) - MOST} more</p>" if len(self.findings) > MOST else ""
        return page(f"check of {self.model!r}", facts(counts), told or "<p>nothing found</p>", more)

    def _tree(self) -> list[str]:
        every = self.tree.splitlines()
        more = [f"... {len(every) - TREE} more lines"] if len(every) > TREE else []
        return ["", "tree of the joints", *(f"  {line}" for line in [*every[:TREE], *more])] if every else []

    def _counts(self) -> list[str]:
        if self.rank is None:
            return [f"  bodies              {self.bodies}"]
        freedom = f"{self.degrees_of_freedom}"
        if self.degrees_of_freedom_at_pose != self.degrees_of_freedom:
            freedom += f" ({self.degrees_of_freedom_at_pose} in the pose as modelled)"
        if self.rolling and self.degrees_of_freedom is not None:
            freedom += f" of positions, {self.degrees_of_freedom - self.rolling} of velocities"
        if self.drives:
            freedom += f", {self.degrees_of_freedom_after_drives} left by {self.drives} drive{'s' * (self.drives > 1)}"
        normal = self.planar if isinstance(self.planar, str) else tuple(round(x, 4) for x in self.planar or ())
        plane = f" in planes with the normal {normal}" if self.planar is not None else ""
        unique = "all unique" if self.unique_reactions else f"not unique at {_listed(self.not_unique)}"
        return [f"  bodies              {self.bodies}{plane}",
                f"  equations           {self.equations}, {self.rank} independent, {self.redundant} redundant",
                f"  degrees of freedom  {freedom}", f"  reactions           {unique}", *self._contacts()]

    def _contacts(self) -> list[str]:
        told = [f"  {'contacts' if k == 0 else '':<18}  {name}: {how}" for k, (name, how) in enumerate(self.contacts.items())]
        return [*told[:SHOWN], *([f"{'':<22}and {len(told) - SHOWN} more"] if len(told) > SHOWN else [])]


def _listed(items: Iterable[str]) -> str:
    every = list(items)
    return ", ".join(every[:12]) + (f" and {len(every) - 12} more" if len(every) > 12 else "")


def _wrapped(text: str, mark: str = "") -> Iterable[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="    " + mark, subsequent_indent="    " + " " * len(mark))


def sentence(text: str) -> str:
    """With a full stop, unless it ends with a question or a caret under a line."""
    return text if text.endswith((".", "?", "^")) else f"{text}."
