"""Blocks that are wrong."""
from .base import PIN, wrong


def block(text: str, rest: str = "") -> str:
    """A block in line 7."""
    return PIN + f"blocks:\n  u: {{{text}}}\n{rest}"


LOW = "kind: low_pass, input: A.angle, "
TF = "kind: transfer_function, input: A.angle, "
SS = "kind: state_space, inputs: [A.angle, t], A: [[0, 1], [-4, -2]], "
PI = "kind: pid, reference: 1, measurement: A.angle, kp: 2, "

wrong("block kind", block("kind: low_pas, input: t"), "7: blocks.u.kind: ***low_pas***did you mean 'low_pass'?***")
wrong("block no input", block("kind: low_pass, time_constant: 1"), "7: blocks.u.input: is missing; a low_pass block needs it")
wrong("block channel", block("kind: low_pass, input: A.angel, time_constant: 1"),
      "7: blocks.u.input: channel 'A.angel' of joint 'A' cannot be used in an expression; did you mean 'A.angle'?")
wrong("block of no block", block("kind: low_pass, input: w.output, time_constant: 1"),
      "7: blocks.u.input: channel 'w.output': there is no body, joint or measure 'w'***")
wrong("block output", block("kind: low_pass, input: u.outputs, time_constant: 1"),
      "7: blocks.u.input: channel 'u.outputs' of low_pass 'u' cannot ***")
wrong("block of many inputs", block("kind: state_space, inputs: [t, B.angle], A: [[-1]], B: [[1, 1]], C: [[1]]"),
      "7: blocks.u.inputs[1]: channel 'B.angle': there is no body, joint or measure 'B'***")
wrong("block time", block(LOW + "time_constant: -0.1"), "7: blocks.u.time_constant: -0.1 must be greater than zero")
wrong("block unit", block(LOW + "time_constant: 2 kg"), "7: blocks.u.time_constant: ***a time [s]***")
wrong("block unit of output", block(LOW + "time_constant: 1, unit: metres"), "7: blocks.u.unit: unknown unit 'metres'***")
wrong("block start", block(LOW + "time_constant: 1, start: rest"), "7: blocks.u.start: 'rest' must begin with a number***or steady")
wrong("block nominal", block(LOW + "time_constant: 1, nominal: 0"), "7: blocks.u.nominal: 0 must be greater than zero")
wrong("block zeta", block("kind: second_order, input: t, frequency: 2 Hz, zeta: -1"), "7: blocks.u.zeta: -1 must be at least 0")
wrong("block depth", block("kind: notch, input: t, frequency: 2 Hz, zeta: 1, depth: 1"),
      "7: blocks.u.depth: 1 must be at least 0 and less than 1")
wrong("block key", block(LOW + "time_constant: 1, gain: 2"), "7: blocks.u.gain: ***")

wrong("transfer improper", block(TF + "num: [1, 0, 2], den: [1, 3]"),
      "7: blocks.u.num: is of order 2, more than den, of order 1: the output would be a derivative of the input. Give den fast poles***")
wrong("transfer zero first", block(TF + "num: [1], den: [0, 1, 3]"),
      "7: blocks.u.den: [0, 1, 3] begins with zero; leave out coefficients before the highest power of s")
wrong("transfer order", block(TF + f"num: [1], den: {[1] * 14}"),
      "7: blocks.u.den: is of order 13, must be at most 12: ***use a state_space (StateSpace)")
wrong("transfer infinite", block(TF + "num: [1], den: [1, .inf]"), "7: blocks.u.den: ***inf*** must be finite***")
wrong("transfer not a number", block(TF + "num: [.nan], den: [1, 1]"), "7: blocks.u.num: nan must be finite***")
wrong("transfer texts", block(TF + "num: s + 1, den: [1, 1]"),
      "7: blocks.u.num: 's + 1' must be a list of numbers, the coefficients from the highest power of s down, such as [1, 2, 5]")
wrong("transfer nothing", block(TF + "num: [], den: [1, 1]"), "7: blocks.u.num: [] must be a list of numbers***")
wrong("transfer no rest", block(TF + "num: [1], den: [1, 0], start: steady"),
      "7: blocks.u.start: 'steady': with a pole at zero there is no rest at a constant input; leave it out***")
wrong("pade order", block("kind: pade, input: t, delay: 1, order: 13"), "7: blocks.u.order: 13 must be at most 12")
wrong("pade half", block("kind: pade, input: t, delay: 1, order: 1.5"), "7: blocks.u.order: 1.5 must be a whole number, at least 1")

wrong("matrix not square", block("kind: state_space, inputs: [t], A: [[0, 1]], B: [[1]], C: [[1]]"),
      "7: blocks.u.A: is 1x2, must be 1x1: as many columns as rows")
