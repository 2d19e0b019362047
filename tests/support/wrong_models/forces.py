"""Wrong forces and channels, options of a run, and several problems at once."""
from .base import FORCE, GEAR, JOINT, ONE, PIN, ROD, SIMULATE, body, wrong

# -- forces
wrong("spring stiffness unit", FORCE + "{kind: spring_damper, between: [ground, crank.end], stiffness: 12 N}\n",
      "7: forces.S.stiffness: '12 N' is a force [N], a stiffness [N/m] is due")
wrong("spring stiffness unit typo", FORCE + "{kind: spring_damper, between: [ground, crank.end], stiffness: 12 N/mn}\n",
      "7: forces.S.stiffness: unknown unit 'mn'; did you mean 'mN' or 'MN'? (column 6)")
wrong("spring negative length", FORCE + "{kind: spring_damper, between: [ground, crank.end], stiffness: 12, length: -1}\n",
      '7: forces.S.length: -1 m must be at least 0')
wrong("spring coincide", FORCE + "{kind: spring_damper, between: [ground, crank.start], stiffness: 12}\n",
      '7: forces.S.between: its two points coincide, so its direction is undefined; move one of them or use a bushing')
wrong("spring same frame", FORCE + "{kind: spring_damper, between: [crank.end, crank.end], stiffness: 12}\n",
      '7: forces.S.between: its two points coincide, so its direction is undefined; move one of them or use a bushing')
wrong("spring expression", FORCE + "{kind: spring_damper, between: [ground, crank.end], stiffness: 5 * y}\n",
      "7: forces.S.stiffness: unknown name 'y'; known are *** (column 5)")
wrong("torsion unit", FORCE + "{kind: torsion_spring, joint: A, stiffness: 12 N}\n",
      "7: forces.S.stiffness: '12 N' is a force [N], a torque or energy [N*m] is due")
wrong("torsion joint", FORCE + "{kind: torsion_spring, joint: B, stiffness: 12}\n",
      "7: forces.S.joint: there is no joint 'B'; there ***")
wrong("torsion angle unit", FORCE + "{kind: torsion_spring, joint: A, stiffness: 12, angle: 5 m}\n",
      "7: forces.S.angle: '5 m' is a length [m], an angle or plain number [rad] is due")
wrong("torsion on slide",
      ROD
      + "joints:\n  A: {kind: prismatic, between: [ground, crank]}\nforces:\n  S: {kind: torsion_spring, joint: A, stiffness: 1}\n",
      "7: forces.S.joint: joint 'A' has no coordinate 'angle'; it has displacement")
wrong("bushing five", FORCE + "{kind: bushing, between: [ground, crank], stiffness: [1, 2, 3, 4, 5]}\n",
      '7: forces.S.stiffness: [1, 2, 3, 4, 5] must be six numbers or a 6x6 matrix in SI units, all within 1e+40 (axes of frame a)')
wrong("bushing text", FORCE + "{kind: bushing, between: [ground, crank], stiffness: soft}\n",
      "7: forces.S.stiffness: 'soft' must be six numbers or a 6x6 matrix in SI units, all within 1e+40 (axes of frame a)")
wrong("bushing asymmetric",
      FORCE
      + "{kind: bushing, between: [ground, crank], stiffness: [[1,2,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],"
      "[0,0,0,1,0,0],[0,0,0,0,1,0],[0,0,0,0,0,1]]}\n",
      '7: forces.S.stiffness: ((1, 2, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0), (0, 0, 1, 0, 0, 0)… must be symmetric (axes of frame a)')
wrong("bushing nan", FORCE + "{kind: bushing, between: [ground, crank], stiffness: [1, 2, 3, .nan, 5, 6]}\n",
      '7: forces.S.stiffness: [1, 2, 3, nan, 5, 6] must be six numbers or a 6x6 matrix in SI units, all within 1e+40 (axes of frame a)')
