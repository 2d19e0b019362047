"""From expressions to programs of the stack machine."""
from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

import numpy as np

from pliant.kernels import expression_vm as op

from .expression import Binary, Call, External, Lookup, Lookup2, Node, Number, Signal, Unary, Variable, bottom_up
from .failures import Failures
from .parser import Names

MOST = 20_000        # operations in one program
ALL = 20_000_000     # entries of all programs of a model

VARIABLES = {"t": op.T, "x": op.X, "v": op.V}
TWO = {"+": op.ADD, "-": op.SUB, "*": op.MUL, "/": op.DIV, "^": op.POW, "<": op.LT, "<=": op.LE, "==": op.EQ, "!=": op.EQ,
       "and": op.MUL, "or": op.ADD, "atan2": op.ATAN2, "mod": op.MOD, "min": op.MIN, "max": op.MAX}
ONE = {"sin": op.SIN, "cos": op.COS, "tan": op.TAN, "asin": op.ASIN, "acos": op.ACOS, "atan": op.ATAN, "sinh": op.SINH,
       "cosh": op.COSH, "tanh": op.TANH, "exp": op.EXP, "log": op.LOG, "sqrt": op.SQRT, "abs": op.ABS, "sign": op.SIGN,
       "floor": op.FLOOR, "clamp": op.CLAMP, "inside": op.INSIDE, "smooth": op.SMOOTH, "smooth1": op.SMOOTH_1,
       "smooth2": op.SMOOTH_2}
# steep functions, whose arguments are kept: e^u, a^n, tanh, atan, step, sin and cos, 1/u and log; tables: TABLE + their place in val
BELL, POWER, RISE, TURN, STEP, WAVE, FRACTION, TABLE = 1, op.POWER, 3, 4, 5, 6, 7, 10
STEEP = {"exp": BELL, "sinh": BELL, "cosh": BELL, "tanh": RISE, "atan": TURN, "smooth": STEP, "sin": WAVE, "cos": WAVE, "tan": WAVE,
         "log": FRACTION}
MILD = 3             # powers up to this one are not steep
EXTERNALS = {"value": op.EXTERNAL, "t": op.EXTERNAL_T, "tt": op.EXTERNAL_TT, "x": op.EXTERNAL_X, "v": op.EXTERNAL_V}


class Pool(Protocol):
    """Where programs, constants and tables of one model are collected."""
    tab: list[int]
    val: list[float]
    keep: list[Any]                 # objects that must outlive the run
    failures: Failures              # of Python functions
    known: Names                    # of parameters, variables and tables

    def signal(self, reference: str) -> int:
        """Index of a signal in Y; ValueError if there is none of this name."""


class Part:
    """The code of one node: pairs (opcode, operand) and parts, in order; its length in tab, and the stack it uses."""
    __slots__ = ("length", "pieces", "stack")

    def __init__(self, stack: int, *pieces: Part | tuple[int, int]) -> None:
        self.stack, self.pieces = stack, pieces
        self.length: int = sum(piece.length if isinstance(piece, Part) else 2 for piece in pieces)
        if self.length > 2 * MOST:
            raise ValueError(f"the expression, or a derivative of it, takes more than {MOST} operations; "
                             "shorten it or use a table")
        if stack > op.STACK:
            raise ValueError(f"the expression, or a derivative of it, is nested too deeply: it needs more than {op.STACK} "
                             "intermediate values; split it or use a table")

    def code(self) -> list[int]:
        code: list[int] = []
        todo: list[Part | tuple[int, int]] = [self]
        while todo:
            piece = todo.pop()
            if isinstance(piece, Part):
                todo.extend(reversed(piece.pieces))
            else:
                code.extend(piece)
        return code


