"""Wrong contacts, stops, clearances, cams, rolling, friction, events and masses that flow."""
from .base import CASES, FORCE, GEAR, JOINT, PIN, wrong

BEFORE = len(CASES)
TOUCH = FORCE + "{kind: contact, between: [ground, crank], surface_b: {kind: capsule, radius: 2 cm, length: 1 m}, "  # line 7
STOP = FORCE + "{kind: stop, joint: A, "
EVENT = PIN + "blocks:\n  E: {kind: event, "  # line 7


def contact(name: str, fields: str, *problems: str) -> None:
    wrong(f"contact {name}", TOUCH + fields + "}\n", *(f"7: forces.S.{problem}" for problem in problems))


def surface(name: str, surface_b: str, *problems: str) -> None:
    wrong(f"surface {name}", FORCE + f"{{kind: contact, between: [ground, crank], stiffness: 1e6, surface_b: {surface_b}}}\n",
          *(f"7: forces.S{problem}" for problem in problems))


# -- laws
contact("without a law", "friction: 0.3", "stiffness: is missing; give it [N/m^p], or a material such as steel for the law of Hertz")
contact("stiffness zero", "stiffness: 0", "stiffness: 0 must be greater than zero")
contact("stiffness negative", "stiffness: -1e6", "stiffness: -1000000 must be greater than zero")
contact("stiffness nan", "stiffness: .nan", "stiffness: nan must be finite***")
contact("stiffness huge", "stiffness: 1e300", "stiffness: 1e+300 is too large, must be finite and within 1e+40 ***")
contact("stiffness per metre", "stiffness: 1e6 N/m", "stiffness: '1e6 N/m' must be a plain number, in N/m^1.5; one in N/m has exponent 1")
contact("stiffness in newton", "stiffness: 100 N, exponent: 1", "stiffness: '100 N' is a force [N], a stiffness [N/m] is due")
contact("restitution above one", "stiffness: 1e6, restitution: 1.2", "restitution: 1.2 must be from 0.01 to 1")
contact("restitution zero", "stiffness: 1e6, restitution: 0", "restitution: 0 must be from 0.01 to 1")
contact("restitution negative", "stiffness: 1e6, restitution: -0.5", "restitution: -0.5 must be from 0.01 to 1")
contact("exponent", "stiffness: 1e6, exponent: 0.5", "exponent: 0.5 must be from 1, a linear spring, to 3")
contact("law of hertz", "stiffness: 1e6, law: hertz", "law: 'hertz' must be ***; the law restitution is that of Hertz with exponent 1.5***")
contact("law in capitals", "stiffness: 1e6, law: IMPACT, damping: 5, ramp: 1 mm", "law: 'IMPACT' must be ***; did you mean 'impact'?")
contact("law of coulomb", "stiffness: 1e6, law: coulomb", "law: 'coulomb' must be ***; friction is a field of its own, beside a law")
contact("law bistop", "stiffness: 1e6, law: bistop", "law: 'bistop' must be ***; did you mean 'impact'?")
contact("impact without damping", "stiffness: 1e6, law: impact", "damping: is missing; the law impact needs it")
contact("impact without ramp", "stiffness: 1e6, law: impact, damping: 10", "ramp: is missing; the law impact needs it")
contact("penetration", "stiffness: 1e6, law: impact, damping: 10, penetration: 1 mm",
        "penetration: unknown key 'penetration'; did you mean 'ramp'?")
contact("damping of a restitution", "stiffness: 1e6, damping: 10",
        "damping: belongs to the law linear or impact; leave it out, or take that law")
contact("damping unit", "stiffness: 1e6, law: linear, damping: 10 N/m",
        "damping: '10 N/m' is a stiffness [N/m], a damping [N*s/m] is due")
contact("restitution of a linear law", "stiffness: 1e6, law: linear, damping: 3, restitution: 0.5",
        "restitution: the law linear has a damping in its place; leave one of them out")
