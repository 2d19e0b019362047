"""Wrong loads on joints, joints at a point, held coordinates and couplings."""
from .base import DRIVE, FORCE, GEAR, JOINT, body, wrong

# -- loads between the bodies of a joint
wrong("joint torque in newton", FORCE + "{kind: joint_torque, joint: A, torque: 5 N}\n",
      "7: forces.S.torque: '5 N' is a force [N], a torque or energy [N*m] is due")
wrong("joint torque without joint", FORCE + "{kind: joint_torque, torque: 5 N*m}\n",
      "7: forces.S.joint: is missing; a joint_torque force needs it")
wrong("joint torque without torque", FORCE + "{kind: joint_torque, joint: A}\n",
      "7: forces.S.torque: is missing; a joint_torque force needs it")
wrong("joint torque on a joint that is not there", FORCE + "{kind: joint_torque, joint: B, torque: 5}\n",
      "7: forces.S.joint: there is no joint 'B'; there is A")
wrong("joint force on a hinge", FORCE + "{kind: joint_force, joint: A, force: 5}\n",
      "7: forces.S.joint: joint 'A' has no coordinate 'displacement'; it has angle")
wrong("joint torque of x", FORCE + "{kind: joint_torque, joint: A, torque: -5 * x}\n",
      "7: forces.S.torque: unknown name 'x'; known are *** (column 6)")
wrong("joint torque of a channel that is not there", FORCE + "{kind: joint_torque, joint: A, torque: -5 * A.angel}\n",
      "7: forces.S.torque: channel 'A.angel' of joint 'A' cannot be used in an expression; did you mean 'A.angle'?")
wrong("joint torque as a vector", FORCE + "{kind: joint_torque, joint: A, torque: [0, 0, 1]}\n",
      "7: forces.S.torque: [0, 0, 1] must be a number, an expression such as '2 * t', or a table such as {table: {x: [0, 1], y: [0, 5]}}")
wrong("joint torque by the key of a drive", FORCE + "{kind: joint_torque, joint: A, function: 5, torque: 1}\n",
      "7: forces.S.function: unknown key 'function'; there are joint, torque, active")
wrong("joint torque misspelt", FORCE + "{kind: joint_torqe, joint: A, torque: 5}\n",
      "7: forces.S.kind: unknown kind 'joint_torqe' of force; did you mean 'joint_torque'?")
wrong("torque on a joint", FORCE + "{kind: torque, frame: A, vector: [0, 0, 1]}\n",
      "7: forces.S.frame: there is no body 'A'; there is a joint of this name. Name a body, or use joint_torque or joint_force "
      "(JointTorque, JointForce) for a load between the two bodies of a joint")

# -- joints at a point of the world
wrong("at and a frame", JOINT + "{kind: revolute, between: [ground, crank.start], at: [0, 0, 0]}\n",
      "5: joints.A.between[1]: 'crank.start' is a frame, but at makes both frames; name the body 'crank', or leave out at")
wrong("at with two numbers", JOINT + "{kind: revolute, between: [ground, crank], at: [0, 0]}\n",
      "5: joints.A.at: [0, 0] must be a list of three numbers [m] (world axes)")
wrong("at in degrees", JOINT + "{kind: revolute, between: [ground, crank], at: [0, 90 deg, 0]}\n",
      "5: joints.A.at: '90 deg' is an angle or plain number [-], a length [m] is due (world axes)")
wrong("at of a distance", JOINT + "{kind: distance, between: [ground, crank], at: [0, 0, 0]}\n",
      "5: joints.A.at: a distance joint has two points, one on each body; name two frames instead (world axes)")
wrong("at of a body that is nowhere", body("mass: 1") + "joints:\n  A: {kind: revolute, between: [ground, a], at: [1, 0, 0]}\n",
      "5: joints.A.between[1]: body 'a' has no stated position, so the point (1, 0, 0) of the world is no place on it; state its position, "
      "or name frames")
wrong("at of a frame with a point", JOINT + "{kind: revolute, between: [ground, {body: crank, at: [0, 0, 0], point: [0, 0, 0]}]}\n",
      "5: joints.A.between[1]: at is a point of the world, with its axes; leave out frame, point, rotation and s")
wrong("at of a force", FORCE + "{kind: force, frame: crank, at: [0, 0, 0], vector: [0, 0, 1]}\n",
      "7: forces.S.at: unknown key 'at'; there are frame, vector, axes, ***")

# -- held coordinates
wrong("hold of another coordinate", JOINT + "{kind: revolute, between: [ground, crank.start], hold: [displacement]}\n",
      "5: joints.A.hold[0]: joint 'A' has no coordinate 'displacement'; it has angle")