class Assembler:
    """Writes programs into a pool. Constants and tables are stored once per assembler."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.constants: dict[float, int] = {}
        self.tables: dict[int, int] = {}

    def constant(self, value: float) -> int:
        if value not in self.constants:
            self.constants[value] = len(self.pool.val)
            self.pool.val.append(value)
        return self.constants[value]

    def table(self, table: Any) -> int:
        """See `kernels.tables`."""
        if id(table) not in self.tables:
            self.tables[id(table)] = self.numbers(len(table.x), table.x, table.coefficients, table.phases, table.end_slopes)
            self.pool.keep.append(table)  # its identity
        return self.tables[id(table)]

    def surface(self, node: Lookup2) -> int:
        """A table of two variables, and by what it is derived."""
        table = node.table
        if id(table) not in self.tables:
            flags = (table.beyond == "extrapolated") + 2 * (table.kind == "linear")
            self.tables[id(table)] = self.numbers(len(table.x), len(table.y), flags, table.x, table.y, table.coefficients)
            self.pool.keep.append(table)
        return self.numbers(self.tables[id(table)], *node.by)

    def profile(self, x: Any, phases: Any) -> int:
        """A table that has phases only."""
        return self.numbers(len(x), x, np.zeros((len(x) - 1, 4)), phases, (0.0, 0.0))

    def numbers(self, *parts: Any) -> int:
        """Where they begin in the pool."""
        start = len(self.pool.val)
        for part in parts:
            self.pool.val.extend(np.ravel(part).astype(float).tolist())
        return start

    def leaf(self, node: Node) -> tuple[int, int]:
        match node:
            case Number(value=value):
                return op.CONSTANT, self.constant(value)
            case Signal(reference=reference):
                return op.SIGNAL, self.pool.signal(reference)
            case Variable(name=name):
                return VARIABLES[name], 0
            case External(address=address, kind=kind):
                return EXTERNALS[kind], address
        raise TypeError(f"{node!r} is not a node of an expression")

    def watch(self, node: Node) -> int:
        """Which steep function this is; 0: none."""
        match node:
            case Binary(operator="/"):
                return FRACTION
            case Binary(operator="^", right=n):
                return POWER if not isinstance(n, Number) or n.value < 0 or n.value > MILD else 0
            case Call(name=name):
                return STEEP.get(name, 0)
            case Lookup(table=table):
                return TABLE + self.table(table)
        return 0

    def part(self, node: Node, done: dict[int, Part], watched: bool = False) -> Part:
        kind = self.watch(node) if watched else 0
        note = [(op.WATCH, kind)] if kind else []
        match node:
            case Unary(operator=operator, operand=x):
                a = done[id(x)]
                return Part(a.stack, a, (op.NEG if operator == "-" else op.NOT, 0))
            case Binary(operator="^", left=x, right=Number(value=2.0)):
                a = done[id(x)]
                return Part(a.stack, a, (op.SQUARE, 0))
            case Binary(left=x, right=y) | Call(arguments=(x, y)):
                a, b = done[id(x)], done[id(y)]
                name = node.operator if isinstance(node, Binary) else node.name
                both = Part(max(a.stack, b.stack + 1), a, b, *note, (TWO[name], 0))
                return Part(both.stack, both, (op.NOT, 0)) if name == "!=" else both
            case Call(name="if", arguments=(x, y, z)):
                c, a, b = done[id(x)], done[id(y)], done[id(z)]
                return Part(max(c.stack, a.stack, b.stack), c, (op.JUMP_UNLESS, a.length + 2), a, (op.JUMP, b.length), b)
            case Call(name=name, arguments=(x,)):
                return Part(done[id(x)].stack, done[id(x)], *note, (ONE[name], 0))
            case Lookup(table=table, argument=x, order=order):
                return Part(done[id(x)].stack, done[id(x)], *note, (op.TABLE + order, self.table(table)))
            case Lookup2(table=table, x=x, y=y):
                a, b = done[id(x)], done[id(y)]
                seen = [[(op.WATCH, TABLE + self.profile(*pair))] for pair in zip((table.x, table.y), table.phases, strict=True)] \
                    if watched and node.by == (0, 0) else [[], []]
                return Part(max(a.stack, b.stack + 1), a, *seen[0], b, *seen[1], (op.SURFACE, self.surface(node)))
        outside = watched and isinstance(node, External) and node.arguments == 3
        return Part(1, *([(op.WATCH, op.PLACE), (op.WATCH, op.SPEED)] if outside else []), self.leaf(node))

    def program(self, root: Node, watched: Collection[int] = ()) -> int:
        """Appends the program of ``root``; where it starts in ``pool.tab``.
        ``watched``: nodes that keep their arguments, if they are steep."""
        done: dict[int, Part] = {}
        for node in bottom_up(root):
            done[id(node)] = self.part(node, done, id(node) in watched)
        start = len(self.pool.tab)
        if start > ALL:
            raise ValueError(f"the functions of the model take more than {ALL // 2} operations together; shorten them or use tables")
        self.pool.tab.extend([*done[id(root)].code(), op.END, 0])
        return start