wrong("bushing missing", FORCE + "{kind: bushing, between: [ground, crank]}\n",
      '7: forces.S.stiffness: is missing; a bushing force needs it')
wrong("force two", FORCE + "{kind: force, frame: crank, vector: [1, 2]}\n",
      "7: forces.S.vector: [1, 2] must be three functions [N], such as ['10 N * sin(t)', 0, 0]"
      " (world axes, or with axes: frame those of its frame)")
wrong("force number", FORCE + "{kind: force, frame: crank, vector: 5}\n",
      "7: forces.S.vector: 5 must be three functions [N], such as ['10 N * sin(t)', 0, 0]"
      " (world axes, or with axes: frame those of its frame)")
wrong("force map", FORCE + "{kind: force, frame: crank, vector: {x: 1, y: 2, z: 3}}\n",
      "7: forces.S.vector: {x: 1, y: 2, z: 3} must be three functions [N], such as ['10 N * sin(t)', 0, 0]"
      " (world axes, or with axes: frame those of its frame)")
wrong("force unit", FORCE + "{kind: force, frame: crank, vector: [5 kg, 0, 0]}\n",
      "7: forces.S.vector[0]: '5 kg' is a mass [kg], a force [N] is due (world axes, or with axes: frame those of its frame)")
wrong("force unit torque", FORCE + "{kind: torque, frame: crank, vector: [5 N, 0, 0]}\n",
      "7: forces.S.vector[0]: '5 N' is a force [N], a torque or energy [N*m] is due (world axes, or with axes: frame those of its frame)")
wrong("force frame", FORCE + "{kind: force, frame: crank.tip, vector: [0, 0, 1]}\n",
      "7: forces.S.frame: body 'crank' has no frame 'tip'; there ***")
wrong("force frame missing", FORCE + "{kind: force, vector: [0, 0, 1]}\n", '7: forces.S.frame: is missing; a force needs it')
wrong("force axes", FORCE + "{kind: force, frame: crank, vector: [0, 0, 1], axes: body}\n",
      "7: forces.S.axes: 'body' must be 'world' or 'frame'")
wrong("force channel typo", FORCE + "{kind: force, frame: crank, vector: [0, 0, -4 * crank.velocty.z]}\n",
      "7: forces.S.vector[2]: channel 'crank.velocty.z' of body 'crank' cannot be used in an expression; did you mean "
      "'crank.velocity.z'?")
wrong("force channel item", FORCE + "{kind: force, frame: crank, vector: [0, 0, -4 * crnk.velocity.z]}\n",
      "7: forces.S.vector[2]: channel 'crnk.velocity.z': there *** ; did you mean 'crank'?")
wrong("force channel frame", FORCE + "{kind: force, frame: crank, vector: [0, 0, -4 * crank.tip.velocity.z]}\n",
      "7: forces.S.vector[2]: body 'crank' has no frame 'tip'; there ***")
wrong("force channel coordinate", FORCE + "{kind: force, frame: crank, vector: [0, 0, A.displacement]}\n",
      "7: forces.S.vector[2]: channel 'A.displacement' of joint 'A' cannot be used in an expression; there ***")
wrong("force channel force", FORCE + "{kind: force, frame: crank, vector: [0, 0, A.force.x]}\n",
      "7: forces.S.vector[2]: channel 'A.force.x' of joint 'A' cannot be used in an expression; it is solved for, so only a block "
      "with a period can use it: pl.Sample(name, 'A.force.x', period)")
wrong("force channel itself", FORCE + "{kind: force, frame: crank, vector: [0, 0, S.force]}\n",
      "7: forces.S.vector[2]: channel 'S.force' of force 'S' cannot be used in an expression; expressions can use "
      'BODY.position.x, BODY.FRAME.velocity.z, JOINT.angle, JOINT.displacement_rate, MEASURE.distance and the like')
