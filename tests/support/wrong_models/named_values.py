"""Parameters, tables and variables that are wrong."""
from .base import PIN, wrong


def parameter(text: str, rest: str = "") -> str:
    """Parameters in line 6."""
    return PIN + f"parameters: {{{text}}}\n{rest}"


def tables(text: str, rest: str = "") -> str:
    """A table in line 7."""
    return PIN + f"tables:\n  gas: {text}\n{rest}"


def variables(text: str, rest: str = "") -> str:
    """A variable in line 7."""
    return PIN + f"variables:\n  u: {text}\n{rest}"


def mass(text: str) -> str:
    """The mass of a body in line 4, of parameters of line 2."""
    return f"pliant: 1\nparameters: {{L: 0.3 m, m0: 2 kg, n: 3}}\nbodies:\n  a: {{mass: {text}, inertia: [1, 1, 1]}}\n"


TORQUE = "forces:\n  S: {kind: torsion_spring, joint: A, stiffness: \"%s\"}\n"

wrong("parameters list", PIN + "parameters: [1, 2]\n", "6: parameters: must be a mapping of names to numbers, found [1, 2]")
wrong("= parameter unit", parameter("mm: 3"), "6: parameters.mm: name 'mm' is a unit (a length [m]); choose another, such as 'mm_0'")
wrong("= parameter function", parameter("sin: 3"), "6: parameters.sin: name 'sin' is a function of expressions; choose another")
wrong("= parameter word", parameter('"2 b": 3'),
      "6: parameters.2 b: name '2 b' must be a word of letters, digits and _ that does not begin with a digit")
wrong("= parameter nothing", parameter("b: "), "6: parameters.b: no value is given, it must be a number")
wrong("= parameter list", parameter("b: [1, 2]"), "6: parameters.b: [1, 2] must be a number")
wrong("= parameter text", parameter("b: three"), "6: parameters.b: 'three' must begin with a number; write for example '2'")
wrong("= parameter sum", parameter("b: 2*3"), "6: parameters.b: '2*3' is more than a number and its unit; ***")
wrong("= parameter unknown unit", parameter("b: 2 meters"), "6: parameters.b: unknown unit 'meters'; did you mean 'm'?")
wrong("= parameter loop", parameter('b: "=c + 1", c: "=2*b"'),
      "6: parameters.b: parameters need each other: b -> c -> b; give one of them a number",
      "6: parameters.c: unknown name 'b'; known are pi, e, c, and functions (column 3)")
wrong("= parameter of nothing", parameter('b: "=2*c"'), "6: parameters.b: unknown name 'c'; known are pi, e, b, and functions (column 3)")
wrong("= parameter dimensions", parameter('b: 2 m, c: "=b + 3 kg"'),
      "6: parameters.c: '+' of a length [m] and a mass [kg]; give numbers their units, such as 10 mm")
wrong("= parameter infinite", parameter('b: "=1/(2 - 2)"'), "6: parameters.b: / of 1, 0 is not a finite number")
wrong("= parameter condition", parameter('b: "=2 > 1"'), "6: parameters.b: a number is due, this is a condition; ***")
wrong("= parameter channel", parameter('b: "=A.angle"'),
      "6: parameters.b: tables and channels cannot stand here; a number is made of parameters")
wrong("= parameter clash", parameter("crank: 3"),
      "3: bodies.crank: the name 'crank' is taken by a parameter; names are unique in a model")

wrong("= number unknown", mass('"=m1"'),
      "4: bodies.a.mass: '=m1': unknown name 'm1'; known are pi, e, L, m0, n, and functions (column 1)")
wrong("= number dimension", mass('"=L"'), "4: bodies.a.mass: '=L' is a length [m], a mass [kg] is due")
wrong("= number empty", mass('"="'), "4: bodies.a.mass: '=': '=' has nothing after '='; write for example '=2*L'")
wrong("= number negative", mass('"=-m0"'), "4: bodies.a.mass: -2 must be at least 0")
wrong("= number syntax", mass('"=2*(m0"'), "4: bodies.a.mass: '=2*(m0': ')' is due here (column 6)")
wrong("= number unit first", mass('"=m0 kg"'),
      "4: bodies.a.mass: '=m0 kg': an operator is missing before 'kg'; write for example '2 * t' (column 4)")
wrong("= number litre", mass('"=2 L*m0/L"'), "4: bodies.a.mass: '=2 L*m0/L': an operator is missing before 'L'; ***")
wrong("= number sine", mass('"=m0*sin(L)"'),
      "4: bodies.a.mass: '=m0*sin(L)': the argument of sin must be a plain number, it is a length [m]")
wrong("= vector number", PIN.replace("end: [1, 0, 0]", 'end: ["=b", 0, 0]'),
      "3: bodies.crank.rod.end[0]: '=b': unknown name 'b'; known are pi, e, and functions (column 1)")
wrong("= gravity number", PIN + 'gravity: [0, "=-g0", 0]\n',
      "6: gravity[1]: '=-g0': unknown name 'g0'; known are pi, e, and functions (column 2)")
wrong("= duration number", parameter("b: 2 kg", 'simulate: {duration: "=b"}\n'),
      "7: simulate.duration: '=b' is a mass [kg], a time [s] is due")
wrong("duration unknown", PIN + 'simulate: {duration: "=b"}\n',
      "6: simulate.duration: '=b': unknown name 'b'; known are pi, e, and functions (column 1)")
wrong("= ground number", PIN + 'ground: {frames: {p: ["=b", 0, 0]}}\n',
      "6: ground.frames.p[0]: '=b': unknown name 'b'; known are pi, e, and functions (column 1)")
