"""Wrong joints, gears and drives, expressions and tables."""
from .base import DRIVE, GEAR, JOINT, PIN, ROD, expression, table, wrong

# -- joints
wrong("joint kind missing", JOINT + "{between: [ground, crank]}\n", '5: joints.A.kind: is missing; there ***')
wrong("joint kind unknown", JOINT + "{kind: hinge, between: [ground, crank]}\n",
      "5: joints.A.kind: unknown kind 'hinge' of joint; did you mean 'revolute'?")
wrong("joint kind typo", JOINT + "{kind: revolut, between: [ground, crank]}\n",
      "5: joints.A.kind: unknown kind 'revolut' of joint; did you mean 'revolute'?")
wrong("joint kind of force", JOINT + "{kind: spring_damper, between: [ground, crank]}\n",
      "5: joints.A.kind: unknown kind 'spring_damper' of joint; a spring_damper stands under forces")
wrong("between missing", JOINT + "{kind: revolute}\n",
      '5: joints.A.between: is missing; give two frames, such as [ground, crank.start]')
wrong("between one", JOINT + "{kind: revolute, between: [ground]}\n",
      "5: joints.A.between: ['ground'] must be a list of two frames, such as [ground, crank.start]")
wrong("between three", JOINT + "{kind: revolute, between: [ground, crank, crank]}\n",
      "5: joints.A.between: ['ground', 'crank', 'crank'] must be a list of two frames, such as [ground, crank.start]")
wrong("between text", JOINT + "{kind: revolute, between: ground crank}\n",
      "5: joints.A.between: 'ground crank' must be a list of two frames, such as [ground, crank.start]")
wrong("between map", JOINT + "{kind: revolute, between: {a: ground, b: crank}}\n",
      "5: joints.A.between: {a: 'ground', b: 'crank'} must be a list of two frames, such as [ground, crank.start]")
wrong("between number", JOINT + "{kind: revolute, between: [ground, 5]}\n",
      '5: joints.A.between[1]: 5 must be a frame: a text such as crank.end, or {body: crank, point: [0, 0, 0]}')
wrong("between null", JOINT + "{kind: revolute, between: [ground, null]}\n",
      '5: joints.A.between[1]: no value is given, it must be a frame: a text such as crank.end, or {body: crank, point: [0, 0, 0]}')
wrong("body unknown", JOINT + "{kind: revolute, between: [ground, crnk]}\n",
      "5: joints.A.between[1]: there *** ; did you mean 'crank'?")
wrong("body case", JOINT + "{kind: revolute, between: [Ground, crank]}\n",
      "5: joints.A.between[0]: there *** ; did you mean 'ground'?")
wrong("frame unknown", JOINT + "{kind: revolute, between: [ground, crank.strat]}\n",
      "5: joints.A.between[1]: body 'crank' has no frame 'strat'; did you mean 'start'?")
wrong("frame of ground", JOINT + "{kind: revolute, between: [ground.wall, crank]}\n",
      "5: joints.A.between[0]: body 'ground' has no frame 'wall'; it has none, name it under frames")
wrong("frame dotted twice", JOINT + "{kind: revolute, between: [ground, crank.start.x]}\n",
      "5: joints.A.between[1]: body 'crank' has no frame 'start.x'; did you mean 'start'?")
wrong("frame empty", JOINT + "{kind: revolute, between: [ground, '']}\n", "5: joints.A.between[1]: there is no body ''; there ***")
wrong("frame is a joint", PIN + "  B: {kind: revolute, between: [A, crank.end]}\n",
      "6: joints.B.between[0]: there is no body 'A'; there ***")
wrong("frame map unknown", JOINT + "{kind: revolute, between: [ground, {body: crank, pont: [0, 0, 0]}]}\n",
      "5: joints.A.between[1].pont: unknown key 'pont'; did you mean 'point'?")