wrong("force channel component", FORCE + "{kind: force, frame: crank, vector: [0, 0, crank.velocity]}\n",
      "7: forces.S.vector[2]: channel 'crank.velocity' of body 'crank' cannot be used in an expression; did you mean "
      "'crank.velocity.z'?")
wrong("force channel acceleration", FORCE + "{kind: force, frame: crank, vector: [0, 0, crank.acceleration.z]}\n",
      "7: forces.S.vector[2]: channel 'crank.acceleration.z' of body 'crank' cannot be used in an expression; it is solved "
      "for, so only a block with a period can use it: pl.Sample(name, 'crank.acceleration.z', period), or pl.Washout of the velocity: "
      "the acceleration behind a low pass")
wrong("force channel energy", FORCE + "{kind: force, frame: crank, vector: [0, 0, energy.kinetic]}\n",
      "7: forces.S.vector[2]: channel 'energy.kinetic' of the model cannot be used in an expression; expressions can use "
      'BODY.position.x, BODY.FRAME.velocity.z, JOINT.angle, JOINT.displacement_rate, MEASURE.distance and the like')
wrong("force channel measure",
      FORCE + "{kind: force, frame: crank, vector: [0, 0, gap.distnce]}\nmeasures:\n  gap: {between: [ground, crank.end]}\n",
      "7: forces.S.vector[2]: channel 'gap.distnce' of measure 'gap' cannot be used in an expression; did you mean 'gap.distance'?")
wrong("force channel gear",
      GEAR + "{kind: gear, between: [A, B], ratio: 2}\nforces:\n  S: {kind: force, frame: crank, vector: [0, 0, G.angle]}\n",
      "11: forces.S.vector[2]: channel 'G.angle' of gear 'G' cannot be used in an expression; expressions can use "
      'BODY.position.x, BODY.FRAME.velocity.z, JOINT.angle, JOINT.displacement_rate, MEASURE.distance and the like')
wrong("force vector second bad", FORCE + "{kind: force, frame: crank, vector: [0, sin(, 1 + ]}\n",
      '7: forces.S.vector[1]: a number or name is due at the end (column 5)',
      '7: forces.S.vector[2]: a number or name is due at the end (column 4)')
wrong("measure one", PIN + "measures:\n  gap: {between: [ground]}\n",
      "7: measures.gap.between: ['ground'] must be a list of two frames, such as [ground, crank.start]")
wrong("measure kind", PIN + "measures:\n  gap: {kind: distance, between: [ground, crank]}\n",
      "7: measures.gap.kind: unknown kind 'distance' of measure; a distance stands under joints")
wrong("measure axes body", PIN + "measures:\n  gap: {between: [ground, crank], axes: crnk.end}\n",
      "7: measures.gap.axes: there is no body 'crnk'; did you mean 'crank'?")
wrong("measure axes frame", PIN + "measures:\n  gap: {between: [ground, crank], axes: crank.tip}\n",
      "7: measures.gap.axes: body 'crank' has no frame 'tip'; there ***")
wrong("measure axes world", PIN + "measures:\n  gap: {between: [ground, crank], axes: world}\n",
      "7: measures.gap.axes: there is no body 'world'; there are ground, crank")
wrong("measure axes list", PIN + "measures:\n  gap: {between: [ground, crank], axes: [1, 0, 0]}\n",
      "7: measures.gap.axes: [1, 0, 0] must be a frame: a text such as crank.end, or {body: crank, point: [0, 0, 0]}")
wrong("measure axes key", PIN + "measures:\n  gap: {between: [ground, crank], axes: {body: crank, rotaton: [1, 0, 0, 0]}}\n",
      "7: measures.gap.axes.rotaton: unknown key 'rotaton'; did you mean 'rotation'?")
wrong("measure channel",
      FORCE + "{kind: force, frame: crank, vector: [0, 0, gap.position.x]}\nmeasures:\n  gap: {between: [ground, crank.end]}\n",
      "7: forces.S.vector[2]: channel 'gap.position.x' of measure 'gap' cannot be used in an expression; there ***")