contact("stiffness and material", "stiffness: 1e6, material: steel", "material: stiffness is given as well; leave one of them out")
contact("material unknown", "material: wood", "material: 'wood' must be steel or aluminium, or a mapping such as {E: 210 GPa, nu: 0.3}")
contact("material of long bodies", "material: steel", "stiffness: is missing; of a plane and a capsule materials do not give it")
contact("force and stiffness", "stiffness: 1e6, force: 1e6*x",
        "stiffness: has no meaning beside force, which is the whole law; leave one of them out")
contact("force unfinished", "force: '1e6*x^'", "force: a number or name is due at the end (column 7)")
contact("force of a depth d", "force: 1e6*d", "force: unknown name 'd'; known are ***")
contact("force by channels", "force: 1e6*x*A.angle", "force: is a function of t, x and v alone; channels cannot be used in it")
contact("cor", "stiffness: 1e6, cor: 0.5", "cor: unknown key 'cor'; did you mean 'restitution'?")

# -- friction
contact("friction negative", "stiffness: 1e6, friction: -0.3", "friction: -0.3 must be at least 0")
contact("friction of a material", "stiffness: 1e6, friction: steel", "friction: 'steel' must begin with a number; write for example '2'")
contact("mu", "stiffness: 1e6, mu: 0.3", "mu: unknown key 'mu'; did you mean 'friction'?")
contact("static below sliding", "stiffness: 1e6, friction: 0.3, static: 0.2, stribeck_speed: 0.1",
        "static: 0.2 must be at least friction, 0.3")
contact("static alone", "stiffness: 1e6, friction: 0.3, static: 0.4",
        "stribeck_speed: is missing; with static it says at which slip [m/s] friction has come down")
contact("stribeck alone", "stiffness: 1e6, friction: 0.3, stribeck_speed: 0.1",
        "stribeck_speed: is the slip [m/s] at which friction has come down from static; give static as well")
contact("friction model", "stiffness: 1e6, friction: 0.3, friction_model: coulomb",
        "friction_model: 'coulomb' must be 'bristle', 'lugre' or 'regularised'; dry friction that sticks is 'bristle'")
contact("regularised at once", "stiffness: 1e6, friction: 0.3, friction_model: regularised",
        "slip_speed: is missing; regularised friction is viscous below it")
contact("slip speed of bristles", "stiffness: 1e6, friction: 0.3, slip_speed: 1 mm/s",
        "slip_speed: belongs to friction_model regularised; leave it out, or take that model")
contact("stick length zero", "stiffness: 1e6, friction: 0.3, stick_length: 0", "stick_length: 0 must be greater than zero")
contact("bristles twice", "stiffness: 1e6, friction: 0.3, stick_length: 1e-4, bristle_stiffness: 1e4",
        "stick_length: bristle_stiffness is given as well; leave one of them out")
contact("rolling in kilogram", "stiffness: 1e6, rolling: 2 kg", "rolling: '2 kg' is a mass [kg], a length [m] is due")

# -- rigid
contact("rigid with a stiffness", "stiffness: 1e6, law: rigid", 'stiffness: is of a compliant contact; leave it out, or law="rigid"')
contact("rigid restitution", "law: rigid, restitution: 1.1", "restitution: 1.1 must be from 0 to 1")
contact("rigid impacts", "law: rigid, impacts: newton", "impacts: 'newton' must be 'simultaneous', 'sequential' or 'poisson'")
contact("impacts of a compliant one", "stiffness: 1e6, impacts: poisson",
        'impacts: is of a rigid contact; leave it out, or write law="rigid"')