wrong("frame map no body", JOINT + "{kind: revolute, between: [ground, {point: [0, 0, 0]}]}\n",
      '5: joints.A.between[1].body: is missing; a frame needs it')
wrong("frame map both", JOINT + "{kind: revolute, between: [ground, {body: crank, frame: 5}]}\n",
      '5: joints.A.between[1].frame: 5 must be a text')
wrong("a and b", JOINT + "{kind: revolute, a: ground, b: crank}\n",
      "5: joints.A.a: unknown key 'a'; write between: [a, b]",
      "5: joints.A.b: unknown key 'b'; write between: [a, b]")
wrong("same body", JOINT + "{kind: revolute, between: [crank.start, crank.end]}\n",
      "5: joints.A.between: both frames are on 'crank'; a joint connects two bodies")
wrong("ground twice", JOINT + "{kind: revolute, between: [ground, {body: ground, point: [1, 0, 0]}]}\n",
      "5: joints.A.between: both frames are on 'ground'; a joint connects two bodies")
wrong("axis zero", JOINT + "{kind: revolute, between: [ground, crank], axis: [0, 0, 0]}\n",
      '5: joints.A.axis: axis (0, 0, 0) has no direction; give at least one component (axes of frame a)')
wrong("axis word", JOINT + "{kind: revolute, between: [ground, crank], axis: up}\n",
      "5: joints.A.axis: axis 'up' must be one of x, y, z, -x, -y, -z or three numbers (axes of frame a)")
wrong("axis two", JOINT + "{kind: revolute, between: [ground, crank], axis: [0, 1]}\n",
      '5: joints.A.axis: axis [0, 1] must be one of x, y, z, -x, -y, -z or three numbers (axes of frame a)')
wrong("axis nan", JOINT + "{kind: revolute, between: [ground, crank], axis: [0, .nan, 1]}\n",
      '5: joints.A.axis: axis [0, nan, 1] must be one of x, y, z, -x, -y, -z or three numbers (axes of frame a)')
wrong("axis text numbers", JOINT + "{kind: revolute, between: [ground, crank], axis: [a, b, c]}\n",
      "5: joints.A.axis: axis ['a', 'b', 'c'] must be one of x, y, z, -x, -y, -z or three numbers (axes of frame a)")
wrong("axis capital", JOINT + "{kind: revolute, between: [ground, crank], axis: Z}\n",
      "5: joints.A.axis: axis 'Z' must be one of x, y, z, -x, -y, -z or three numbers (axes of frame a)")
wrong("axis unknown here", JOINT + "{kind: spherical, between: [ground, crank], axis: z}\n",
      "5: joints.A.axis: unknown key 'axis'; there ***")
wrong("universal parallel", JOINT + "{kind: universal, between: [ground, crank], axis: z, axis_b: z}\n",
      '5: joints.A.axis_b: (0, 0, 1) must be perpendicular to axis (0, 0, 1) in the pose as modelled'
      ' (axes of frame a, in the pose as modelled)')
wrong("zero unit", JOINT + "{kind: revolute, between: [ground, crank], zero: 5 mm}\n",
      "5: joints.A.zero: '5 mm' is a length [m], an angle or plain number [rad] is due")
wrong("zero word", JOINT + "{kind: revolute, between: [ground, crank], zero: open}\n",
      "5: joints.A.zero: 'open' must begin with a number; write for example '2 rad'")
wrong("screw lead missing", JOINT + "{kind: screw, between: [ground, crank]}\n", '5: joints.A.lead: is missing; a screw joint needs it')
wrong("screw lead unit", JOINT + "{kind: screw, between: [ground, crank], lead: 2 deg}\n",
      "5: joints.A.lead: '2 deg' is an angle or plain number [-], a length [m] is due")
wrong("distance zero", JOINT + "{kind: distance, between: [ground, crank], length: 0}\n",
      '5: joints.A.length: 0 must be greater than zero')
