"""Sub-assemblies, texts that are included, and items that are switched off."""
from .base import PIN, ROD, wrong


def include(text: str, rest: str = "") -> str:
    """An included text in line 7."""
    return PIN + f"include:\n  left: {text}\n{rest}"


BELOW = "must be in the folder of the model, or below it"
wrong("include list", PIN + "include: [a.yaml]\n", "6: include: must be a mapping of names to files, such as {file: leg.yaml, position: "
      "[0, 1, 0]}, found ['a.yaml']")
wrong("include word", include("leg.yaml"), "7: include.left: 'leg.yaml' must be a mapping such as {file: leg.yaml, position: [0, 1, 0]}")
wrong("include key", include("{fiel: leg.yaml}"), "7: include.left.fiel: unknown key 'fiel'; did you mean 'file'?",
      "7: include.left.file: is missing; name a text model")
wrong("include no file", include("{position: [0, 0, 0]}"), "7: include.left.file: is missing; name a text model")
wrong("include number", include("{file: 3}"), "7: include.left.file: 3 must be the name of a text model")
wrong("include not found", include("{file: nowhere.yaml}"),
      "7: include.left.file: file 'nowhere.yaml' not found; give a text model, seen from the folder of the model")
wrong("include above", include("{file: ../leg.yaml}"), f"7: include.left.file: file '../leg.yaml' {BELOW}")
wrong("include absolute", include("{file: /etc/passwd}"), f"7: include.left.file: file '/etc/passwd' {BELOW}")
wrong("include device", include("{file: /dev/zero}"), f"7: include.left.file: file '/dev/zero' {BELOW}")
wrong("include folder", include("{file: .}"),
      "7: include.left.file: file '.' is not a file; give a text model, seen from the folder of the model")
wrong("include parameters", include("{file: leg.yaml, parameters: 3}"),
      "7: include.left.parameters: 3 must be a mapping of names to numbers",
      "7: include.left.file: file 'leg.yaml' not found; give a text model, seen from the folder of the model")
wrong("include itself", include("{file: m.yaml}"),
      "7: include.left.file: texts include each other: m.yaml -> m.yaml; take one of them out")
wrong("active word", ROD.replace("mass: 1", "mass: 1, active: 1"), "3: bodies.crank.active: 1 must be true or false")
wrong("active text", PIN.replace("crank.start]", "crank.start], active: never"),
      "5: joints.A.active: 'never' must be true or false")
wrong("active body", PIN.replace("mass: 1", "mass: 1, active: false"),
      "5: joints.A: rigid 'crank' is not active, but revolute 'A' needs it; switch that off as well (active=False), or 'crank' on")
wrong("active joint", PIN.replace("crank.start]", "crank.start], active: false") + "forces:\n  f: {kind: force, frame: crank, vector: "
      "[A.angle, 0, 0]}\ndrives:\n  d: {joint: A, coordinate: angle, function: t}\n",
      "7: forces.f: revolute 'A' is not active, but force 'f' needs it; switch that off as well (active=False), or 'A' on",
      "9: drives.d: revolute 'A' is not active, but drive 'd' needs it; switch that off as well (active=False), or 'A' on")
wrong("dotted clash", ROD + "  crank.start: {mass: 1, inertia: [1, 1, 1]}\n",
      "4: bodies.crank.start: the name 'crank.start' is that of something in a sub-assembly 'crank', but 'crank' is there itself; "
      "choose another")
wrong("dotted parameter clash", PIN + "parameters: {A.angle: 3}\n",
      "5: joints.A: the name 'A' is that of a sub-assembly, which has 'A.angle'; choose another")
wrong("dotted parameters", PIN + "parameters: {left: 1, left.L: 3}\n",
      "6: parameters.left.L: the name 'left.L' is that of something in a sub-assembly 'left', but 'left' is there itself; choose another")
wrong("dotted reserved", ROD + "  left.energy: {mass: 1}\n", "4: bodies.left.energy: name 'energy' is reserved; choose another")
wrong("dotted frame of nothing", PIN + "  B: {kind: spherical, between: [ground, left.crank.start]}\n",
      "6: joints.B.between[1]: there is no body 'left.crank'; did you mean 'crank'?")
