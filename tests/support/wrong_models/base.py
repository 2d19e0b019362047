"""What the tables of wrong models are written with: pieces of models, and the list of all cases."""
from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A wrong model. ``problems`` are all messages in their order, ``line: path: sentence``; *** stands for anything."""
    name: str
    text: str | bytes
    problems: tuple[str, ...]


CASES: list[Case] = []


def wrong(name: str, text: str | bytes, *problems: str) -> None:
    assert name not in {case.name for case in CASES}, name
    CASES.append(Case(name, text, problems))


ROD = "pliant: 1\nbodies:\n  crank: {rod: {start: [0, 0, 0], end: [1, 0, 0]}, mass: 1}\n"  # 3 lines
TWO = ROD + "  arm: {rod: {start: [1, 0, 0], end: [2, 0, 0]}, mass: 1}\n"
PIN = ROD + "joints:\n  A: {kind: revolute, between: [ground, crank.start]}\n"
ONE = "pliant: 1\nbodies:\n  a:\n    mass: 1\n"  # what follows is line 5
JOINT = ROD + "joints:\n  A: "  # line 5
GEAR = TWO + ("joints:\n  A: {kind: revolute, between: [ground, crank.start]}\n  B: {kind: revolute, between: [crank.end, arm.start]}\n"
              "  C: {kind: prismatic, between: [ground, arm]}\n  G: ")  # line 9
DRIVE = PIN + "drives:\n  motor: "  # line 7
FORCE = PIN + "forces:\n  S: "  # line 7
SIMULATE = PIN + "simulate: "  # line 6


def body(text: str) -> str:
    """A body in line 3."""
    return f"pliant: 1\nbodies:\n  a: {{{text}}}\n"


def expression(text: str) -> str:
    """Function of a drive in line 7."""
    return DRIVE + f'{{joint: A, coordinate: angle, function: "{text}"}}\n'


def table(text: str) -> str:
    """Table of a drive in line 7."""
    return DRIVE + f"{{joint: A, coordinate: angle, function: {{table: {text}}}}}\n"