wrong("hold of a ball", JOINT + "{kind: spherical, between: [ground, crank.start], hold: [angle]}\n",
      "5: joints.A.hold[0]: joint 'A' has no coordinate 'angle'; it has none")
wrong("hold of what there is not", JOINT + "{kind: revolute, between: [ground, crank.start], hold: [speed]}\n",
      "5: joints.A.hold[0]: 'speed' must be 'angle' or 'displacement'")
wrong("hold as a word", JOINT + "{kind: revolute, between: [ground, crank.start], hold: angle}\n",
      "5: joints.A.hold: 'angle' must be a list")
wrong("hold twice", JOINT + "{kind: revolute, between: [ground, crank.start], hold: [angle, angle]}\n",
      "5: joints.A.hold[1]: 'angle' is given twice")
wrong("hold and a rate", JOINT + "{kind: revolute, between: [ground, crank.start], hold: [angle], angle_rate: 3}\n",
      "5: joints.A.hold[0]: 'angle' is held, but angle_rate says that it moves; leave out one of them")
wrong("hold and a drive",
      JOINT + "{kind: revolute, between: [ground, crank.start], hold: [angle]}\n"
      "drives:\n  motor: {joint: A, coordinate: angle, function: t}\n",
      "7: drives.motor.coordinate: joint 'A' holds its angle; leave out hold or the drive")

# -- couplings by a function
wrong("coupling of a joint", GEAR + "{kind: coupling, coordinate: B, function: 2 * A.angle}\n",
      "9: joints.G.coordinate: unknown name 'B'; known are *** (column 1)")
wrong("coupling of a rate", GEAR + "{kind: coupling, coordinate: B.angle_rate, function: 2 * A.angle}\n",
      "9: joints.G.coordinate: 'B.angle_rate' must be one coordinate of a joint, such as B.angle or B.displacement")
wrong("coupling of two coordinates", GEAR + "{kind: coupling, coordinate: B.angle + A.angle, function: 2 * A.angle}\n",
      "9: joints.G.coordinate: 'B.angle + A.angle' must be one coordinate of a joint, such as B.angle or B.displacement")
wrong("coupling by a rate", GEAR + "{kind: coupling, coordinate: B.angle, function: 2 * A.angle_rate}\n",
      "9: joints.G.function: channel 'A.angle_rate' is no coordinate of a joint; a coupling is a function of JOINT.angle, "
      "JOINT.displacement and t. For other channels use a force")
wrong("coupling by a position", GEAR + "{kind: coupling, coordinate: B.angle, function: 2 * crank.position.x}\n",
      "9: joints.G.function: channel 'crank.position.x' is no coordinate of a joint; a coupling is a function of JOINT.angle, "
      "JOINT.displacement and t. For other channels use a force")
wrong("coupling by time", GEAR + "{kind: coupling, coordinate: B.angle, function: 2 * t}\n",
      "9: joints.G.function: '2 * t' has no other coordinate of a joint in it; use a drive for a function of t alone, or hold of the joint")
wrong("coupling by a number", GEAR + "{kind: coupling, coordinate: B.angle, function: 2}\n",
      "9: joints.G.function: 2 must be an expression of coordinates of joints, such as '2 * A.angle'")
wrong("coupling by a coordinate that is not there", GEAR + "{kind: coupling, coordinate: B.angle, function: 2 * A.displacement}\n",
      "9: joints.G.function: channel 'A.displacement' of joint 'A' cannot be used in an expression; there are A.angle, A.angle_rate")
wrong("coupling of a joint that is not there", GEAR + "{kind: coupling, coordinate: D.angle, function: 2 * A.angle}\n",
      "9: joints.G.coordinate: channel 'D.angle': there is no body, joint or measure 'D'; there ***")
wrong("coupling without a function", GEAR + "{kind: coupling, coordinate: B.angle}\n",
      "9: joints.G.function: is missing; a coupling joint needs it")
wrong("coupling between joints", GEAR + "{kind: coupling, between: [A, B], function: 2 * A.angle}\n",
      "9: joints.G.coordinate: is missing; a coupling joint needs it",
      "9: joints.G.between: unknown key 'between'; there are coordinate, function, active")
wrong("coupling of a coupling", GEAR + "{kind: gear, between: [A, B], ratio: 2}\n"
      "  H: {kind: coupling, coordinate: B.angle, function: 2 * G.angle}\n",
      "10: joints.H.function: channel 'G.angle' of gear 'G' cannot be used in an expression; expressions can use ***")

