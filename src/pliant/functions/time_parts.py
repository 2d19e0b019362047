"""What in a function changes with time alone: it can be known before a run."""
from __future__ import annotations

from typing import NamedTuple

from .expression import Binary, External, Node, Number, Signal, Unary, Variable, bottom_up, children


class TimePart(NamedTuple):
    """A function of t alone, or a part of one that also reads other things: where its program starts, and what it is. A Python
    function of t, x and v counts too. ``kinks``: whether its kinks make the motion jump; ``where``: the item."""
    code: int
    node: Node
    kinks: bool = False
    where: str = ""


def _reads(root: Node) -> dict[int, tuple[bool, bool]]:
    """Of every node whether it reads t, and whether it reads anything else."""
    found: dict[int, tuple[bool, bool]] = {}
    for node in bottom_up(root):
        if isinstance(node, External):
            found[id(node)] = True, False  # of t, x, v too: all that can be looked at is its change with t
        elif isinstance(node, Variable):
            found[id(node)] = node.name == "t", node.name != "t"
        else:
            inner = [found[id(child)] for child in children(node)]
            found[id(node)] = any(t for t, _ in inner), isinstance(node, Signal) or any(other for _, other in inner)
    return found


def time_parts(root: Node) -> list[Node]:
    """The largest parts of an expression that read t and nothing else."""
    reads, found, todo, seen = _reads(root), [], [root], set[int]()
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if reads[id(node)] == (True, False):
            found.append(node)
        else:
            todo += [child for child in children(node) if reads[id(child)][0]]
    return found


def is_plain(node: Node) -> bool:
    """Whether a part is a polynomial of t: nothing happens in it at any special time."""
    for n in bottom_up(node):
        if not (isinstance(n, (Number, Variable)) or (isinstance(n, Unary) and n.operator == "-")
                or (isinstance(n, Binary) and (n.operator in "+-*" or (n.operator in "/^" and isinstance(n.right, Number))))):
            return False
    return True


def of_motion(root: Node) -> set[int]:
    """The nodes of which an argument reads channels, x or v, of fractions the denominator: what happens in them depends on the motion."""
    reads, found = _reads(root), set[int]()
    for node in bottom_up(root):
        inner = [node.right] if isinstance(node, Binary) and node.operator == "/" else children(node)
        if isinstance(node, External) or any(reads[id(child)][1] for child in inner):
            found.add(id(node))
    return found