wrong("matrix B", block(SS + "B: [[0], [1]], C: [[1, 0]]"),
      "7: blocks.u.B: is 2x1, must be 2x2: the 2 rows of A, and a column for every input")
wrong("matrix C", block(SS + "B: [[0, 1], [1, 0]], C: [[1]]"), "7: blocks.u.C: is 1x1, must be 1x2: a column for each of the 2 states of A")
wrong("matrix D", block(SS + "B: [[0, 1], [1, 0]], C: [[1, 0]], D: [[1]]"),
      "7: blocks.u.D: is 1x1, must be 1x2: the rows of C, and a column for every input")
wrong("matrix ragged", block(SS + "B: [[0, 1], [1]], C: [[1, 0]]"), "7: blocks.u.B: its rows have 2, 1 entries, all must have as many")
wrong("matrix flat", block(SS + "B: [0, 1], C: [[1, 0]]"), "7: blocks.u.B: 0 must be a matrix of numbers, a list of its rows***")
wrong("matrix infinite", block(SS + "B: [[0, .inf], [1, 0]], C: [[1, 0]]"), "7: blocks.u.B: ***inf*** must be finite***")
wrong("matrix start", block(SS + "B: [[0, 1], [1, 0]], C: [[1, 0]], start: [1]"),
      "7: blocks.u.start: [1] must be a list of 2 numbers, one for every state")
wrong("matrix names", block(SS + "B: [[0, 1], [1, 0]], C: [[1, 0]], output_names: [x2]"),
      "7: blocks.u.output_names: 'x2' is there twice, or is a channel of inputs or states; choose another name")
wrong("matrix singular", block("kind: state_space, inputs: [t], A: [[0]], B: [[1]], C: [[1]], start: steady"),
      "7: blocks.u.start: steady: A is singular, there is no rest at constant inputs; give the states as a list")

wrong("limits reversed", block("kind: saturation, input: t, limits: [2, -2]"),
      "7: blocks.u.limits: [2, -2] is the wrong way round: the lower limit comes first, and must be less than the upper one")
wrong("limits one", block("kind: dead_band, input: t, limits: 2"),
      "7: blocks.u.limits: 2 must be two numbers, the lower and the upper limit, such as [-12, 12]; null where there is none")
wrong("limits none", block("kind: saturation, input: t, limits: [null, null]"), "7: blocks.u.limits: *** must have at least one number")
wrong("limits start", block("kind: integral, input: t, limits: [0, 1], start: 2"), "7: blocks.u.start: 2 must be within the limits [0, 1]")
wrong("rate limit", block("kind: rate_limit, input: t, rising: 0, time_constant: 1"), "7: blocks.u.rising: 0 must be greater than zero")
wrong("backlash width", block("kind: backlash, input: t, width: 0"), "7: blocks.u.width: 0 must be greater than zero")
wrong("noise without ticks", block("kind: sensor, input: t, noise: 0.1"),
      "7: blocks.u.noise: 0.1 needs a period: a new random number comes at every tick of it")
wrong("seed without noise", block("kind: sensor, input: t, seed: 4"), "7: blocks.u.seed: 4 goes with noise, which is not given")
wrong("quantum", block("kind: sensor, input: t, quantum: 0"), "7: blocks.u.quantum: 0 must be greater than zero")
wrong("negative noise", block("kind: sensor, input: t, noise: -1, period: 1"), "7: blocks.u.noise: -1 must be at least 0")

wrong("algebraic loop", block("kind: saturation, input: 1 - w.output, limits: [-1, 1]",
                              "  w: {kind: lead_lag, input: 2*u.output, lead: 1, lag: 2}\n"),
      "7: blocks.u: an algebraic loop: 'u.input' -> 'w.output' -> 'w.input' -> 'u.output' -> 'u.input' need each other at the same "
      "instant; put a state between them, such as a low pass")
wrong("algebraic loop of one", block("kind: saturation, input: 1 - u.output, limits: [-1, 1]"),
      "7: blocks.u: an algebraic loop: 'u.input' -> 'u.output' -> 'u.input' need each other at the same instant; put a state ***")

wrong("pid no filter", block(PI + "kd: 1"), "7: blocks.u.kd: needs N [1/s], the bandwidth of the filter of the derivative; ***")
wrong("pid limits", block(PI + "ki: 1, limits: [1, 0]"), "7: blocks.u.limits: [1, 0] is the wrong way round***")
wrong("pid tracking", block(PI + "ki: 1, tracking_time: 1"), "7: blocks.u.tracking_time: has no meaning without limits; leave it out")
wrong("pid reference", block("kind: pid, measurement: A.angle, kp: 1"), "7: blocks.u.reference: is missing; a pid block needs it")
wrong("pid measurement", block("kind: pid, reference: 1, measurement: A.angels, kp: 1"), "7: blocks.u.measurement: channel 'A.angels' ***")