# -- words of engineers, and rotations
wrong("weld", JOINT + "{kind: weld, between: [ground, crank.start]}\n",
      "5: joints.A.kind: unknown kind 'weld' of joint; did you mean 'fixed'?")
wrong("lock", JOINT + "{kind: lock, between: [ground, crank.start]}\n",
      "5: joints.A.kind: unknown kind 'lock' of joint; did you mean 'fixed'?")
wrong("hinge", JOINT + "{kind: hinge, between: [ground, crank.start]}\n",
      "5: joints.A.kind: unknown kind 'hinge' of joint; did you mean 'revolute'?")
wrong("ball", JOINT + "{kind: Ball, between: [ground, crank.start]}\n",
      "5: joints.A.kind: unknown kind 'Ball' of joint; did you mean 'spherical'?")
wrong("euler sequence", body("mass: 1, rotation: {euler: [1, 2, 3], sequence: xyz}"),
      "3: bodies.a.rotation: rotation: sequence 'xyz' of euler angles must be two letters, the first and last the same, "
      "such as zxz (world axes)")
wrong("cardan sequence", body("mass: 1, rotation: {cardan: [1, 2, 3], sequence: zxz}"),
      "3: bodies.a.rotation: rotation: sequence 'zxz' of cardan angles must be the three letters x, y, z in some order (world axes)")
wrong("cardan in metres", body("mass: 1, rotation: {cardan: [1 m, 2, 3]}"),
      "3: bodies.a.rotation: '1 m' is a length [m], an angle or plain number [rad] is due (world axes)")
wrong("cardan of two", body("mass: 1, rotation: {cardan: [1, 2]}"),
      "3: bodies.a.rotation: rotation: cardan [1, 2] must be three angles, such as [10 deg, 20 deg, 30 deg] (world axes)")
wrong("cardan about the world", body("mass: 1, rotation: {cardan: [1, 2, 3], about: world}"),
      "3: bodies.a.rotation: rotation: about 'world' must be 'moving' (axes that are carried along) or 'fixed' "
      "(axes that stay) (world axes)")
wrong("cardan and axis", body("mass: 1, rotation: {cardan: [1, 2, 3], axis: z}"),
      "3: bodies.a.rotation: rotation {cardan: [1, 2, 3], axis: 'z'} must be one of {axis: z, angle: 30 deg}, "
      "{cardan: [a, b, c], sequence: xyz}, {euler: [a, b, c], sequence: zxz} (world axes)")

# -- loads with their opposite
wrong("reaction on the same body", FORCE + "{kind: force, frame: crank.end, vector: [0, 0, 1], reaction: crank}\n",
      "7: forces.S.reaction: 'crank' is the body of frame itself; name the other body, or leave it out")
wrong("reaction on a body that is not there", FORCE + "{kind: torque, frame: crank.end, vector: [0, 0, 1], reaction: slider}\n",
      "7: forces.S.reaction: there is no body 'slider'; there ***")
wrong("reaction on a frame that is not there", FORCE + "{kind: force, frame: crank.end, vector: [0, 0, 1], reaction: ground.wall}\n",
      "7: forces.S.reaction: body 'ground' has no frame 'wall'; it has none, name it under frames")
wrong("reaction as a number", FORCE + "{kind: force, frame: crank.end, vector: [0, 0, 1], reaction: 3}\n",
      "7: forces.S.reaction: 3 must be a frame: a text such as crank.end, or {body: crank, point: [0, 0, 0]}")
wrong("reaction of a joint torque", FORCE + "{kind: joint_torque, joint: A, torque: 1, reaction: ground}\n",
      "7: forces.S.reaction: unknown key 'reaction'; there are joint, torque, active")

# -- drives by speed and acceleration
wrong("drive by speed and function", DRIVE + "{joint: A, coordinate: angle, function: t, speed: 1}\n",
      "7: drives.motor.speed: is given beside function; a drive has one of function, speed and acceleration")
wrong("drive by a speed in metres", DRIVE + "{joint: A, coordinate: angle, speed: 3 m/s}\n",
      "7: drives.motor.speed: '3 m/s' is a velocity [m/s], *** is due")
wrong("drive by a speed without integral", DRIVE + "{joint: A, coordinate: angle, speed: t * sin(t)}\n",
      "7: drives.motor.speed: its integral is not known in closed form: sin is multiplied by a function of t, or inside of one; use "
      "function= with the position, or a table of the speed or acceleration")
wrong("drive by an acceleration of a channel", DRIVE + "{joint: A, coordinate: angle, acceleration: -A.angle}\n",
      "7: drives.motor.acceleration: its integral is not known in closed form: it must depend on t alone; use function= with the position, "
      "or a table of the speed or acceleration")
