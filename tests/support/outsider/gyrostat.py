"""An element written outside the package: a rigid body with a rotor inside that keeps its spin relative to the body."""
from typing import Any, ClassVar

from pliant.items.base import vector
from pliant.items.bodies import RigidBody
from pliant.kernels.contract import TABLE, Family, Stage
from pliant.kernels.jit import index, jit
from pliant.kernels.so3 import accumulate, column, cross, mat2, vec, vec2

IV, MOMENTUM = index(2, 0)


@jit
def rotor(s, b, o):
    """w x h: what the rotor's angular momentum h (constant in body axes) adds to w x I w"""
    for e in range(b.first, b.last):
        iv = b.ip[e, IV]
        accumulate(1.0, cross(vec(s.v, iv + 3), vec2(b.rp, e, MOMENTUM)), o.R, iv + 3)


@jit
def rotor_tangent(s, b, o):
    """d(w x h) = dw x h; T turns the increment of q into that of v"""
    rotor(s, b, o)
    for e in range(b.first, b.last):
        k, T = b.tab[b.ip[e, TABLE]], mat2(s.T, b.ip[e, IV] // 6, 0)
        for j in range(3):
            change = cross(column(T, j), vec2(b.rp, e, MOMENTUM))
            for i in range(3):
                o.D[k, 3 + i, 3 + j] += o.cd * change[i]


ROTOR = Family("rotor", act=Stage(residual=rotor, tangent=rotor_tangent))


class Gyrostat(RigidBody):
    """``rotor``: angular momentum of the rotor relative to the body [kg m^2/s], body axes."""
    kind: ClassVar[str] = "gyrostat"
    rotor: vector("kg*m^2/s", axes="body axes") = (0.0, 0.0, 0.0)

    def build(self, layout: Any) -> None:
        super().build(layout)
        place = layout.places[self.name]
        layout.builder.element(ROTOR, self.name, (place.iq, place.iv), self.rotor, tiles=place.tiles)