wrong("group none", PIN + "measures:\n  g: {kind: group}\n", '7: measures.g.bodies: is missing; a group measure needs it')
wrong("group empty", PIN + "measures:\n  g: {kind: group, bodies: []}\n",
      '7: measures.g.bodies: [] must be a list of bodies, such as [seat, driver]')
wrong("group text", PIN + "measures:\n  g: {kind: group, bodies: crank}\n",
      "7: measures.g.bodies: 'crank' must be a list of bodies, such as [seat, driver]")
wrong("group numbers", PIN + "measures:\n  g: {kind: group, bodies: [1, 2]}\n",
      '7: measures.g.bodies: [1, 2] must be a list of bodies, such as [seat, driver]')
wrong("group null", PIN + "measures:\n  g: {kind: group, bodies: }\n",
      '7: measures.g.bodies: no value is given, it must be a list of bodies, such as [seat, driver]')
wrong("group ground", PIN + "measures:\n  g: {kind: group, bodies: [crank, ground]}\n",
      "7: measures.g.bodies: 'ground' has no mass and no momentum; leave it out")
wrong("group twice", PIN + "measures:\n  g: {kind: group, bodies: [crank, crank]}\n",
      "7: measures.g.bodies: 'crank' stands there twice; name every body once")
wrong("group typo", PIN + "measures:\n  g: {kind: group, bodies: [crnk]}\n",
      "7: measures.g.bodies[0]: there is no body 'crnk'; did you mean 'crank'?")
wrong("group of a joint", PIN + "measures:\n  g: {kind: group, bodies: [crank, A]}\n",
      "7: measures.g.bodies[1]: there is no body 'A'; there is crank")
wrong("group frame", PIN + "measures:\n  g: {kind: group, bodies: [crank.end]}\n",
      "7: measures.g.bodies[0]: there is no body 'crank.end'; did you mean 'crank'?")
wrong("group without mass", ROD + "  ghost: {mass: 0, inertia: [0, 0, 0]}\nmeasures:\n  g: {kind: group, bodies: [ghost]}\n",
      '6: measures.g.bodies: ghost: without mass there is no centre of mass; name a body that has some')
wrong("group key", PIN + "measures:\n  g: {kind: group, bodys: [crank]}\n",
      '7: measures.g.bodies: is missing; a group measure needs it',
      "7: measures.g.bodys: unknown key 'bodys'; did you mean 'bodies'?")
wrong("group of a wrong body", "pliant: 1\nbodies:\n  a: {mass: heavy}\nmeasures:\n  g: {kind: group, bodies: [a]}\n",
      "3: bodies.a.mass: ***")
wrong("group channel",
      FORCE + "{kind: force, frame: crank, vector: [0, 0, g.momentum.x]}\nmeasures:\n  g: {kind: group, bodies: [crank]}\n",
      "7: forces.S.vector[2]: channel 'g.momentum.x' of group 'g' cannot be used in an expression; expressions can use ***")
wrong("model channel", FORCE + "{kind: force, frame: crank, vector: [0, 0, model.momentum.x]}\n",
      "7: forces.S.vector[2]: channel 'model.momentum.x' of the model cannot be used in an expression; expressions can use ***")
wrong("body named model", "pliant: 1\nbodies:\n  model: {mass: 1}\n", "3: bodies.model: name 'model' is reserved; choose another")

