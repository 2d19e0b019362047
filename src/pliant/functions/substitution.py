"""Expressions with trees in place of their variables."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .expression import Binary, Call, Lookup, Lookup2, Node, Unary, Variable, bottom_up


def substituted(root: Node, by: Mapping[str, Node]) -> Node:
    """``root`` with the trees ``by`` in place of variables of these names; shared nodes stay shared."""
    done: dict[int, Node] = {}
    for node in bottom_up(root):
        made = node
        match node:
            case Variable(name=name) if name in by:
                made = by[name]
            case Unary(operand=a):
                made = replace(node, operand=done[id(a)])
            case Binary(left=a, right=b):
                made = replace(node, left=done[id(a)], right=done[id(b)])
            case Call(arguments=arguments):
                made = replace(node, arguments=tuple(done[id(a)] for a in arguments))
            case Lookup(argument=a):
                made = replace(node, argument=done[id(a)])
            case Lookup2(x=a, y=b):
                made = replace(node, x=done[id(a)], y=done[id(b)])
        done[id(node)] = made
    return done[id(root)]
