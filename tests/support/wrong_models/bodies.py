"""Wrong bodies: kinds, numbers, units, inertia, rotation, frames, shapes."""
from .base import ONE, body, wrong

# -- bodies
wrong("kind unknown", body("kind: rigit, mass: 1"), "3: bodies.a.kind: unknown kind 'rigit' of body; did you mean 'rigid'?")
wrong("kind of other section", body("kind: revolute, mass: 1"),
      "3: bodies.a.kind: unknown kind 'revolute' of body; a revolute stands under joints")
wrong("kind number", body("kind: 3, mass: 1"), '3: bodies.a.kind: 3 must be a word; there ***')
wrong("kind list", body("kind: [rigid], mass: 1"), "3: bodies.a.kind: ['rigid'] must be a word; there ***")
wrong("kind null", body("kind: , mass: 1"), '3: bodies.a.kind: is missing; there ***')
wrong("kind capital", body("kind: Rigid, mass: 1"), "3: bodies.a.kind: unknown kind 'Rigid' of body; did you mean 'rigid'?")
wrong("mass missing", body("position: [0, 0, 0]"), '3: bodies.a.mass: is missing; a rigid body needs it')
wrong("mass negative", body("mass: -1 kg"), '3: bodies.a.mass: -1 kg must be at least 0')
wrong("mass null", body("mass: "), "3: bodies.a.mass: no value is given, it must be a number or a text such as '2 kg'")
wrong("mass nan", body("mass: .nan"), '3: bodies.a.mass: nan must be finite; a mass [kg] is due')
wrong("mass inf", body("mass: .inf"),
      '3: bodies.a.mass: inf is too large, must be finite and within 1e+40 in SI units; a mass [kg] is due')
wrong("mass 1e400", body("mass: 1e400"),
      "3: bodies.a.mass: '1e400' is too large, must be finite and within 1e+40 in SI units; a mass [kg] is due")
wrong("mass 1e308", body("mass: 1e308"),
      '3: bodies.a.mass: 1e+308 is too large, must be finite and within 1e+40 in SI units; a mass [kg] is due')
wrong("mass length", body("mass: 2 m"), "3: bodies.a.mass: '2 m' is a length [m], a mass [kg] is due")
wrong("mass unknown unit", body("mass: 2 kgs"), "3: bodies.a.mass: '2 kgs': unknown unit 'kgs'; did you mean 'kg'?")
wrong("mass KG", body("mass: 2 KG"), "3: bodies.a.mass: '2 KG': unknown unit 'KG'; did you mean 'kg'?")
wrong("mass ton", body("mass: 2 t"), "3: bodies.a.mass: '2 t': unknown unit 't'; for 1000 kg write 'tonne'")
wrong("mass unit only", body("mass: kg"), "3: bodies.a.mass: 'kg' is a unit without a number; write for example '2 kg'")
wrong("mass comma", body("mass: '1,5 kg'"), "3: bodies.a.mass: '1,5 kg': the decimal mark is a point; write '1.5 kg'")
wrong("mass word", body("mass: heavy"), "3: bodies.a.mass: 'heavy' must begin with a number; write for example '2 kg'")
wrong("mass list", body("mass: [1]"), "3: bodies.a.mass: [1] must be a number or a text such as '2 kg'")
wrong("mass map", body("mass: {value: 1, unit: kg}"),
      "3: bodies.a.mass: {value: 1, unit: 'kg'} must be a number or a text such as '2 kg'")
wrong("mass bool", body("mass: true"), "3: bodies.a.mass: true must be a number or a text such as '2 kg'")
wrong("mass expression", body("mass: 2 * 3 kg"),
      "3: bodies.a.mass: '2 * 3 kg' is more than a number and its unit; an expression begins with '=': '=2 * 3 kg'")
wrong("mass slash", body("mass: 1/2 kg"),
      "3: bodies.a.mass: '1/2 kg' is more than a number and its unit; an expression begins with '=': '=1/2 kg'")