wrong("distance coincident", JOINT + "{kind: distance, between: [ground, crank.start]}\n",
      '5: joints.A.between: its length is zero; use a spherical joint for points that coincide')
wrong("distance negative", JOINT + "{kind: distance, between: [ground, crank], length: -1}\n",
      '5: joints.A.length: -1 must be greater than zero')
wrong("joint no primitives", JOINT + "{kind: joint, between: [ground, crank], primitives: []}\n",
      '5: joints.A.primitives: make 0 equations, must be 1 to 6: two frames can move in six ways')
wrong("joint primitive unknown", JOINT + "{kind: joint, between: [ground, crank], primitives: [weld]}\n",
      "5: joints.A.primitives[0]: 'weld' is not known; there ***")
wrong("joint primitive axes", JOINT + "{kind: joint, between: [ground, crank], primitives: [[d1, x]]}\n",
      "5: joints.A.primitives[0]: ('d1', 'x') is not known; there ***")
wrong("joint primitives text", JOINT + "{kind: joint, between: [ground, crank], primitives: coincident}\n",
      "5: joints.A.primitives: 'coincident' must be a list")
wrong("joint seven equations", JOINT + "{kind: joint, between: [ground, crank], primitives: [coincident, coincident, [d2, x]]}\n",
      '5: joints.A.primitives: make 7 equations, must be 1 to 6: two frames can move in six ways')
wrong("joint distance unit", JOINT + "{kind: joint, between: [ground, crank], primitives: [[distance, 2 kg]]}\n",
      "5: joints.A.primitives[0]: '2 kg' is a mass [kg], a length [m] is due")
wrong("joint distance zero", JOINT + "{kind: joint, between: [ground, crank], primitives: [[distance, 0]]}\n",
      '5: joints.A.primitives[0]: its length is zero; use a spherical joint for points that coincide')
wrong("joint axis_x parallel", JOINT + "{kind: joint, between: [ground, crank], axis: z, axis_x: z, primitives: [coincident]}\n",
      '5: joints.A.axis_x: (0, 0, 1) is parallel to axis; give another direction (axes of frame a)')
wrong("gear nothing", GEAR + "{kind: gear, between: [A, B]}\n", '9: joints.G: give either ratio or teeth, none is given')
wrong("gear both", GEAR + "{kind: gear, between: [A, B], ratio: 2, teeth: [1, 2]}\n",
      '9: joints.G: give either ratio or teeth, both are given')
wrong("gear zero", GEAR + "{kind: gear, between: [A, B], ratio: 0}\n", '9: joints.G.ratio: 0 must be a finite number other than zero')
wrong("gear nan", GEAR + "{kind: gear, between: [A, B], ratio: .nan}\n",
      '9: joints.G.ratio: nan must be a finite number other than zero')
wrong("gear text", GEAR + "{kind: gear, between: [A, B], ratio: two}\n", "9: joints.G.ratio: 'two' must be a number")
wrong("gear teeth", GEAR + "{kind: gear, between: [A, B], teeth: [20, 0]}\n", '9: joints.G.teeth: (20, 0) must be at least 1 each')
wrong("gear teeth float", GEAR + "{kind: gear, between: [A, B], teeth: [20.5, 10]}\n",
      '9: joints.G.teeth[0]: 20.5 must be a whole number')
wrong("gear teeth one", GEAR + "{kind: gear, between: [A, B], teeth: [20]}\n", '9: joints.G.teeth: [20] must be a list of two entries')
wrong("gear same", GEAR + "{kind: gear, between: [A, A], ratio: 2}\n",
      "9: joints.G.between: both joints are 'A'; a gear couples two joints")
wrong("gear unknown joint", GEAR + "{kind: gear, between: [A, X], ratio: 2}\n",
      "9: joints.G.between[1]: there is no joint 'X'; there ***")
wrong("gear body", GEAR + "{kind: gear, between: [A, crank], ratio: 2}\n",
      "9: joints.G.between[1]: there is no joint 'crank'; there ***")
