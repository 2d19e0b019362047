"""Wrong beams: their axis, section, material and frames, and places along them."""
from .base import body, wrong

GOOD = "start: [0, 0, 0], end: [1, 0, 0], profile: {circle: {radius: 10 mm}}, material: steel"


wrong("beam without a profile", body("kind: beam, start: [0, 0, 0], end: [1, 0, 0], material: steel"),
      "3: bodies.a.profile: is missing; a beam body needs it")
wrong("beam with an unknown key", body(f"kind: beam, {GOOD}, sektion: 3"), "3: bodies.a.sektion: unknown key 'sektion'; there are ***")
wrong("beam of no length", body(f"kind: beam, {GOOD.replace('[1, 0, 0]', '[0, 0, 0]')}"),
      "3: bodies.a.end: is where start is, [0, 0, 0] m; a beam needs a length (world axes)")
wrong("beam of a thick tube", body(f"kind: beam, {GOOD.replace('circle: {radius: 10 mm}', 'tube: {radius: 3 cm, thickness: 4 cm}')}"),
      "3: bodies.a.profile: tube: thickness: 0.04 m must be smaller than the radius 0.03 m; for a solid one take Section.circle")
wrong("beam with a wrong size", body(f"kind: beam, {GOOD.replace('radius', 'radios')}"),
      "3: bodies.a.profile: circle: unknown key 'radios'; did you mean 'radius'?")
wrong("beam of a material without density", body(f"kind: beam, {GOOD.replace('steel', '{E: 3 GPa, nu: 0.3}')}"),
      "3: bodies.a.material: rho is missing")
wrong("beam with a frame beyond its end", body(f"kind: beam, {GOOD}, frames: {{tip: 3}}"), "3: bodies.a.frames.tip.s: 3 must be at most 1")
wrong("beam of too few points", body(f"kind: beam, points: [[0, 0, 0], [1, 0, 0], [2, 1, 0]], {GOOD[GOOD.index('profile'):]}"),
      "3: bodies.a.points: 3 points, must be at least 4 for a curve, or two for a straight beam (world axes)")
wrong("beam with half an element", body(f"kind: beam, {GOOD}, elements: 2.5"),
      "3: bodies.a.elements: 2.5 must be a whole number from 1 to 100000")
ROUND = "{circle: {radius: 10 mm}}"
wrong("beam of sections without an end", body(f"kind: beam, {GOOD.replace(ROUND, '{0: {circle: {radius: 1 cm}}}')}"),
      "3: bodies.a.profile: sections at s = 0, must be at 0, at 1 and between, one at each place")
wrong("beam with a wrong section at a place", body(f"kind: beam, {GOOD.replace(ROUND, '{0: {circel: {radius: 1 cm}}}')}"),
      "3: bodies.a.profile: at s = 0: ***must be a section***")
wrong("beam of matrices of two rows", body("kind: beam, start: [0, 0, 0], end: [1, 0, 0], profile: {matrices: {stiffness: [[1], [2]], "
                                           "mass: [[1]]}}"),
      "3: bodies.a.profile: matrices: stiffness: [[1], [2]] must be six rows of six numbers (SI units)")