# -- surfaces
surface("ball", "ball", ".surface_b.kind: 'ball' must be ***; did you mean 'sphere'?")
surface("cube", "{kind: cube, size: [1, 1, 1]}", ".surface_b.kind: 'cube' must be ***; did you mean 'box'?")
surface("sphere without a radius", "sphere", ".surface_b: radius: is missing; a sphere needs it")
surface("radius zero", "{kind: sphere, radius: 0}", ".surface_b.radius: 0 must be greater than zero")
surface("radius nan", "{kind: sphere, radius: .nan}", ".surface_b.radius: nan must be finite; a length [m] is due")
surface("radius in kilogram", "{kind: sphere, radius: 1 kg}", ".surface_b.radius: '1 kg' is a mass [kg], a length [m] is due")
surface("diameter", "{kind: sphere, radius: 1, diameter: 2}", ".surface_b.diameter: unknown key 'diameter'***")
surface("length of a sphere", "{kind: sphere, radius: 1, length: 2}", ".surface_b: length: a sphere has none; leave it out")
surface("box of one edge", "{kind: box, size: 1}", ".surface_b.size: 1 must be a list of three numbers [m]")
surface("flat box", "{kind: box, size: [1, 1, 0]}", ".surface_b: size: [1.0, 1.0, 0.0] must be three lengths greater than zero")
surface("rounding", "{kind: cylinder, radius: 0.1, length: 0.3, rounding: 0.2}",
        ".surface_b: rounding: 0.2 m is more than the cylinder has, a radius of 0.1 m and half a length of 0.15 m; take a smaller one, or "
        "a capsule")
surface("crown", "{kind: cylinder, radius: 0.1, length: 0.3, crown: 5}", ".surface_b: crown: 5 m is more than the cylinder has***")
surface("flat hull", "{kind: convex, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}",
        ": convex body: 4 points, must be at least 4 that are not in a plane")
surface("empty hull", "{kind: convex, points: []}", ".surface_b: points: 0 points, must be at least 4 that are not in a plane")
surface("two planes", "plane", ": a plane and a plane: both are ground: neither is a body that could move against the other")
surface("tube of no line", "{kind: tube, radius: 0.1}",
        ".surface_b: a tube is about a line of a flexible body, such as boom.rail; 'crank' is none. Name a line when the part is reduced, "
        "lines={...}, or take a capsule or a cylinder")
surface("tube without a radius", "tube", ".surface_b: radius: is missing; a tube needs it")
surface("tube of no thickness", "{kind: tube, radius: 0}", ".surface_b.radius: 0 must be greater than zero")
surface("length of a tube", "{kind: tube, radius: 0.1, length: 2}", ".surface_b: length: a tube has none; leave it out")
surface("number", "5", ".surface_b: 5 must be a surface such as {kind: sphere, radius: 20 mm}")
wrong("surface missing", FORCE + "{kind: contact, between: [ground, crank], stiffness: 1e6}\n",
      "7: forces.S.surface_b: is missing; 'crank' has no shape that tells it; write for example Surface.sphere(radius), in a text "
      "{kind: sphere, radius: 20 mm}")
wrong("surface too large for its hole",
      FORCE + "{kind: contact, between: [ground, crank], stiffness: 1e6, surface_a: {kind: bore, radius: 1}, "
      "surface_b: {kind: sphere, radius: 2}}\n", "7: forces.S: a sphere of radius 2 m does not fit into a bore of 1 m")
wrong("tube that is rigid", FORCE + "{kind: contact, between: [ground, crank], law: rigid, surface_b: {kind: tube, radius: 0.1}}\n",
      "7: forces.S.law: a line of a flexible body has compliant contacts only; give a stiffness in place of rigid, or take contacts at its "
      "nodes, which may be rigid")
wrong("contact within a body", FORCE + "{kind: contact, between: [crank.start, crank.end], stiffness: 1e6}\n",
      "7: forces.S: b: both surfaces are on 'crank'; a contact is between two bodies")
wrong("contact of ground and ground", FORCE + "{kind: contact, between: [ground, ground], stiffness: 1e6}\n",
      "7: forces.S: b: both surfaces are on 'ground'; a contact is between two bodies")
wrong("contact with nobody", FORCE + "{kind: contact, between: [ground, crnk], stiffness: 1e6}\n",
      "7: forces.S.between[1]: there is no body 'crnk'; did you mean 'crank'?")