wrong("unit bomb", body("mass: 1 Gm^12*Gm^12"),
      "3: bodies.a.mass: '1 Gm^12*Gm^12': unit 'Gm^12*Gm^12': one of it is 1e+216 SI units, must be within 1e-100 and 1e100; "
      'use smaller exponents')
wrong("unit long", "pliant: 1\nbodies:\n  a: {mass: 1 " + "m*" * 70 + "m}\n",
      "3: bodies.a.mass: '1 m*m*m*m*m*m*m*m*m*m*m*m*m*m*m*m*m*m*m*m*m*m*m*m*'… (143 characters): unit "
      "'m*m*m*m*m*m*m*m*m*m*'...: 141 characters, must be at most 100")
wrong("unit parentheses", "pliant: 1\nbodies:\n  a: {mass: 1 " + "(" * 60 + "kg}\n",
      "3: bodies.a.mass: '1 (((((((((((((((((((((((((((((((((((((((((((((((('… (64 characters): unit "
      "'(((((((((((((((((((((((((((((((((((((((((((((((((('… (62 characters): ')' is missing")
wrong("unknown key", body("mass: 1, mas: 2"), "3: bodies.a.mas: unknown key 'mas'; did you mean 'mass'?")
wrong("unknown key far", body("mass: 1, colour: red"), "3: bodies.a.colour: unknown key 'colour'; there ***")
wrong("key case", body("Mass: 1"),
      '3: bodies.a.mass: is missing; a rigid body needs it',
      "3: bodies.a.Mass: unknown key 'Mass'; did you mean 'mass'?")
wrong("key name", body("mass: 1, name: b"), "3: bodies.a.name: unknown key 'name'; the name stands before the colon")
wrong("inertia two", ONE + "    inertia: [1, 2]\n",
      '5: bodies.a.inertia: [1, 2] must be three numbers or a 3x3 matrix [kg*m^2] (body axes, about the centre of mass)')
wrong("inertia number", ONE + "    inertia: 5\n",
      '5: bodies.a.inertia: 5 must be three numbers or a 3x3 matrix [kg*m^2] (body axes, about the centre of mass)')
wrong("inertia negative", ONE + "    inertia: [1, 1, -1]\n",
      '5: bodies.a.inertia: [1, 1, -1] has a negative principal moment; check signs of the products of inertia'
      ' (body axes, about the centre of mass)')
wrong("inertia asymmetric", ONE + "    inertia: [[1, 2, 0], [0, 1, 0], [0, 0, 1]]\n",
      '5: bodies.a.inertia: [[1, 2, 0], [0, 1, 0], [0, 0, 1]] must be symmetric (body axes, about the centre of mass)')
wrong("inertia unit", ONE + "    inertia: [1 kg, 1 kg, 1 kg]\n",
      "5: bodies.a.inertia: '1 kg' is a mass [kg], a moment of inertia [kg*m^2] is due (body axes, about the centre of mass)")
wrong("inertia mixed", ONE + "    inertia: [[1, 0, 0], 1, 1]\n",
      '5: bodies.a.inertia: [[1, 0, 0], 1, 1] must be three numbers or a 3x3 matrix [kg*m^2] (body axes, about the centre of mass)')
wrong("inertia ragged", ONE + "    inertia: [[1, 0, 0], [0, 1], [0, 0, 1]]\n",
      '5: bodies.a.inertia: [[1, 0, 0], [0, 1], [0, 0, 1]] must be three numbers or a 3x3 matrix [kg*m^2]'
      ' (body axes, about the centre of mass)')
wrong("inertia text", ONE + "    inertia: sphere\n",
      "5: bodies.a.inertia: 'sphere' must be three numbers or a 3x3 matrix [kg*m^2] (body axes, about the centre of mass)")