# -- simulate
wrong("simulate typo", SIMULATE + "{duraton: 1}\n", "6: simulate.duraton: unknown option 'duraton'; did you mean 'duration'?")
wrong("simulate list", SIMULATE + "[1]\n", '6: simulate: must be a mapping of options to values, found [1]')
wrong("simulate number", SIMULATE + "5\n", '6: simulate: must be a mapping of options to values, found 5')
wrong("duration zero", SIMULATE + "{duration: 0}\n", '6: simulate.duration: 0 must be greater than zero')
wrong("duration negative", SIMULATE + "{duration: -1 s}\n", '6: simulate.duration: -1 s must be greater than zero')
wrong("duration unit", SIMULATE + "{duration: 5 m}\n", "6: simulate.duration: '5 m' is a length [m], a time [s] is due")
wrong("duration nan", SIMULATE + "{duration: .nan}\n", '6: simulate.duration: nan must be finite; a time [s] is due')
wrong("duration list", SIMULATE + "{duration: [1]}\n", "6: simulate.duration: [1] must be a number or a text such as '2 s'")
wrong("accuracy word", SIMULATE + "{duration: 1, accuracy: high}\n",
      "6: simulate.accuracy: 'high' must be one of draft, normal, fine or a number")
wrong("accuracy number", SIMULATE + "{duration: 1, accuracy: 5}\n",
      '6: simulate.accuracy: 5 must be between 1e-12 and 0.1; beyond that rounding errors rule')
wrong("accuracy unit", SIMULATE + "{duration: 1, accuracy: 1 mm}\n",
      "6: simulate.accuracy: '1 mm' must be one of draft, normal, fine or a number")
wrong("step and accuracy", SIMULATE + "{duration: 1, step: 1 ms, accuracy: fine}\n",
      '6: simulate.accuracy: give step (fixed) or accuracy (steps are chosen), not both')
wrong("step zero", SIMULATE + "{duration: 1, step: 0}\n", '6: simulate.step: 0 must be greater than zero')
wrong("output step tiny", SIMULATE + "{duration: 1, step: 1 ms, output_step: 1e-15}\n",
      '6: simulate.output_step: 1e-15 s makes more than 1e+07 rows in 1 s; choose a larger one')
wrong("output times and step", SIMULATE + "{duration: 1, output_step: 0.1, output_times: [0.5]}\n",
      '6: simulate.output_times: give output_step (a distance of rows) or output_times (a list of them), not both')
wrong("output times beyond", SIMULATE + "{duration: 1, output_times: [0, 0.5, 1.5]}\n",
      '6: simulate.output_times: 1.5 s must be within the run of 1 s, after its start')
wrong("output times back", SIMULATE + "{duration: 1, output_times: [0.5, 200 ms]}\n",
      '6: simulate.output_times: 0.2 s comes after 0.5 s, times must increase')
wrong("output times no list", SIMULATE + "{duration: 1, output_times: 0.5}\n",
      '6: simulate.output_times: 0.5 must be a list of times, such as [0, 0.1, 0.5]')
wrong("output times unit", SIMULATE + "{duration: 1, output_times: [1 mm]}\n",
      "6: simulate.output_times: '1 mm' is a length [m], a time [s] is due")
wrong("record text", SIMULATE + "{duration: 1, record: crank.*}\n",
      "6: simulate.record: 'crank.*' must be a list of channel patterns, such as ['crank.*']")
wrong("record numbers", SIMULATE + "{duration: 1, record: [1]}\n",
      "6: simulate.record: [1] must be a list of channel patterns, such as ['crank.*']")
wrong("out number", SIMULATE + "{duration: 1, out: 5}\n", '6: simulate.out: 5 must be a text; put it in quotes')
wrong("integrator unknown", SIMULATE + "{duration: 1, integrator: euler}\n",
      "6: simulate.integrator: unknown kind 'euler' of integrator; there ***")
wrong("integrator list", SIMULATE + "{duration: 1, integrator: [a]}\n",
      "6: simulate.integrator: ['a'] must be a mapping such as {kind: generalized-alpha}")
