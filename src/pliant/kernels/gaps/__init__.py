"""Gaps between pairs of surfaces. Each elementary pair is a module; `shapes` says which of them two user shapes consist of.

A module has four kernels. ``val``: pool of numbers, ``at``: where the sizes of the pair start in it. ``a``, ``b``: poses of the frames A
and B, 12-tuples: p, then the axes as rotation matrix row by row (columns P and A of `contract.State.X`), real or complex.

    closest(val, at, a, b)            (g, nx, ny, nz, cx, cy, cz) in world axes
    region(val, at, a, b)             (number, margin): the feature that is nearest, and how far [m] the pair is from another one
    on_region(val, at, a, b, number)  `closest` as it goes on smoothly beyond the borders of a region
    radii(val, at, a, b)              relative radii of curvature R_1 <= R_2 where the bodies touch, for the law of Hertz:
                                      1/R = 1/R_A + 1/R_B in two principal directions; 0: an edge or a vertex, inf: a line or flat

g is the gap, negative: the depth; n the unit normal from A to B; c the point of action, half-way between the two surface points, or on
the surface of B where A is a point without radius. For all poses, singular ones too, these numbers are finite. A pair that cannot touch
where it is (beyond the edge of a height field; edges that look away from each other) has the gap AWAY, and the region NOWHERE.
Derivatives: `derivatives`. Where g is smooth, and where not: docs/theory/gaps.md.
"""