wrong("inertia nan", ONE + "    inertia: [.nan, 1, 1]\n",
      '5: bodies.a.inertia: nan must be finite; a moment of inertia [kg*m^2] is due (body axes, about the centre of mass)')
wrong("inertia map", ONE + "    inertia: {xx: 1, yy: 1, zz: 1}\n",
      '5: bodies.a.inertia: {xx: 1, yy: 1, zz: 1} must be three numbers or a 3x3 matrix [kg*m^2] (body axes, about the centre of mass)')
wrong("position two", ONE + "    position: [0, 0]\n", '5: bodies.a.position: [0, 0] must be a list of three numbers [m] (world axes)')
wrong("position text", ONE + "    position: here\n", "5: bodies.a.position: 'here' must be a list of three numbers [m] (world axes)")
wrong("position unit", ONE + "    position: [0, 0, 5 kg]\n",
      "5: bodies.a.position: '5 kg' is a mass [kg], a length [m] is due (world axes)")
wrong("position degrees", ONE + "    position: [0, 0, 5 deg]\n",
      "5: bodies.a.position: '5 deg' is an angle or plain number [-], a length [m] is due (world axes)")
wrong("position null", ONE + "    position:\n",
      '5: bodies.a.position: no value is given, it must be a list of three numbers [m] (world axes)')
wrong("com huge", ONE + "    com: [1e200, 0, 0]\n",
      '5: bodies.a.com: 1e+200 is too large, must be finite and within 1e+40 in SI units; a length [m] is due (body axes)')
wrong("velocity unit", ONE + "    velocity: [1 m, 0, 0]\n",
      "5: bodies.a.velocity: '1 m' is a length [m], a velocity [m/s] is due (world axes)")
wrong("angular velocity degrees", ONE + "    angular_velocity: [0, 0, 5 degrees]\n",
      "5: bodies.a.angular_velocity: '5 degrees': unknown unit 'degrees'; did you mean 'deg'? (body axes)")
wrong("rotation not orthogonal", ONE + "    rotation: [[1, 0, 0], [0, 1, 0], [0, 1, 1]]\n",
      '5: bodies.a.rotation: rotation matrix [[1, 0, 0], [0, 1, 0], [0, 1, 1]] must be orthonormal and right-handed ***')
wrong("rotation left-handed", ONE + "    rotation: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]\n",
      '5: bodies.a.rotation: rotation matrix [[1, 0, 0], [0, 1, 0], [0, 0, -1]] must be orthonormal and right-handed ***')
wrong("rotation zero quaternion", ONE + "    rotation: [0, 0, 0, 0]\n",
      '5: bodies.a.rotation: rotation [0, 0, 0, 0] must be {axis: z, angle: 30 deg}, *** , a unit quaternion [w, x, y, z], or a 3x3 ***')
wrong("rotation long quaternion", ONE + "    rotation: [1, 1, 0, 0]\n",
      '5: bodies.a.rotation: rotation [1, 1, 0, 0] must be {axis: z, angle: 30 deg}, *** , a unit quaternion [w, x, y, z], or a 3x3 ***')
wrong("rotation three", ONE + "    rotation: [0, 0, 90]\n",
      '5: bodies.a.rotation: rotation [0, 0, 90] must be {axis: z, angle: 30 deg}, *** , a unit quaternion [w, x, y, z], or a 3x3 ***')
wrong("rotation text", ONE + "    rotation: 90 deg\n",
      "5: bodies.a.rotation: rotation '90 deg' must be {axis: z, angle: 30 deg}, *** , a unit quaternion [w, x, y, z], or a 3x3 ***")
wrong("rotation map", ONE + "    rotation: {axis: z}\n",
      "5: bodies.a.rotation: rotation {axis: 'z'} must have the two entries axis and angle, such as {axis: z, angle: 30 deg} (world axes)")
wrong("rotation map unknown", ONE + "    rotation: {axis: z, angel: 3}\n",
      "5: bodies.a.rotation: rotation {axis: 'z', angel: 3} must have the two entries axis and angle, such as {axis: z, angle: 30 deg}"
      " (world axes)")