wrong("integrator no kind", SIMULATE + "{duration: 1, integrator: {rho: 1}}\n", '6: simulate.integrator.kind: is missing; there ***')
wrong("integrator rho", SIMULATE + "{duration: 1, integrator: {kind: generalized-alpha, rho: 2}}\n",
      '6: simulate.integrator.rho: 2, must be from 0 to 1 (0 most damping, 1 none)')
wrong("integrator rho text", SIMULATE + "{duration: 1, integrator: {kind: generalized-alpha, rho: high}}\n",
      "6: simulate.integrator.rho: 'high', must be a number")
wrong("integrator rho nan", SIMULATE + "{duration: 1, integrator: {kind: generalized-alpha, rho: .nan}}\n",
      '6: simulate.integrator.rho: nan, must be from 0 to 1 (0 most damping, 1 none)')
wrong("integrator without a value", SIMULATE + "{duration: 1, integrator: {kind: generalized-alpha, rho: , newton: [full]}}\n",
      '6: simulate.integrator.rho: no value is given, it must be a number or a word; leave the key out for the usual value',
      "6: simulate.integrator.newton: ['full'] must be a number or a word; leave the key out for the usual value")
wrong("integrator huge", SIMULATE + "{duration: 1, integrator: {kind: generalized-alpha, max_iterations: 1e99}}\n",
      '6: simulate.integrator.max_iterations: 1e+99 is too large, must be within 1e+40')
wrong("integrator key", SIMULATE + "{duration: 1, integrator: {kind: generalized-alpha, roh: 0.5}}\n",
      "6: simulate.integrator.roh: unknown key 'roh'; did you mean 'rho'?")
for k, place in enumerate(("/home/me/thesis.h5", "../thesis.h5", "~/thesis.h5", "C:/thesis.h5", ".")):
    wrong(f"out elsewhere {k}", SIMULATE + f"{{duration: 1, out: '{place}'}}\n",
          f"6: simulate.out: {place!r} must be the name of a file in this folder or below, such as run.h5***")
wrong("integrator newton", SIMULATE + "{duration: 1, integrator: {kind: generalized-alpha, newton: half}}\n",
      "6: simulate.integrator.newton: 'half', must be 'modified' or 'full'")
wrong("integrator iterations", SIMULATE + "{duration: 1, integrator: {kind: generalized-alpha, max_iterations: 2.5}}\n",
      '6: simulate.integrator.max_iterations: 2.5, must be a whole number')
wrong("integrator kind number", SIMULATE + "{duration: 1, integrator: {kind: 5}}\n",
      '6: simulate.integrator.kind: unknown kind 5 of integrator; there ***')
wrong("progress", SIMULATE + "{duration: 1, progress: true}\n", "6: simulate.progress: unknown option 'progress'; there ***")

# -- several at once
wrong("many",
      "pliant: 1\nname: 5\ngravty: [0, 0, 0]\nbodies:\n  a: {mass: -1}\n  b: {mas: 1}\n  c: {mass: 2 m, position: [1]}\n"
      "  ok: {mass: 1}\njoints:\n  A: {kind: revolute, between: [ground, okk], axis: w}\n"
      "  B: {kind: revolute, between: [ground, okk]}\ndrives:\n  d: {joint: B, coordinate: angle, function: sin(}\nforces:\n"
      "  f: {kind: force, frame: ok, vector: [0, 0, ok.velocty.z]}\nsimulate: {duration: -1, stp: 1}\n",
      '2: name: 5 must be a text; put it in quotes',
      "3: gravty: unknown key 'gravty'; did you mean 'gravity'?",
      '5: bodies.a.mass: -1 must be at least 0',
      '6: bodies.b.mass: is missing; a rigid body needs it',
      "6: bodies.b.mas: unknown key 'mas'; did you mean 'mass'?",
      "7: bodies.c.mass: '2 m' is a length [m], a mass [kg] is due",
      '7: bodies.c.position: [1] must be a list of three numbers [m] (world axes)',
      "10: joints.A.axis: axis 'w' must be one of x, y, z, -x, -y, -z or three numbers (axes of frame a)",
      "11: joints.B.between[1]: there *** ; did you mean 'ok'?",
      '13: drives.d.function: a number or name is due at the end (column 5)',
      "15: forces.f.vector[2]: channel 'ok.velocty.z' of body 'ok' cannot be used in an expression; did you mean 'ok.velocity.z'?",
      "16: simulate.stp: unknown option 'stp'; did you mean 'step'?",
      '16: simulate.duration: -1 must be greater than zero')

