"""YAML as plain data that knows its lines: mappings, lists, texts, numbers, booleans and null of YAML 1.2, nothing else.

Built from ruamel.yaml's events, without its constructors: no tags, no objects, bounded size, depth and aliases.
"""
from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..functions.units import shown
from ..items.errors import TextError
from ..items.messages import dotted, word

LARGEST = 20 * 2**20   # bytes in a file
DEEPEST = 50           # levels of nesting
COPIES = 100_000       # values that aliases may add
LONGEST = 100_000      # characters of one word or text in a line
TOO_DEEP = f"nested more than {DEEPEST} levels deep; a model needs far fewer"


class At(NamedTuple):
    """A place in a text: its source, and the line, if it has lines."""
    source: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}" if self.line else self.source


class Problem(NamedTuple):
    """What is wrong, and where."""
    at: At
    message: str

    def __str__(self) -> str:
        return f"{self.at}: {self.message}"


VERSION = 1  # of the text model


class Map(dict[str, Any]):
    """A mapping; ``where`` tells for each key in which line it stands."""

    def __init__(self, at: At) -> None:
        super().__init__()
        self.at, self.where = at, dict[str, At]()


class Seq(list[Any]):
    """A list; ``where`` tells for each entry in which line it stands."""

    def __init__(self, at: At) -> None:
        super().__init__()
        self.at, self.where = at, list[At]()


def locate(data: Any, path: tuple[Any, ...]) -> At:
    """Where the value at ``path`` stands, or the nearest thing around it."""
    at: At = data.at
    for key in path:
        inside = key in data if isinstance(data, Map) else isinstance(data, Seq) and isinstance(key, int) and key < len(data)
        if not inside:
            break
        at, data = data.where[key], data[key]
    return at


def missing_blank(text: str) -> str:
    """The end of a message on a text such as ``kind:revolute``; empty if it is not of that kind."""
    found = re.fullmatch(r"([^\W\d]\w*):([^\s:].*)", text.strip(), re.DOTALL)
    return f"; a blank is missing after the colon: write {shown(f'{found[1]}: {found[2]}')}" if found else ""


def plain(data: Any) -> Any:
    """A copy in dict and list."""
    if isinstance(data, dict):
        return {k: plain(v) for k, v in data.items()}
    return [plain(v) for v in data] if isinstance(data, list) else data


_CORE = (  # the core schema of YAML 1.2
    (re.compile(r"null|Null|NULL|~|"), lambda s: None),
    (re.compile(r"true|True|TRUE"), lambda s: True),
    (re.compile(r"false|False|FALSE"), lambda s: False),
    (re.compile(r"[-+]?[0-9]{1,300}"), int),
    (re.compile(r"0o[0-7]{1,300}"), lambda s: int(s[2:], 8)),
    (re.compile(r"0x[0-9a-fA-F]{1,250}"), lambda s: int(s[2:], 16)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), lambda s: float(s) if math.isfinite(float(s)) else s),
    (re.compile(r"[-+]?\.(inf|Inf|INF)"), lambda s: -math.inf if s[0] == "-" else math.inf),
    (re.compile(r"\.nan|\.NaN|\.NAN"), lambda s: math.nan),
)


def scalar(text: str) -> Any:
    """What an unquoted word stands for."""
    for pattern, convert in _CORE:
        if pattern.fullmatch(text):
            return convert(text)
    return text


NOWHERE = At("")


@dataclass
class _Open:
    """A mapping or list that is being read."""
    data: Map | Seq
    anchor: str | None
    size: int = 1                # values inside, aliases counted in full
    key: str | None = None
    merged: Map | None = None    # from the key <<, which other keys override
    key_at: At = NOWHERE