wrong("rotation angle unit", ONE + "    rotation: {axis: z, angle: 3 m}\n",
      "5: bodies.a.rotation: '3 m' is a length [m], an angle or plain number [rad] is due (world axes)")
wrong("rotation axis zero", ONE + "    rotation: {axis: [0, 0, 0], angle: 30 deg}\n",
      '5: bodies.a.rotation: axis (0, 0, 0) has no direction; give at least one component (world axes)')
wrong("rotation nan", ONE + "    rotation: [.nan, 0, 0, 0]\n",
      '5: bodies.a.rotation: rotation [nan, 0, 0, 0] must be {axis: z, angle: 30 deg}, *** , a unit quaternion [w, x, y, z], or a 3x3 ***')
wrong("frames list", ONE + "    frames: [[0, 0, 0]]\n", '5: bodies.a.frames: [[0, 0, 0]] must be a mapping of names to points')
wrong("frame two numbers", ONE + "    frames: {tip: [0, 0]}\n",
      '5: bodies.a.frames.tip.point: [0, 0] must be a list of three numbers [m] (body axes)')
wrong("frame unknown key", ONE + "    frames:\n      tip: {pont: [0, 0, 0]}\n",
      "6: bodies.a.frames.tip.pont: unknown key 'pont'; did you mean 'point'?")
wrong("frame number", ONE + "    frames: {tip: 5}\n", '5: bodies.a.frames.tip: 5 must be a list of three numbers or a mapping')
wrong("frame rotation bad", ONE + "    frames:\n      tip: {rotation: [0, 0, 0, 0]}\n",
      '6: bodies.a.frames.tip.rotation: rotation [0, 0, 0, 0] must be {axis: z, angle: 30 deg}, *** , a unit quaternion [w, x, y, '
      'z], or a 3x3 ***')
wrong("rod same points", body("mass: 1, rod: {start: [1, 0, 0], end: [1, 0, 0]}"),
      '3: bodies.a.rod: start and end are the same point; a rod needs a length')
wrong("rod missing end", body("mass: 1, rod: {start: [1, 0, 0]}"), '3: bodies.a.rod.end: is missing; a rod needs it')
wrong("rod number", body("mass: 1, rod: 5"), '3: bodies.a.rod: 5 must be a mapping')
wrong("rod typo", body("mass: 1, rod: {start: [0, 0, 0], stop: [1, 0, 0]}"),
      '3: bodies.a.rod.end: is missing; a rod needs it',
      "3: bodies.a.rod.stop: unknown key 'stop'; there ***")
wrong("rod stretch", body("mass: 1, rod: {start: [0, 0, 0], end: [1, 0, 0], velocity_at_end: [1, 0, 0]}"),
      '3: bodies.a.rod: velocity_at_start and velocity_at_end would stretch it; their parts along the rod must agree')
wrong("rod density", body("density: 7800, rod: {start: [0, 0, 0], end: [1, 0, 0]}"), '3: bodies.a.rod: density needs a radius')
wrong("mass and density", body("mass: 1, density: 7800, sphere: {radius: 1}"),
      '3: bodies.a.sphere: give either mass or density, both are given')
wrong("neither", body("sphere: {radius: 1}"), '3: bodies.a.sphere: give either mass or density, none is given')
wrong("density alone", body("density: 7800"), '3: bodies.a.density: needs a shape: rod with radius, box, cylinder, sphere or mesh')
wrong("density zero", body("density: 0, sphere: {radius: 1}"), '3: bodies.a.density: 0 must be greater than zero')
wrong("density unit", body("density: 7800 kg, sphere: {radius: 1}"),
      "3: bodies.a.density: '7800 kg' is a mass [kg], a density [kg/m^3] is due")
wrong("two shapes", body("mass: 1, sphere: {radius: 1}, box: {size: [1, 1, 1]}"),
      '3: bodies.a.sphere: box is given as well; a body has one shape')