# -- more
wrong("channel of wrong body is not held against",
      body("mass: -1}\nforces:\n  F: {kind: force, frame: a, vector: [0, 0, a.tip.velocity.z]"),
      '3: bodies.a.mass: -1 must be at least 0')
wrong("two channels", FORCE + "{kind: force, frame: crank, vector: [crank.velocity.w * A.angel, 0, 0]}\n",
      "7: forces.S.vector[0]: channel 'crank.velocity.w' of body 'crank' cannot be used in an expression; did you mean "
      "'crank.velocity.z'?",
      "7: forces.S.vector[0]: channel 'A.angel' of joint 'A' cannot be used in an expression; did you mean 'A.angle'?")
wrong("channel in a spring", FORCE + "{kind: spring_damper, between: [ground, crank.end], stiffness: 5 * x * B.angle}\n",
      "7: forces.S.stiffness: channel 'B.angle': there is no body, joint or measure 'B'; there ***")
wrong("too many channels",
      "pliant: 1\nbodies:\n" + "".join(f"  b{i}: {{mass: 1}}\n" for i in range(40))
      + "forces:\n  F: {kind: force, frame: b0, vector: [" + "+".join(f"b{i}.position.{c}" for i in range(40) for c in "xyz")
      + ", 0, 0]}\n",
      '44: forces.F.vector[0]: the expression uses 120 channels, must be at most 100; split it over several forces')
wrong("deep expression", FORCE + "{kind: force, frame: crank, vector: [" + "sin(" * 101 + "t" + ")" * 101 + ", 0, 0]}\n",
      '7: forces.S.vector[0]: nested more than 100 deep; split the expression or use a table (column 401)')
wrong("exploding derivative",
      FORCE + "{kind: force, frame: crank, vector: [" + "*".join(f"sin({i}*t)" for i in range(1, 900)) + ", 0, 0]}\n",
      '7: forces.S.vector[0]: the expression, or a derivative of it, takes more than 20000 operations; shorten it or use a table')
wrong("function name case", FORCE + "{kind: force, frame: crank, vector: [Sin(t), 0, 0]}\n",
      "7: forces.S.vector[0]: unknown function 'Sin'; did you mean 'sin'? (column 1)")
wrong("constant case", FORCE + "{kind: force, frame: crank, vector: [2 * PI * t, 0, 0]}\n",
      "7: forces.S.vector[0]: unknown name 'PI'; known are *** ; did you mean 'pi'? (column 5)")
wrong("logarithm", FORCE + "{kind: force, frame: crank, vector: [ln(t + 1), 0, 0]}\n",
      "7: forces.S.vector[0]: unknown function 'ln'; did you mean 'log'? (column 1)")
wrong("power function", FORCE + "{kind: force, frame: crank, vector: ['pow(t, 2)', 0, 0]}\n",
      "7: forces.S.vector[0]: unknown function 'pow'; did you mean '^'? (column 1)")
wrong("arguments", FORCE + "{kind: force, frame: crank, vector: ['atan2(t)', 0, 0]}\n",
      "7: forces.S.vector[0]: 'atan2' takes 2 arguments, 1 is given (column 1)")
wrong("wide characters before the place", FORCE + "{kind: force, frame: crank, vector: [2 µm³ * 温度, 0, 0]}\n",
      "7: forces.S.vector[0]: unknown name '温度'; known are *** (column 9)")