wrong("contact by another word", FORCE + "{kind: collision, between: [ground, crank]}\n",
      "7: forces.S.kind: unknown kind 'collision' of force; did you mean 'contact'?")

# -- stops
wrong("stop without limits", STOP + "coordinate: angle}\n", "7: forces.S.lower: is missing; a stop needs it, or upper")
wrong("stop limits exchanged", STOP + "coordinate: angle, lower: 1, upper: -1}\n", "7: forces.S.lower: 1 must be below upper, -1")
wrong("stop in millimetres", STOP + "coordinate: angle, upper: 10 mm}\n",
      "7: forces.S.upper: '10 mm' is a length [m], an angle or plain number [rad] is due")
wrong("stop restitution", STOP + "coordinate: angle, upper: 1, restitution: 1.5}\n",
      '7: forces.S.restitution: 1.5 must be from 0.01 to 1; with law="rigid" it may be 0')
wrong("stop min and max", STOP + "coordinate: angle, lower: -1, max: 1}\n", "7: forces.S.max: unknown key 'max'; did you mean 'upper'?")
wrong("stop of a slide", STOP + "coordinate: displacement, upper: 9 mm}\n",
      "7: forces.S.joint: joint 'A' has no coordinate 'displacement'; it has angle")
wrong("stop of a joint that is not there", FORCE + "{kind: stop, joint: B, coordinate: angle, upper: 1}\n",
      "7: forces.S.joint: there is no joint 'B'; there is A")
wrong("stop rigid and stiff", STOP + "coordinate: angle, upper: 1, law: rigid, stiffness: 5}\n",
      '7: forces.S.stiffness: is of a compliant stop; leave it out, or law="rigid"')
wrong("stop nan", STOP + "coordinate: angle, upper: .nan}\n", "7: forces.S.upper: nan must be finite***")

# -- clearances, backlash, cams, curves
wrong("clearance zero", FORCE + "{kind: revolute_clearance, between: [ground, crank], clearance: 0, stiffness: 1e8}\n",
      "7: forces.S.clearance: 0 must be greater than zero")
wrong("clearance negative", FORCE + "{kind: revolute_clearance, between: [ground, crank], clearance: -1 mm, stiffness: 1e8}\n",
      "7: forces.S.clearance: -1 mm must be greater than zero")
wrong("clearance within a body",
      FORCE + "{kind: spherical_clearance, between: [crank.start, crank.end], clearance: 1 mm, stiffness: 1e8}\n",
      "7: forces.S: b: both frames are on 'crank'; a clearance is between two bodies")
wrong("clearance without a stiffness", FORCE + "{kind: revolute_clearance, between: [ground, crank], clearance: 1 mm}\n",
      "7: forces.S.stiffness: is missing; a revolute_clearance force needs it")
wrong("backlash zero", GEAR + "{kind: gear, between: [A, B], ratio: 2, backlash: 0}\n", "9: joints.G.backlash: 0 must be greater than zero")
wrong("backlash of no teeth", GEAR + "{kind: gear, between: [A, B], ratio: 2, restitution: 0.5}\n",
      "9: joints.G.restitution: is that of teeth with backlash; give backlash as well")
wrong("cam roller without a radius", JOINT + "{kind: cam, between: [ground, crank], profile: {circle: 0.1}, follower: roller}\n",
      "5: joints.A.radius: must be greater than zero for a roller")
wrong("cam follower", JOINT + "{kind: cam, between: [ground, crank], profile: {circle: 0.1}, follower: mushroom}\n",
      "5: joints.A.follower: 'mushroom' must be 'roller', 'knife' or 'flat'; did you mean 'flat'?")
wrong("cam within a body", JOINT + "{kind: cam, between: [crank.start, crank.end], profile: {circle: 0.1}, follower: knife}\n",
      "5: joints.A.between: both frames are on 'crank'; a joint connects two bodies")