wrong("gear on prismatic", GEAR + "{kind: gear, between: [A, C], ratio: 2}\n",
      "9: joints.G.between[1]: joint 'C' has no coordinate 'angle'; it has displacement")
wrong("gear of itself", GEAR + "{kind: gear, between: [A, G], ratio: 2}\n",
      "9: joints.G.between[1]: joint 'G' has no coordinate 'angle'; it has none")
wrong("gear of gear", GEAR + "{kind: gear, between: [A, B], ratio: 2}\n  H: {kind: gear, between: [A, G], ratio: 2}\n",
      "10: joints.H.between[1]: joint 'G' has no coordinate 'angle'; it has none")
wrong("gear cycle", GEAR + "{kind: gear, between: [A, H], ratio: 2}\n  H: {kind: gear, between: [G, B], ratio: 2}\n",
      "9: joints.G.between[1]: joint 'H' has no coordinate 'angle'; it has none",
      "10: joints.H.between[0]: joint 'G' has no coordinate 'angle'; it has none")
wrong("gear frames", GEAR + "{kind: gear, between: [{body: crank}, B], ratio: 2}\n",
      "9: joints.G.between[0]: {body: 'crank'} must be the name of a joint, such as A")
wrong("rack on revolute", GEAR + "{kind: rack_pinion, between: [A, B], radius: 5 cm}\n",
      "9: joints.G.between[0]: joint 'A' has no coordinate 'displacement'; it has angle")
wrong("rack radius", GEAR + "{kind: rack_pinion, between: [C, B], radius: 5 kg}\n",
      "9: joints.G.radius: '5 kg' is a mass [kg], a length [m] is due")

# -- drives
wrong("drive joint missing", DRIVE + "{coordinate: angle, function: t}\n", '7: drives.motor.joint: is missing; a drive needs it')
wrong("drive joint unknown", DRIVE + "{joint: B, coordinate: angle, function: t}\n",
      "7: drives.motor.joint: there is no joint 'B'; there ***")
wrong("drive joint is body", DRIVE + "{joint: crank, coordinate: angle, function: t}\n",
      "7: drives.motor.joint: there is no joint 'crank'; there ***")
wrong("drive joint number", DRIVE + "{joint: 5, coordinate: angle, function: t}\n",
      '7: drives.motor.joint: 5 must be the name of a joint, such as A')
wrong("drive coordinate", DRIVE + "{joint: A, coordinate: turn, function: t}\n",
      "7: drives.motor.coordinate: 'turn' must be 'angle' or 'displacement'")
wrong("drive coordinate not there", DRIVE + "{joint: A, coordinate: displacement, function: t}\n",
      "7: drives.motor.coordinate: joint 'A' has no coordinate 'displacement'; it has angle")
wrong("drive function missing", DRIVE + "{joint: A, coordinate: angle}\n",
      '7: drives.motor.function: is missing; a drive needs it, or speed or acceleration')
wrong("drive function null", DRIVE + "{joint: A, coordinate: angle, function: }\n",
      "7: drives.motor.function: no value is given, it must be a number, an expression such as '2 * t', or a table such as "
      '{table: {x: [0, 1], y: [0, 5]}}')
wrong("drive function list", DRIVE + "{joint: A, coordinate: angle, function: [1]}\n",
      "7: drives.motor.function: [1] must be a number, an expression such as '2 * t', or a table such as {table: {x: [0, 1], "
      'y: [0, 5]}}')
wrong("drive function bool", DRIVE + "{joint: A, coordinate: angle, function: true}\n",
      "7: drives.motor.function: true must be a number, an expression such as '2 * t', or a table such as {table: {x: [0, "
      '1], y: [0, 5]}}')
wrong("drive of channel", DRIVE + "{joint: A, coordinate: angle, function: 2 * A.angle}\n",
      '7: drives.motor.function: its function must depend on t alone; use a force or torque for feedback')