wrong("unit after a blank", FORCE + "{kind: spring_damper, between: [ground, crank.end], stiffness: 5 N/m s}\n",
      "7: forces.S.stiffness: unit 'N/m s': a blank after '/' is ambiguous; write 'N/(m*s)' or 'N/m*s' (column 3)")
wrong("stiffness in newton", FORCE + "{kind: spring_damper, between: [ground, crank.end], stiffness: 5 newton}\n",
      "7: forces.S.stiffness: unknown unit 'newton'; did you mean 'N'? (column 3)")
wrong("damping of a rotation", FORCE + "{kind: torsion_spring, joint: A, damping: 5 N*s/m}\n",
      "7: forces.S.damping: '5 N*s/m' is a damping [N*s/m], a rotational damping [N*m*s] is due")
wrong("square without mark", ONE + "    inertia: [1 kg*m2, 1, 1]\n",
      "5: bodies.a.inertia: '1 kg*m2': unit 'kg*m2': unexpected '2'; for a power write '^2' (body axes, about the centre of mass)")
wrong("rpm as length", JOINT + "{kind: screw, between: [ground, crank], lead: 30 rpm}\n",
      "5: joints.A.lead: '30 rpm' is a rate [1/s], a length [m] is due")
wrong("item of wrong type",
      "pliant: 1\nbodies:\n  a: {mass: 1}\njoints:\n  J: text\ndrives:\n  D: [1]\nforces:\n  F: 3\nmeasures:\n  M:\n",
      "5: joints.J: 'text' must be a mapping such as {kind: revolute, between: [ground, crank.start]}",
      '7: drives.D: [1] must be a mapping such as {joint: A, coordinate: angle, function: 2 * t}',
      '9: forces.F: 3 must be a mapping such as {kind: force, frame: crank, vector: [0, 0, 1]}',
      '11: measures.M: no value is given, it must be a mapping such as {between: [ground, crank.end]}')
wrong("a frame inside a frame", ONE + "    frames: {tip: {point: {point: [0, 0, 0]}}}\n",
      '5: bodies.a.frames.tip.point: {point: [0, 0, 0]} must be a list of three numbers [m] (body axes)')
wrong("frames of frames", ONE + "    frames: {tip: {frame: a.tip}}\n",
      "5: bodies.a.frames.tip.frame: unknown key 'frame'; there ***")
wrong("sections null are fine, the rest is told", "pliant: 1\nbodies:\njoints:\nforces:\nsimulat:\n",
      "5: simulat: unknown key 'simulat'; did you mean 'simulate'?")
wrong("mass of a rod", body("rod: {start: [0, 0, 0], end: [1 m, 0, 0 kg]}, mass: 5 s"),
      "3: bodies.a.rod.end: '0 kg' is a mass [kg], a length [m] is due (world axes)",
      "3: bodies.a.mass: '5 s' is a time [s], a mass [kg] is due")
wrong("body is cyclic", "pliant: 1\nbodies: {a: &a {mass: 1, frames: {f: *a}}}\n",
      '2: alias *a stands inside itself; write what is meant')
wrong("alias of a wrong value", body("mass: &m -3}\n  b: {mass: *m"),
      '3: bodies.a.mass: -3 must be at least 0',
      '4: bodies.b.mass: -3 must be at least 0')
wrong("numbers in quotes", ONE + "    position: ['1', '2', 'three']\n",
      "5: bodies.a.position: 'three' must begin with a number; write for example '2 m' (world axes)")
wrong("negative radius of a rod", body("mass: 1, rod: {start: [0, 0, 0], end: [1, 0, 0], radius: -2 mm}"),
      '3: bodies.a.rod.radius: -2 mm must be greater than zero')
wrong("control characters in a value", body("mass: \"\\e[31m\\a\""),
      "3: bodies.a.mass: '\\x1b[31m\\x07' must begin with a number; write for example '2 kg'")