wrong("curve of nothing", JOINT + "{kind: point_on_curve, between: [ground, crank], curve: {}}\n",
      "5: joints.A.curve: points is missing; a curve is one of points, x, polar, circle, ellipse, line, cam")
wrong("curve twice", JOINT + "{kind: point_on_curve, between: [ground, crank], curve: {circle: 1, ellipse: [1, 2]}}\n",
      "5: joints.A.curve: ellipse: circle and ellipse are both given; a curve is one of points, x, polar, circle, ellipse, line, cam")
wrong("curve of too few points",
      JOINT + "{kind: point_on_curve, between: [ground, crank], curve: {points: [[0, 0], [1, 0], [1, 1]]}}\n",
      "5: joints.A.curve: points: 3 points, must be at least 4 of an open curve")

# -- rolling
wrong("disc of no radius", JOINT + "{kind: rolling_disc, between: [ground, crank], radius: 0}\n",
      "5: joints.A.radius: 0 must be greater than zero")
wrong("disc lying flat", JOINT + "{kind: rolling_disc, between: [ground, crank], radius: 0.1, axis_b: z}\n",
      "5: joints.A.axis_b: (0, 0, 1) is the normal of the plane: a disc that lies flat does not roll; ***")
wrong("sphere inside of nothing", JOINT + "{kind: rolling_sphere, between: [ground, crank], radius: 0.1, inside: true}\n",
      "5: joints.A.sphere: is missing: inside of which sphere does it roll? Give its radius, or leave inside out")

# -- friction in joints
wrong("joint friction negative", FORCE + "{kind: joint_friction, joint: A, coefficient: -0.3, torque: 5}\n",
      "7: forces.S.coefficient: -0.3 must be at least 0")
wrong("joint friction static", FORCE + "{kind: joint_friction, joint: A, coefficient: 0.3, static: 0.2, torque: 5}\n",
      "7: forces.S.static: 0.2 must be at least the coefficient of sliding, 0.3")
wrong("joint friction mu", FORCE + "{kind: joint_friction, joint: A, mu: 0.3, torque: 5}\n",
      "7: forces.S.mu: unknown key 'mu'; did you mean 'coefficient'?")
wrong("friction by another word", FORCE + "{kind: coulomb, joint: A}\n",
      "7: forces.S.kind: unknown kind 'coulomb' of force; did you mean 'joint_friction'?")

# -- events
wrong("event of a number", EVENT + "when: 3, do: [{end: true}]}\n", "7: blocks.E.when: 3 must be a condition such as 'A.angle > 1'")
wrong("event with one sign", EVENT + "when: A.angle = 3, do: [{end: true}]}\n", "7: blocks.E.when: a condition is due***")
wrong("event locks nothing", EVENT + "when: t > 1, do: [{lock: B}]}\n", "7: blocks.E.do[0].lock: there is no joint 'B'***")
wrong("event does nothing", EVENT + "when: t > 1, do: []}\n", "7: blocks.E.do: [] must be a list of actions with at least one: ***")
wrong("event welds", EVENT + "when: t > 1, do: [{weld: A}]}\n", "7: blocks.E.do: {weld: 'A'} must be {set: mode.output, to: 2}, ***")
wrong("capture of nothing", EVENT + "when: t > 1, do: [{connect: A, capture: 0}]}\n",
      "7: blocks.E.do: 0 of capture must be greater than zero")
wrong("event with a typo", EVENT + "when: A.angel > 1, do: [{end: true}]}\n", "7: blocks.E.when: channel 'A.angel' of joint 'A' ***")

# -- masses
wrong("mass flow in metres", FORCE + "{kind: mass_flow, body: crank, mass: 5 m}\n",
      "7: forces.S.mass: '5 m' is a length [m], a mass [kg] is due")
wrong("mass flow of a frame", FORCE + "{kind: mass_flow, body: crank.end, mass: 1 - 0.1*t}\n",
      "7: forces.S.body: is a frame of 'crank'; name the body itself, and give places in its axes by at")

TOUCHING = CASES[BEFORE:]