wrong("drives two", DRIVE + "{joint: A, coordinate: angle, function: t}\n  second: {joint: A, coordinate: angle, function: t}\n",
      "8: drives.second: joint 'A' has 7 equations with this drive, but two frames can move in 6 ways only; remove a drive")
wrong("drive on fixed",
      ROD + "joints:\n  A: {kind: fixed, between: [ground, crank]}\ndrives:\n  motor: {joint: A, coordinate: angle, function: t}\n",
      "7: drives.motor.coordinate: joint 'A' has no coordinate 'angle'; it has none")
wrong("drive unit wrong", DRIVE + "{joint: A, coordinate: angle, function: 5 mm}\n",
      "7: drives.motor.function: '5 mm' is a length [m], an angle or plain number [rad] is due")
wrong("drive unknown key", DRIVE + "{joint: A, coordinate: angle, function: t, velocity: 3}\n",
      "7: drives.motor.velocity: unknown key 'velocity'; there ***")
wrong("expr empty", expression(""), "7: drives.motor.function: the expression is empty; write for example '10 N * sin(2*pi*t)'")
wrong("expr unknown name", expression("2 * time"),
      "7: drives.motor.function: unknown name 'time'; known are *** ; did you mean 't'? (column 5)")
wrong("expr unknown function", expression("sinus(t)"),
      "7: drives.motor.function: unknown function 'sinus'; did you mean 'sin' or 'sinh' or 'sign'? (column 1)")
wrong("expr no operator", expression("2 t"),
      "7: drives.motor.function: an operator is missing before 't'; write for example '2 * t' (column 3)")
wrong("expr parenthesis", expression("sin(t"), "7: drives.motor.function: ')' is due after the arguments of 'sin' (column 6)")
wrong("expr unit unknown", expression("30 degrees * t"),
      "7: drives.motor.function: unknown unit 'degrees'; did you mean 'deg'? (column 4)")
wrong("expr unit newton", expression("30 newton * t"), "7: drives.motor.function: unknown unit 'newton'; did you mean 'N'? (column 4)")
wrong("expr import", expression("__import__('os').system('true')"),
      "7: drives.motor.function: unknown function '__import__'; there *** (column 1)")
wrong("expr attribute", expression("t.__class__.__bases__"),
      '7: drives.motor.function: its function must depend on t alone; use a force or torque for feedback')
wrong("expr lambda", expression("lambda: 0"), "7: drives.motor.function: unknown name 'lambda'; known are *** (column 1)")
wrong("expr power tower", expression("9^9^9^9"), '7: drives.motor.function: 9 ^ 3.8742e+08 is not a finite number (column 4)')
wrong("expr nested", expression("(" * 10000 + "t" + ")" * 10000),
      "7: drives.motor.function: the expression '(((((((((((((((((((('… has 20001 characters, must be at most 10000; use a table")
wrong("expr 10 MB", expression("1+" * 5_000_000 + "t"),
      '7: a text of 10000014 characters, must have at most 100000; use a table or a file')
wrong("expr lookalike", expression("2 * ѕin(t)"),
      "7: drives.motor.function: unknown function 'ѕin'; did you mean 'sin' or 'min'? ('ѕ' is CYRILLIC SMALL LETTER DZE) (column 5)")
wrong("expr fullwidth", expression("２ * t"),
      "7: drives.motor.function: the character '２' has no meaning here ('２' is FULLWIDTH DIGIT TWO) (column 1)")
wrong("expr minus sign", expression("2 – t"), "7: drives.motor.function: unexpected '–' ('–' is EN DASH) (column 3)")
wrong("expr multibyte", expression("sin(Größe) + 1"), "7: drives.motor.function: unknown name 'Größe'; known are *** (column 5)")
wrong("expr wide", expression("'温度' + 1"), '7: drives.motor.function: the character "\'" has no meaning here (column 1)')
wrong("expr condition", expression("t > 1"),
      "7: drives.motor.function: a number is due, this is a condition; conditions stand in 'if(condition, a, b)' only (column 1)")