class _Composer:
    def __init__(self, source: str) -> None:
        from ruamel.yaml import events
        self.source, self.problems, self.events = source, list[Problem](), events
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.root: Any = None
        self.copies = 0

    def at(self, event: Any) -> At:
        return At(self.source, event.start_mark.line + 1)

    def stop(self, at: At, message: str) -> TextError:
        return TextError([str(p) for p in (*self.problems, Problem(at, message))])

    def take(self, event: Any) -> None:
        e = self.events
        if getattr(event, "tag", None) is not None:
            raise self.stop(self.at(event), f"tag {shown(event.tag)}: tags are not used in a model; leave it out")
        if isinstance(event, (e.MappingStartEvent, e.SequenceStartEvent)):
            if len(self.stack) >= DEEPEST:
                raise self.stop(self.at(event), TOO_DEEP)
            if self.stack and isinstance(self.stack[-1].data, Map) and self.stack[-1].key is None:
                raise self.stop(self.at(event), "a key must be a word, not a list or mapping")
            kind = Map if isinstance(event, e.MappingStartEvent) else Seq
            self.stack.append(_Open(kind(self.at(event)), event.anchor))
        elif isinstance(event, (e.MappingEndEvent, e.SequenceEndEvent)):
            done = self.stack.pop()
            if done.merged is not None and isinstance(done.data, Map):
                done.data.where = done.merged.where | done.data.where
                done.data.update({k: v for k, v in done.merged.items() if k not in done.data})
            self.value(done.data, done.data.at, done.anchor, done.size)
        elif isinstance(event, e.ScalarEvent):
            data = scalar(event.value) if event.implicit[0] else event.value
            self.value(data, self.at(event), event.anchor, 1, event.value)
        elif isinstance(event, e.AliasEvent):
            self.alias(event)
        elif isinstance(event, e.DocumentStartEvent) and self.root is not None:
            raise self.stop(self.at(event), "a second document begins; a file holds one model")

    def alias(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            inside = any(o.anchor == event.anchor for o in self.stack)
            reason = "stands inside itself" if inside else "has no anchor before it"
            raise self.stop(self.at(event), f"alias *{word(event.anchor)} {reason}; write what is meant")
        data, size = self.anchors[event.anchor]
        self.copies += size
        if self.copies > COPIES:
            raise self.stop(self.at(event), f"aliases make more than {COPIES} values; write what is meant once")
        self.value(data, self.at(event), None, size)

    def value(self, data: Any, at: At, anchor: str | None, size: int, text: str | None = None) -> None:
        """A value is complete: the root, an entry of a list, a key, or what belongs to a key."""
        if anchor is not None:
            self.anchors[anchor] = data, size
        if not self.stack:
            self.root = data
            return
        top = self.stack[-1]
        top.size += size
        if isinstance(top.data, Seq):
            top.data.append(data)
            top.data.where.append(at)
        elif top.key is None:
            if text is None:
                raise self.stop(at, "a key must be a word, not a list or mapping")
            top.key, top.key_at = text, at
        else:
            self.entry(top, top.key, data, top.key_at)
            top.key = None

    def entry(self, top: _Open, key: str, data: Any, at: At) -> None:
        assert isinstance(top.data, Map)
        if key == "<<":
            if not isinstance(data, Map):
                raise self.stop(at, f"<< merges a mapping, found {shown(data)}; write '<<: *name' with '&name' at a mapping before it")
            top.merged = data
        elif key in top.data:
            path = dotted((*(o.key for o in self.stack[:-1] if o.key), key))
            first = top.data.where[key].line
            told = f"{path}: the key {shown(key)} stands here twice, first in line {first}; remove one"
            self.problems.append(Problem(at, told))
        elif not self.slip(top.data, key, data, at):
            top.data[key], top.data.where[key] = data, at

    def slip(self, data: Map, key: str, value: Any, at: At) -> bool:
        """Whether a key is none, for want of a blank ({mass:1}) or by a decimal comma ({mass: 1,5 kg}): told, and read as it is meant."""
        before = next(reversed(data), None)
        if hint := missing_blank(key):
            key, _, rest = key.partition(":")
            told = hint.removeprefix("; ") if value is None else f"a blank is missing after '{word(key)}:'"
            value = scalar(rest) if value is None else Map(at)
        elif value is None and before is not None and key[:1].isdecimal() and type(data[before]) is int:
            key, value = before, f"{data[before]}.{key}"
            told = f"the decimal mark is a point; write {shown(value)}"
        else:
            return False
        data[key], data.where[key] = value, at
        path = dotted((*(o.key for o in self.stack[:-1] if o.key), key))
        self.problems.append(Problem(at, f"{path}: {told}"))
        return True


def load_yaml(text: str, source: str) -> tuple[Any, list[Problem]]:
    """The data of a YAML text, and problems that do not keep it from being read on (double keys)."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.reader import ReaderError
    if len(text) > LARGEST:
        raise TextError([f"{source}: {len(text) / 2**20:.0f} MB, must be at most {LARGEST // 2**20} MB"])
    if found := re.search(rf"[^\n,\[\]{{}}]{{{LONGEST},}}", text):
        at = At(source, _line(text, found.start()))
        raise TextError([f"{at}: a text of {len(found[0])} characters, must have at most {LONGEST}; use a table or a file"])
    if found := re.search(rf"(?:[\[{{]\s*){{{DEEPEST + 1},}}", text):  # the parser would take its time
        raise TextError([f"{At(source, _line(text, found.start()))}: {TOO_DEEP}"])
    composer = _Composer(source)
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            composer.take(event)
    except MarkedYAMLError as error:
        line, told = _plainly(error, text)
        raise composer.stop(At(source, line), told) from None
    except ReaderError as error:
        at = At(source, _line(text, error.position))
        code = error.character if isinstance(error.character, int) else ord(error.character)
        raise TextError([f"{at}: the character #x{code:04x} is not text; a model is a YAML file in UTF-8"]) from None
    except (YAMLError, ValueError) as error:
        if isinstance(error, TextError):
            raise
        raise composer.stop(At(source), f"not YAML: {str(error).splitlines()[0]}") from None
    return composer.root, composer.problems


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


COLON = "a colon is missing or one too many"
_PLAINLY = (  # what the parser says, what people understand; {0} is what it quotes, {begin} where the thing begins
    (r"found character '\\?t' that", "a tab stands here; indent with blanks"),
    (r"found character (.+) that cannot start", "a text cannot begin with {0}; put it in quotes"),
    (r"expected ',' or '([\]}}])'", "'{0}' or a comma is missing; the bracket opens in line {begin}"),
    (r"found unexpected end of stream|found unexpected document separator", "a quote is not closed; it opens in line {begin}"),
    (r"mapping values are not allowed|could not find expected ':'",
     f"{COLON}: write 'key: value', one in a line, and put texts that hold a colon in quotes"),
    (r"expected <block end>|did not find expected|unindent", "the indentation does not fit the lines above; entries that belong together "
     "begin in the same column"),
)


def _plainly(error: Any, text: str) -> tuple[int, str]:
    """Line and message of a text that is not YAML."""
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    begin = error.context_mark.line + 1 if error.context_mark else line
    for pattern, told in _PLAINLY:
        if found := re.search(pattern, str(error.problem)):
            for k, written in enumerate(text.split("\n")[max(0, line - 2):line] if COLON in told else (), max(1, line - 1)):
                if hint := missing_blank(written):
                    return k, f"not YAML{hint.replace(';', ':', 1)}"
            return line, f"not YAML: {told.format(*found.groups(), begin=begin)}"
    return line, "not YAML: " + "; ".join(str(s).splitlines()[0] for s in (error.problem, error.context) if s)


@contextmanager
def located(where: str) -> Iterator[None]:
    """Warnings of what is done here begin with the place in the text."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        yield
    for one in warned:
        warnings.warn(f"{where}: {one.message}", stacklevel=4)
