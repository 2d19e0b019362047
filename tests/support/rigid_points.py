"""An item for tests of rigid contact: any pair of surfaces by the name of its kernel, with the sizes of its points."""
from typing import Any, ClassVar

from pliant.items.base import Pair
from pliant.items.rigid_limits import add_rigid_point


class RigidPoints(Pair):
    """``restitution`` e, ``tangential`` e_T, ``friction`` mu, ``static`` mu_s, ``how`` of `kernels.impacts`."""
    section: ClassVar[str] = "forces"
    kernel: str = "point_plane"
    sizes: Any
    restitution: float = 0.0
    tangential: float = 0.0
    friction: float = 0.0
    static: float = 0.0
    how: int = 0

    def build(self, layout):
        frames = layout.frame(self.a, self.name), layout.frame(self.b, self.name)
        for size in self.sizes:
            add_rigid_point(layout, self.name, self.kernel, frames, tuple(size), self.restitution, self.tangential, self.friction,
                            max(self.static, self.friction), self.how)


def corners(x, y, z, below=False):
    """Of a box with these half edges, without radius; those below alone."""
    return [(i * x, j * y, k * z, 0.0) for i in (-1, 1) for j in (-1, 1) for k in ((-1,) if below else (-1, 1))]
