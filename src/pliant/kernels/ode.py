"""The contract between explicit integrators and formulations: the state as one vector, and kernels called by address.

    y = (q, v, dissipated energy, work),   y' = F(t, y)                                                [ode-1]
    (r', quaternion', v') = (v_r, q * (0, w) / 2, a(t, q, v))

A formulation has two kernels: ``rhs(p, t, y, dy)`` gives F and ``correct(p, t, y)`` puts a state back on the constraints after a
step. Both return a status. Numbers of the formulation are in ``p.par``, sizes and counters in ``p.num``.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import _dispatcher, typeof, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from .block_lu import Elimination
from .by_reference import referred
from .closed_loops import Loops
from .contract import DISSIPATION, POWER
from .evaluation import Data, Maps, Memory, Program
from .evaluation import run as evaluate
from .jit import DISABLED, jit
from .link_tables import Tree
from .records import record_type
from .so3 import cross, dot, scale, store, vec
from .states import copy, copy_part

NUM = record_type(wholes={
    "n_v": "rows of motion of the bodies",
    "state_q, state_v": "positions and velocities in y",
    "powered": "whether anything dissipates or does work",
    "borne, jams": "whether forces depend on what joints exert, and whether there are none that do",
    "fallback": "address of the sparse solver, if it is used",
    "evaluations": "of accelerations, so far",
    "factorisations, iterations": "so far",
    "bad": "in joint coordinates a rate without inertia, plus 1",
})
PAR = record_type({
    "position_gap": "largest violation of a position after a step, m or rad",
    "velocity_gap": "the same of velocities, per s",
    "rate": "2 z w of Baumgarte, in joint coordinates",
    "gap": "w^2, in joint coordinates",
    "tolerance": "of corrections, in sizes of the model",
    "passes": "how often multipliers are renewed",
    "exact": "and until when",
    "renew": "pivots below this part of the largest they have been make a new choice of coordinates",
    "pivot": "the largest that the smallest pivot has been",
    "zero": "pivots below this part of the largest count as zero",
    "length": "size of the model",
    "direct": "whether the correction of loops differentiates their Jacobian directly",
})


class Absolute(NamedTuple):
    """Of a problem in absolute coordinates."""
    used: np.ndarray    # empty
    rate: np.ndarray    # per equation: 2 z w of Baumgarte and of penalties
    gap: np.ndarray     # w^2


class Joints(NamedTuple):
    """Of a problem in joint coordinates."""
    used: np.ndarray    # not empty
    tree: Tree
    loops: Loops
    forces: Program     # left sides of the bodies' equations
    gaps: Program       # equations of cut joints
    closing: Program    # these and their Jacobian
    closing_rates: Program
    effort: np.ndarray  # along the rates of the tree
    change: np.ndarray  # of these
    move: Any           # kernel that makes changes which take violations away


class Problem(NamedTuple):
    """A model as an ordinary differential equation."""
    residual: Program
    tangent: Program
    rates: Program
    power: Program
    d: Data
    lu: Elimination
    x: Memory
    tiles: np.ndarray   # [M C^T; C 0]
    b: np.ndarray       # right side, solution and residual of linear equations
    y: np.ndarray
    r: np.ndarray
    q: np.ndarray
    pivots: np.ndarray
    unit: np.ndarray    # of the equations: 1 / size of the model for lengths
    par: Any            # a record of PAR
    num: Any            # a record of NUM
    dense: Any          # `pivoted_qr.Dense` of formulations with dense linear algebra, otherwise empty
    chosen: np.ndarray  # its lists, as the memory of a run keeps them; otherwise one number
    maps: Maps          # of y
    joints: Any         # joint coordinates: `Joints`, otherwise `Absolute`; passing many arrays takes time


@jit
def load(p, y):
    """Memory from a state."""
    copy_part(y, 0, p.x.q, 0, p.x.q.size)
    copy_part(y, p.x.q.size, p.x.v, 0, p.num.n_v)


@jit
def store_state(p, y):
    """A state from memory."""
    copy(p.x.q, y)
    copy_part(p.x.v, 0, y, p.x.q.size, p.num.n_v)


@jit
def kinematics(maps, q, v, dy):
    """Rates of positions q at velocities v; ``maps``: which are quaternions, which are not."""
    for k in range(maps.linear.shape[0]):
        dy[maps.linear[k, 1]] = v[maps.linear[k, 0]]
    for k in range(maps.rotations.shape[0]):
        i = maps.rotations[k, 1]
        u, w = vec(q, i + 1), scale(0.5, vec(v, maps.rotations[k, 0]))
        c, s = cross(u, w), q[i]
        dy[i] = -dot(u, w)
        store((c[0] + s * w[0], c[1] + s * w[1], c[2] + s * w[2]), dy, i + 1)


@jit
def derivative(p, t, dy):
    """F from what is in x: rates of positions, velocities and energies."""
    n_q, n_v, x = p.x.q.size, p.num.n_v, p.x
    kinematics(p.maps, x.q, x.v, dy)
    copy_part(x.a, 0, dy, n_q, n_v)
    powers(p, t, dy, n_q + n_v)


@jit
def powers(p, t, out, first):
    """Power that is lost, and that of loads and drives, in two places of ``out``."""
    x = p.x
    x.E[:] = 0
    if p.num.powered == 1:
        evaluate(p.power, p.d, x, t, 0.0, 0.0, 0.0)
    out[first], out[first + 1] = x.E[DISSIPATION], x.E[POWER]


_addresses: dict[Any, Any] = {}


def address(kernel: Any, *arguments: Any) -> Any:
    """Machine address of a kernel for arguments of these types; compiled, or loaded from the cache, on first use. Types are known by
    what Numba's own calls know them by: `typeof` takes milliseconds for a tuple of hundreds of arrays."""
    if DISABLED:
        return kernel
    known = kernel, *(_dispatcher.compute_fingerprint(a) for a in arguments)
    if known not in _addresses:
        kinds = tuple(referred(typeof(a)) for a in arguments)
        kernel.compile(kinds)
        compiled = kernel.overloads[kinds]
        _addresses[known] = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return _addresses[known]


@intrinsic
def _call_status(typing_context, f, arguments):
    """f(*arguments) for a kernel that returns an int64, by its address. Tuples of arrays are passed by reference."""
    kinds = arguments.types
    if any(isinstance(kind, types.BaseTuple) for kind in kinds):  # else: a jump into nowhere
        raise TypingError(f"tuples are passed to a kernel with an address by reference: {kinds}")

    def codegen(context, builder, signature, args):
        function = context.call_conv.get_function_type(types.int64, kinds)
        pointer = builder.inttoptr(args[0], function.as_pointer())
        values = [builder.extract_value(args[1], k) for k in range(len(kinds))]
        status, result = context.call_conv.call_function(builder, pointer, types.int64, kinds, values)
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return result
    return types.int64(f, arguments), codegen


call_status = (lambda f, arguments: f(*arguments)) if DISABLED else _call_status
