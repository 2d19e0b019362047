"""Models for the fuzzer: from the JSON Schema of the text model, from valid models changed at random, and torn texts."""
from __future__ import annotations

import copy
import json
import math
import re
from random import Random
from typing import Any

from pliant.text.schema import schema
from pliant.text.yaml_lines import At, Map, Seq, load_yaml, plain

NAMES = ["a", "b", "c", "A", "B", "C", "D", "ground", "motor"]
PLACES = ["ground", "a", "b", "a.start", "a.end", "b.start", "b.end", "c", "ground.wall", "a.tip", "zz"]
UNITS = ["", "m", "mm", "kg", "N", "N/m", "N*m", "rad", "deg", "s", "ms", "m/s", "rad/s", "kg*m^2", "m/s^2", "%", "kgs", "1/s"]
TEXTS = ["t", "2 * t", "sin(2*pi*t)", "x", "5 * x + v", "A.angle", "-4 * a.velocity.z", "a.end.position.x * t", "if(t < 1, t, 2)",
         "step(t, 0, 0, 1, 2)", "1/t", "log(t)", "t^t", "B.displacement_rate", "C.distance", "sqrt(a.position.x)", "sqrt(x)", "1/0",
         "a.velocty.x", "sin(", "__import__('os')", "x" * 300, "", "null", "é", "1e400", "nan", "2 kg kg", "(((((", "9^9^9^9",
         "generalized-alpha", "fine", "z", "-x", "revolute", "rigid", "\u202e", "a\nb", "\x1b["]
NUMBERS = [0, 1, -1, 2, 0.5, 1e-3, 1e3, 1e-9, 1e9, 1e12, 1e20, 1e39, 1e40, 1e41, 1e150, 1e308, -1e308, 1e-150, 5e-324, 10**30, 10**400,
           math.nan, math.inf, -math.inf, -0.0, 1.5, 3.14, 9.81]