wrong("= function name", parameter("amp: 2", TORQUE % "amb*sin(t)"),
      "8: forces.S.stiffness: unknown name 'amb'; known are t, x, v, pi, e, amp, functions, and channels such as 'joint.angle'; "
      "did you mean 'amp' or 'abs'? (column 1)")

wrong("tables list", PIN + "tables: 3\n", "6: tables: must be a mapping of names to tables, found 3")
wrong("named table number", tables("5"),
      "7: tables.gas: 5 must be a mapping such as {x: [0, 1], y: [0, 5]} or {file: gas.csv, x: angle, y: pressure}")
wrong("named table key", tables("{x: [0, 1], y: [0, 1], typ: linear}"), "7: tables.gas.typ: unknown key 'typ'; ***")
wrong("named table missing", tables("{x: [0, 1]}"), "7: tables.gas: needs x and y, lists of numbers, or a file")
wrong("named table unsorted", tables("{x: [0, 1, 1], y: [0, 1, 2]}"),
      "7: tables.gas: table: x[2] = 1 follows x[1] = 1, x must increase strictly; sort the points and drop double ones")
wrong("named table kind", tables("{x: [0, 1], y: [0, 1], kind: spline}"),
      "7: tables.gas: table: kind = 'spline', must be 'cubic' or 'linear'")
wrong("named table beyond", tables("{x: [0, 1], y: [0, 1], beyond: linear}"),
      "7: tables.gas: table: beyond = 'linear', must be 'held' or 'extrapolated'")
wrong("named table entry", tables("{x: [0, one], y: [0, 1]}"),
      "7: tables.gas.x[1]: 'one' must begin with a number; write for example '2'")
wrong("named table units", tables("{x: [0, 1], y: [0, 1], units: [deg]}"), "7: tables.gas.units: ['deg'] must be a list of 2 units")
wrong("named table unit", tables("{x: [0, 1], y: [0, 1], units: [deg, barr]}"),
      "7: tables.gas.units: unknown unit 'barr'; did you mean ***")
wrong("named table dimension", tables("{x: [0, 1 m], y: [0, 1], units: [deg, bar]}"),
      "7: tables.gas.x[1]: '1 m' is a length [m], an angle or plain number [deg] is due")
wrong("named table file", tables("{file: none.csv}"), "7: tables.gas.file: file ***none.csv' not found")
wrong("named table device", tables("{file: /dev/zero}"), "7: tables.gas.file: file '/dev/zero' is not a file")
wrong("named table name", PIN + "tables:\n  step: {x: [0, 1], y: [0, 1]}\n",
      "7: tables.step: name 'step' is a function of expressions; choose another")
wrong("grid rows", tables("{x: [0, 1], y: [0, 1, 2], z: [[0, 1], [2, 3]]}"),
      "7: tables.gas: table: z has 2 rows of 2, must be 2 rows (one for each x) of 3")
wrong("grid ragged", tables("{x: [0, 1], y: [0, 1], z: [[0, 1], [2]]}"),
      "7: tables.gas: table: z = [[0, 1], [2]], must be a list of rows of numbers in SI units, one row for each x")
wrong("grid and file", tables("{file: a.csv, grid: b.csv}"), "7: tables.gas.grid: file is given as well; ***")
wrong("table arguments", tables("{x: [0, 1], y: [0, 1]}", TORQUE % "gas(x, v)"),
      "9: forces.S.stiffness: 'gas' takes 1 argument, 2 are given (column 1)")
wrong("table without call", tables("{x: [0, 1], y: [0, 1]}", TORQUE % "2*gas"),
      "9: forces.S.stiffness: 'gas' is a table; write 'gas(...)' (column 3)")
wrong("table mistyped", tables("{x: [0, 1], y: [0, 1]}", TORQUE % "gaz(x)"),
      "9: forces.S.stiffness: unknown function 'gaz'; did you mean 'gas'? (column 1)")

wrong("variable unit name", PIN + "variables:\n  kg: 2*t\n",
      "7: variables.kg: name 'kg' is a unit (a mass [kg]); choose another, such as 'kg_0'")
wrong("variable unknown", variables("2*w"), "7: variables.u.expression: unknown name 'w'; ***")
wrong("variable channel", variables("2*A.angel"),
      "7: variables.u.expression: channel 'A.angel' of joint 'A' cannot be used in an expression; did you mean 'A.angle'?")
wrong("variable missing item", variables("2*B.angle"),
      "7: variables.u.expression: channel 'B.angle': there is no body, joint or measure 'B'***")
wrong("variable itself", variables("u + 1"), "7: variables.u.expression: variables need each other: u -> u; break the loop")
wrong("variable condition", variables("A.angle > 1"), "7: variables.u.expression: a number is due, this is a condition; ***")
wrong("variable list", variables("[1, 2]"), "7: variables.u: [1, 2] must be a mapping such as {expression: 2 * A.angle}")
wrong("variable key", variables("{expr: 2*t}"), "7: variables.u.expression: is missing; a variable needs it",
      "7: variables.u.expr: unknown key 'expr'; there are expression, unit, active")
wrong("variable unit", variables("{expression: 2*t, unit: mps}"), "7: variables.u.unit: unknown unit 'mps'; ***")
wrong("variable clash", variables("2*t", "parameters: {u: 3}\n"),
      "7: variables.u: the name 'u' is taken by a parameter; names are unique in a model")
wrong("variable in a drive", variables("A.angle", "drives:\n  d: {joint: A, coordinate: angle, function: 2*u}\n"),
      "9: drives.d.function: its function must depend on t alone; use a force or torque for feedback")