wrong("expr division", expression("1 / 0 * t"), '7: drives.motor.function: 1 / 0 is not a finite number (column 3)')
wrong("expr x in time function", expression("2 * x"), "7: drives.motor.function: unknown name 'x'; known are *** (column 5)")
wrong("expr python power", expression("t ^^ 2"), "7: drives.motor.function: a number or name is due instead of '^' (column 4)")
wrong("expr semicolon", expression("t; import os"), "7: drives.motor.function: unexpected ';' (column 2)")
wrong("expr string", expression("'t'"), '7: drives.motor.function: the character "\'" has no meaning here (column 1)')
wrong("expr derivative", expression("sin(" * 95 + "t^t" + ")" * 95),
      '7: drives.motor.function: the expression, or a derivative of it, is nested too deeply: it needs more than 64 '
      'intermediate values; split it or use a table')
wrong("expr step same", expression("step(t, 1, 0, 1, 2)"),
      "7: drives.motor.function: 'step' begins and ends at 1; the ends must differ (column 1)")

# -- tables
wrong("table unsorted", table("{x: [0, 2, 1], y: [0, 1, 2]}"),
      '7: drives.motor.function: table: x[2] = 1 follows x[1] = 2, x must increase strictly; sort the points and drop double ones')
wrong("table nan", table("{x: [0, 1, .nan], y: [0, 1, 2]}"),
      '7: drives.motor.function: table: x[2] = nan, must be finite and within 1e+40')
wrong("table one", table("{x: [0], y: [0]}"),
      '7: drives.motor.function: table: 1 points, must be at least 2; a constant needs no table, give the number')
wrong("table lengths", table("{x: [0, 1], y: [0, 1, 2]}"),
      '7: drives.motor.function: table: x has 2 values and y has 3, must be as many')
wrong("table kind", table("{x: [0, 1], y: [0, 1], kind: quintic}"),
      "7: drives.motor.function: table: kind = 'quintic', must be 'cubic' or 'linear'")
wrong("table missing", table("{x: [0, 1]}"),
      '7: drives.motor.function: table {x: [0, 1]} must have the entries x and y, lists of numbers, and may have kind and beyond')
wrong("table unknown", table("{x: [0, 1], y: [0, 1], z: 1}"),
      '7: drives.motor.function: table {x: [0, 1], y: [0, 1], z: 1} must have the entries x and y, lists of numbers, '
      'and may have kind and beyond')
wrong("table text", table("{x: [0, 1 s], y: [0, 1]}"),
      "7: drives.motor.function: table: x = [0, '1 s'], must be a list of numbers in SI units")
wrong("table list", table("[[0, 1], [0, 1]]"),
      '7: drives.motor.function: table [[0, 1], [0, 1]] must have the entries x and y, lists of numbers, and may have kind and beyond')
wrong("table ragged", table("{x: [0, [1]], y: [0, 1]}"),
      '7: drives.motor.function: table: x = [0, [1]], must be a list of numbers in SI units')
wrong("table huge", table("{x: [0, 1e-300], y: [0, 1e300], kind: linear}"),
      '7: drives.motor.function: table: y[1] = 1e+300, must be finite and within 1e+40')
wrong("table huge cubic", table("{x: [0, 1e-300, 1, 2], y: [0, 1e300, 1, 2]}"),
      '7: drives.motor.function: table: y[1] = 1e+300, must be finite and within 1e+40')
wrong("table key typo", DRIVE + "{joint: A, coordinate: angle, function: {tabel: {x: [0, 1], y: [0, 1]}}}\n",
      "7: drives.motor.function: {tabel: {x: [0, 1], y: [0, 1]}} must be a number, an expression such as '2 * t', or a table "
      'such as {table: {x: [0, 1], y: [0, 5]}}')