SIZES = [0, 1, -1, 2, 0.5, 1e-3, -1e-3, 1e3, 1e-9, 1e9, 1e-20, 1e20, 1e-39, 1e39, -1e39, 1e-300, 5e-324, 0.15, -0.0]
ODD: list[Any] = [
    None, True, False, [], {}, [[]], [0, 0, 0], [0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [1e-200, 0, 0], [1e39, 0, 0], [math.nan, 0, 0],
    [[1, 0, 0]] * 3, {"axis": "z", "angle": "30 deg"}, {"table": {"x": [0, 1, 2], "y": [0, 1, 0]}}, {"table": {"x": [0, 0], "y": [1, 2]}},
    {"body": "a"}, {"body": "a", "point": [0, 0, 1]}, ["coincident"], ["ground", "a"], ["a", "a"], ["A", "B"], {"kind": "fixed"},
    [[[[[[[[1]]]]]]]]]
FIXED = """
pliant: 1
gravity: [0, -9.81, 0]
bodies:
  a: {rod: {start: [0, 0, 0], end: [150 mm, 0, 0]}, mass: 0.36 kg}
  b: {rod: {start: [150 mm, 0, 0], end: [450 mm, 0, 0]}, mass: 100 g, frames: {tip: [0, 0, 1]}}
  c: {mass: 0.0755 kg, inertia: [1e-5, 1e-5, 1e-5], position: [450 mm, 0, 0]}
joints:
  A: {kind: revolute, between: [ground, a.start], axis: z}
  B: {kind: revolute, between: [a.end, b.start], axis: z}
  C: {kind: spherical, between: [b.end, c]}
  D: {kind: prismatic, between: [ground, c], axis: x}
"""
MODELS = [FIXED + text for text in (
    "drives: {motor: {joint: A, coordinate: angle, function: 15 rad/s * t}}\n"
    "simulate: {duration: 0.1 s, accuracy: fine, output_step: 0.1 ms}\n",
    "forces: {S: {kind: spring_damper, between: [ground, c], stiffness: 12 N/mm, damping: 3 * v + v^3}, T: {kind: torsion_spring, "
    "joint: A, stiffness: 2, damping: 0.1 * x * A.angle_rate}}\n",
    "forces: {F: {kind: force, frame: b.end, vector: [10 N * sin(t), -4 * b.velocity.z, 2 * A.angle_rate], axes: frame}, M: {kind: torque, "
    "frame: a, vector: [0, 0, gap.distance]}}\nmeasures: {gap: {between: [ground, c]}}\n",
    "ground: {frames: {wall: [0, 1, 0], tilted: {rotation: {axis: [1, 2, 3], angle: 20 deg}}}}\n"
    "forces: {U: {kind: bushing, between: [ground.wall, c], stiffness: [1, 2, 3, 4, 5, 6]}}\n"
    "simulate: {integrator: {kind: generalized-alpha, rho: 0.8}, record: [a.*]}\n")] + ["""
pliant: 1
bodies:
  a: {box: {size: [1, 2, 3]}, density: 100, rotation: {axis: [3, 1, 2], angle: 0.3}, frames: {tip: [0.5, 0, 0]}}
  b: {cylinder: {radius: 0.1, length: 20 mm, axis: [1, 1, 0]}, mass: 1}
  c: {sphere: {radius: 0.1}, mass: 1, position: [0, 0, 4]}
  d: {point_mass: {}, mass: 0.1}
joints:
  A: {kind: cylindrical, between: [ground, a], axis: x}
  B: {kind: screw, between: [ground, b], lead: 2 mm}
  C: {kind: universal, between: [ground, {body: c, point: [0, 0, -4]}], axis: x, axis_b: y}
  D: {kind: fixed, between: [c, {body: d, point: [0, 0, 4]}]}
  E: {kind: gear, between: [A, B], teeth: [20, 41]}
  F: {kind: rack_pinion, between: [A, B], radius: 5 cm}
""", """
pliant: 1
bodies:
  a: {mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 0]}
  b: {mass: 1, inertia: [[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]], position: [1, 0, 0]}
joints:
  A: {kind: planar, between: [ground, a], axis: z}
  B: {kind: distance, between: [a, b]}
  C: {kind: point_on_line, between: [ground, b], axis: x}
  D: {kind: point_on_plane, between: [a, b], axis: y}
  E: {kind: joint, between: [{body: ground, point: [0, 0, -2]}, a], axis_x: x, primitives: [[d1, x, z], [d2, y], [distance, 2 m]]}
drives: {motor: {joint: C, coordinate: displacement, function: {table: {x: [0, 1, 2], y: [0, 1.5, 2], kind: linear}}}}
"""]


# -- models from the schema

class Maker:
    """Draws values that a JSON Schema describes, with names and units that have a chance to fit."""

    def __init__(self, random: Random, whole: dict[str, Any]) -> None:
        self.random, self.whole = random, whole

    def value(self, node: dict[str, Any], depth: int = 0) -> Any:
        r = self.random
        if "$ref" in node:
            return self.value(self.whole["$defs"][node["$ref"].rpartition("/")[2]], depth)
        for word in ("anyOf", "oneOf"):
            if word in node and "properties" not in node:
                return self.value(r.choice(node[word]), depth)
        if "const" in node or "enum" in node:
            return node["const"] if "const" in node else r.choice(node["enum"])
        kind = node.get("type", ["number", "string", "null"])
        kind = r.choice(kind) if isinstance(kind, list) else kind
        if kind == "object":
            return self.mapping(node, depth)
        if kind == "array":
            few = node.get("minItems", r.randint(0, 3))
            return [self.value(node.get("items", {"type": ["number", "array"] if depth < 8 else "number"}), depth + 1) for _ in range(few)]
        return self.scalar(kind, node)

    def scalar(self, kind: str, node: dict[str, Any]) -> Any:
        r, about = self.random, node.get("description", "")
        if kind == "string":
            if "function" in about:
                return r.choice(TEXTS)
            if found := re.search(r"numbers? in (\S+?),", about):
                return f"{r.choice(NUMBERS[:9])} {found[1]}"
            return r.choice(NAMES if "joint" in about else PLACES if "frame" in about else UNITS[1:] if "unit" in about else PLACES + TEXTS)
        if kind == "integer":
            return r.randint(-1, 30)
        if kind == "boolean":
            return r.random() < 0.5
        return None if kind == "null" else r.choice(NUMBERS[:10]) if r.random() < 0.9 else r.choice(NUMBERS)

    def mapping(self, node: dict[str, Any], depth: int) -> dict[str, Any]:
        r, known = self.random, node.get("properties", {})
        needed = set(node.get("required", ()))
        if "oneOf" in node:
            needed |= set(r.choice(node["oneOf"])["required"])
        out = {k: self.value(v, depth + 1) for k, v in known.items() if k in needed or r.random() < (0.7 if depth == 0 else 0.15)}
        more = node.get("additionalProperties")
        if isinstance(more, dict):
            out |= {name: self.value(more, depth + 1) for name in r.sample(NAMES, r.randint(0, 3))}
        return out


# -- changes of models

def places(data: Any) -> list[tuple[Any, Any]]:
    """(container, key) of everything inside."""
    found, todo = [], [data]
    while todo:
        top = todo.pop()
        for key, value in list(top.items() if isinstance(top, dict) else enumerate(top)):
            found.append((top, key))
            if isinstance(value, (dict, list)):
                todo.append(value)
    return found


def change(random: Random, data: dict[str, Any], maker: Maker) -> None:
    """One change of a model: wrong types, extremes, keys dropped, renamed, moved, values swapped."""
    spots = places(data)
    if not spots:
        return
    (where, key), (other, second) = random.choice(spots), random.choice(spots)
    kind = random.randint(0, 8)
    if kind == 0:
        del where[key]
    elif kind == 1 and isinstance(where, dict):
        name = str(key)
        cut = random.randint(0, len(name))
        others = [name[:cut] + name[cut + 1:], name.upper(), name + "s", random.choice(NAMES), name[:cut] + "." + name[cut:]]
        where[random.choice(others)] = where.pop(key)
    elif kind == 2:
        where[key], other[second] = other[second], where[key]
    elif kind == 3:
        where[key] = copy.deepcopy(random.choice(ODD))
    elif kind == 4:
        where[key] = random.choice(NUMBERS)
    elif kind == 5:
        where[key] = random.choice(TEXTS)
    elif kind == 6:
        where[key] = f"{random.choice(NUMBERS)} {random.choice(UNITS)}"
    elif kind == 7 and isinstance(where, dict):
        where[random.choice([*NAMES, "between", "axis", "kind", "mass", "frames", "rod", "function"])] = copy.deepcopy(where[key])
    else:
        part = random.choice(list(maker.whole["$defs"].values()))
        where[key] = maker.value(part)
    for part in (where, other):  # no loops: they cannot be written
        if loops(part):
            part.clear()


def nudge(random: Random, data: dict[str, Any]) -> None:
    """One change that keeps the form of a model: another number, place, axis or function in place of one."""
    spots = [(w, k) for w, k in places(data) if isinstance(w[k], (int, float, str)) and k not in ("pliant", "kind", "name")]
    if not spots:
        return
    where, key = random.choice(spots)
    old = where[key]
    if isinstance(old, str) and old in PLACES:
        where[key] = random.choice(PLACES[:9])
    elif isinstance(old, str) and (key in ("function", "stiffness", "damping") or re.search(r"[*(]", old)):
        where[key] = random.choice(TEXTS[:20])
    elif isinstance(old, str) and key in ("axis", "axis_b", "axis_x"):
        where[key] = random.choice(["x", "y", "-z", [1, 2, 3]])
    elif isinstance(old, str) and (found := re.fullmatch(r"([-\d.e]+) (.*)", old)):
        where[key] = f"{random.choice(SIZES)} {found[2]}"
    elif not isinstance(old, str):
        where[key] = random.choice(SIZES) if random.random() < 0.5 else old * random.choice([-1, 0, 1e-6, 1 + 1e-12, 1e6])


def loops(data: Any, above: tuple[int, ...] = ()) -> bool:
    if not isinstance(data, (dict, list)):
        return False
    inside = data.values() if isinstance(data, dict) else data
    return len(above) > 60 or id(data) in above or any(loops(v, (*above, id(data))) for v in inside)


def dump(value: Any, random: Random | None = None) -> str:
    """As YAML in one line; with ``random`` a key is written twice now and then."""
    if isinstance(value, dict):
        items = [(str(k), dump(v, random)) for k, v in value.items()]
        if random and items and random.randint(0, 400) == 371:
            items.append(random.choice(items))
        return "{" + ", ".join(f"{json.dumps(k)}: {v}" for k, v in items) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(dump(v, random) for v in value) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return json.dumps(value)


def lines(data: dict[str, Any], random: Random) -> str:
    """As YAML, a line for each section and item."""
    out = []
    for key, value in data.items():
        if isinstance(value, dict) and key in ("bodies", "joints", "drives", "forces", "measures") and value:
            out.append(f"{json.dumps(str(key))}:")
            out += [f"  {json.dumps(str(k))}: {dump(v, random)}" for k, v in value.items()]
        else:
            out.append(f"{json.dumps(str(key))}: {dump(value, random)}")
    return "\n".join(out) + "\n"


def tear(random: Random, text: str) -> str:
    """One change of the text itself."""
    cut, end = sorted((random.randint(0, len(text)), random.randint(0, len(text))))
    whole = text.split("\n")
    line = random.randrange(len(whole))
    kind = random.randint(0, 5)
    if kind == 0:
        return text[:cut] + text[min(end, cut + 5):]
    if kind == 1:
        return text[:cut] + random.choice([*":{}[]\"'\t\n#%\0²", "&a ", "*a", "!!t ", "---\n", "<<: ", "? ", "| ", "- "]) + text[cut:]
    if kind == 2:
        return "\n".join([*whole[:line], whole[line], *whole[line:]])
    if kind == 3:
        return "\n".join([*whole[:line], *whole[line + 1:]])
    if kind == 4:
        return text[:cut]
    return "\n".join([*whole[:line], " " * random.randint(0, 5) + whole[line], *whole[line + 1:]])


GOOD = [plain(load_yaml(text, "m")[0]) for text in MODELS]
SCHEMA = schema()


def model_text(random: Random) -> tuple[str, Any]:
    """A model, more or less wrong: its text and, if it may be read without the text (which is three times faster), its data."""
    maker, kind = Maker(random, SCHEMA), random.choice(["nudge"] * 5 + ["change"] * 2 + ["schema"] * 2 + ["tear"])
    if kind == "tear":
        return tear(random, random.choice(MODELS)), None
    data = maker.value(SCHEMA) if kind == "schema" else json.loads(json.dumps(random.choice(GOOD)))
    for _ in range(random.randint(0 if kind == "schema" else 1, 3)):
        if kind == "nudge":
            nudge(random, data)
        else:
            change(random, data, maker)
    return lines(data, random), data if random.randint(0, 3) and isinstance(data, dict) else None


HERE = At("m", 1)


def located(data: Any, at: At = HERE) -> Any:
    """Data as the YAML reader gives it."""
    if not isinstance(data, (dict, list)):
        return data
    made: Any = Map(at) if isinstance(data, dict) else Seq(at)
    if isinstance(data, dict):
        made.update({str(k): located(v, at) for k, v in data.items()})
        made.where = dict.fromkeys(made, at)
    else:
        made.extend(located(v, at) for v in data)
        made.where = [at] * len(made)
    return made
