"""The contract between the loops and every element family: one signature, called through addresses.

A family function is ``f(s, b, o)``: it reads the state ``s`` and its batch ``b`` and adds to the output ``o``. A loop runs a
*program*, an ordered list of (address, first row, last row); it knows no family. docs/extending.md shows how to write one.
"""
from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from .by_reference import Reference
from .jit import DISABLED, index

# Columns of State.X, one row per frame, all in world axes: position, axes, velocity, angular velocity, what connectors add
# to the left side of the equations of motion (force, moment), acceleration, angular acceleration.
P, A, V, W, F, M, AV, AW = index(0, 3, 12, 15, 18, 21, 24, 27)
FRAME_WIDTH = 30

# The columns of Batch.ip that every element shares: where its block table starts in Batch.tab.
TABLE = index(0)

# What the pool Batch.val begins with.
GRAVITY = index(0)

# Entries of Out.E: energies (energy program), and the powers (power program) whose integrals are the dissipated energy and the
# work of loads and drives. TURNING (history program): the largest relative angular velocity of what is counted.
KINETIC, POTENTIAL, ELASTIC, DISSIPATION, POWER, TURNING = index(0, 1, 2, 3, 4, 5)


class State(NamedTuple):
    """What a family reads. v, a, lam and R share one numbering: six to a tile, padded, bodies first, then joints."""
    t: float
    q: np.ndarray    # positions, quaternions scalar first
    v: np.ndarray    # velocities: of the centre of mass in world axes, angular in body axes
    a: np.ndarray    # their time derivatives
    lam: np.ndarray  # multipliers
    H: np.ndarray    # history: the last accepted value of every angle, so that turns are counted
    Y: np.ndarray    # signals: values that expressions refer to
    X: np.ndarray    # frames, see the columns above
    J: np.ndarray    # frame Jacobians in 6x6 tiles: d(v_WF, w_WF) / d(one tile of v)
    L: np.ndarray    # the same for positions: d(v_WF, w_WF) / d(one tile of q) at constant v
    T: np.ndarray    # per tile 3x3: rotation increment seen by v and a, over the one seen by q


class Batch(NamedTuple):
    """Who the elements are: rows first..last of the element tables, and the pools their integers point into."""
    first: int
    last: int
    ip: np.ndarray   # integers, one row per element
    rp: np.ndarray   # reals, one row per element
    fr: np.ndarray   # per frame: number of tiles of its body, first tile in J, whether L is wanted
    tab: np.ndarray  # integer pool: block tables, opcodes
    val: np.ndarray  # real pool: gravity, then constants and tables


class Out(NamedTuple):
    """What a family adds to: R, and D = cm dR/da + cd dR/dv + ck dR/dq with unscaled constraint rows and columns."""
    cm: float
    cd: float
    ck: float
    R: np.ndarray    # equations of motion (left side); constraints; in the rates program their second time derivatives
    V: np.ndarray    # in the rates program: the first time derivatives of the constraints
    D: np.ndarray    # 6x6 tiles
    E: np.ndarray    # energies and powers
    W: np.ndarray    # scratch: the stack of the expression machine, and its settings


@lru_cache
def types_for(x: Any) -> tuple[Any, Any, Any]:
    """The argument types for scalar type ``x``: float64, or complex128 for a complex step. All are passed by reference."""
    i8, f8 = types.int64, types.float64
    one, two, three = x[::1], x[:, ::1], x[:, :, ::1]
    return (Reference(types.NamedTuple([f8, one, one, one, one, one, one, two, three, three, two], State)),
            Reference(types.NamedTuple([i8, i8, i8[:, ::1], two, i8[:, ::1], i8[::1], one], Batch)),
            Reference(types.NamedTuple([f8, f8, f8, one, one, three, one, one], Out)))


SIGNATURES = (types_for(types.float64), types_for(types.complex128))


class Stage(NamedTuple):
    """The functions of a family at one stage, by program. None: nothing to do."""
    residual: Any = None  # R
    tangent: Any = None   # R and D
    rates: Any = None     # frames with accelerations; R and V of the constraint rows
    energy: Any = None    # kinetic, potential and elastic energy in E
    power: Any = None     # dissipation and power in E
    history: Any = None   # H, after an accepted step
    update: Any = None    # discrete values in H, at instants


class Family(NamedTuple):
    """Stages: push (place frames), sense (signals), act (inertia, constraints, forces), pull (frame forces to bodies). ``force``: it does
    not depend on accelerations and has no multipliers; then the program "matrix", D = dR/da alone, needs no more than its residual.
    ``elastic``: it pushes back or damps, so that it may make a model stiff. ``rank``: its place among those of one stage."""
    name: str
    push: Stage = Stage()
    sense: Stage = Stage()
    act: Stage = Stage()
    pull: Stage = Stage()
    force: bool = False
    elastic: bool = False
    rank: int = 0


PROGRAMS = Stage._fields
STAGES = Family._fields[1:5]


@cache
def address(f: Any, x: Any = types.float64) -> Any:
    """Machine address of ``f`` for scalar type ``x``; compiles it, or loads it from the cache, on first use."""
    if DISABLED:
        return f
    arguments = types_for(x)
    f.compile(arguments)  # looked up in the cache by exactly these types, as for a kernel that other kernels call
    compiled = f.overloads[arguments]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


@intrinsic
def _call(typing_context, f, s, b, o):
    if (s, b, o) not in SIGNATURES:  # else: a jump into nowhere
        raise TypingError(f"not the common signature (an int where a float is due?): {(s, b, o)}")

    def codegen(context, builder, signature, args):
        kinds = signature.args[1:]
        pointer = builder.inttoptr(args[0], context.call_conv.get_function_type(types.none, kinds).as_pointer())
        status, _ = context.call_conv.call_function(builder, pointer, types.none, kinds, args[1:])
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value()
    return types.void(f, s, b, o), codegen


@intrinsic
def _with_rows(typing_context, b, first, last):
    def codegen(context, builder, signature, args):
        batch = builder.bitcast(args[0], context.get_value_type(b.to).as_pointer())
        for k in range(2):
            builder.store(args[1 + k], cgutils.gep_inbounds(builder, batch, 0, k))
        return args[0]
    return b(b, types.int64, types.int64), codegen


@intrinsic
def _call_python(typing_context, f, t, x, v):
    double = ir.DoubleType()

    def codegen(context, builder, signature, args):
        pointer = builder.inttoptr(args[0], ir.FunctionType(double, [double] * 3).as_pointer())
        return builder.call(pointer, args[1:])
    f8 = types.float64
    return f8(types.int64, f8, f8, f8), codegen


C_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_double)
_interpreted: dict[int, Callable[[float, float, float], float]] = {}  # only filled when Numba is switched off


def c_address(f: Callable[[float, float, float], float]) -> tuple[int, Any]:
    """Address of a C function double f(double, double, double) that runs ``f``, and the object that keeps it alive."""
    if DISABLED:
        _interpreted[id(f)] = f
        return id(f), f
    wrapped = C_FUNCTION(f)
    value = ctypes.cast(wrapped, ctypes.c_void_p).value
    assert value is not None
    return value, wrapped


call = (lambda f, s, b, o: f(s, b, o)) if DISABLED else _call
with_rows = (lambda b, first, last: b._replace(first=first, last=last)) if DISABLED else _with_rows  # the same batch for other elements
call_python = (lambda f, t, x, v: _interpreted[f](t, x, v)) if DISABLED else _call_python