wrong("shape and inertia", body("mass: 1, sphere: {radius: 1}, inertia: [1, 1, 1]"),
      '3: bodies.a.sphere: already gives the inertia; leave one of them out')
wrong("rod and position", body("mass: 1, rod: {start: [0, 0, 0], end: [1, 0, 0]}, position: [0, 0, 1]"),
      '3: bodies.a.rod: already gives the position; leave one of them out')
wrong("radius negative", body("mass: 1, sphere: {radius: -1}"), '3: bodies.a.sphere.radius: -1 must be greater than zero')
wrong("radius zero", body("mass: 1, sphere: {radius: 0 mm}"), '3: bodies.a.sphere.radius: 0 mm must be greater than zero')
wrong("box two", body("mass: 1, box: {size: [1, 1]}"), '3: bodies.a.box.size: [1, 1] must be a list of three entries')
wrong("box huge", body("mass: 1, box: {size: [1e200, 1e200, 1e200]}"),
      '3: bodies.a.box.size[0]: 1e+200 is too large, must be finite and within 1e+40 in SI units; a length [m] is due (body axes)',
      '3: bodies.a.box.size[1]: 1e+200 is too large, must be finite and within 1e+40 in SI units; a length [m] is due (body axes)',
      '3: bodies.a.box.size[2]: 1e+200 is too large, must be finite and within 1e+40 in SI units; a length [m] is due (body axes)')
wrong("cylinder axis", body("mass: 1, cylinder: {radius: 1, length: 1, axis: up}"),
      "3: bodies.a.cylinder.axis: axis 'up' must be one of x, y, z, -x, -y, -z or three numbers (body axes)")
wrong("point mass density", body("density: 1, point_mass: "), '3: bodies.a.point_mass: it has no volume, give its mass')
wrong("shape foreign", ONE + "    shape: {kind: cone}\n",
      "5: bodies.a.shape.kind: 'cone' must be 'rod', 'box', 'cylinder', 'sphere' or 'mesh'")
wrong("shape text", ONE + "    shape: box\n", "5: bodies.a.shape: 'box' must be a mapping")
wrong("mesh missing", body("mass: 1, mesh: {file: none.stl}"),
      "3: bodies.a.mesh.file: file 'none.stl' not found; give an STL file, seen from the folder of the model")
wrong("mesh folder", body("mass: 1, mesh: {file: .}"),
      "3: bodies.a.mesh.file: file '.' is not a file; give an STL file, seen from the folder of the model")
wrong("mesh zero device", body("mass: 1, mesh: {file: /dev/zero}"),
      "3: bodies.a.mesh.file: file '/dev/zero' is not a file; give an STL file, seen from the folder of the model")
wrong("mesh foreign", body("mass: 1, mesh: {file: m.yaml}"),
      "3: bodies.a.mesh: file 'm.yaml' is not an STL file; export the surface as STL")
wrong("mesh nul", body("mass: 1, mesh: {file: \"a\\0b\"}"),
      "3: bodies.a.mesh.file: file 'a\\x00b' not found; give an STL file, seen from the folder of the model")
wrong("mesh unit", body("mass: 1, mesh: {file: m.yaml, unit: kg}"),
      "3: bodies.a.mesh.unit: 'kg' is the unit of a mass [kg], a unit of length such as mm is due")
wrong("mesh no file", body("mass: 1, mesh: {}"), '3: bodies.a.mesh.file: is missing; a mesh needs it')
wrong("mesh long name", "pliant: 1\nbodies:\n  a: {mass: 1, mesh: {file: " + "x" * 5000 + "}}\n",
      "3: bodies.a.mesh.file: file 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'… (5000 characters) cannot be read: "
      'File name too long')
wrong("mesh path number", body("mass: 1, mesh: {file: 5}"), '3: bodies.a.mesh.file: 5 must be a text')
