"""Wrong loads that are spread over bodies. Those that need the file of a part are in tests/items/test_distributed_loads.py."""
from .base import FORCE, TWO, wrong

LINE = FORCE + "{kind: line_load, start: crank.start, end: crank.end, "

wrong("line load without force", FORCE + "{kind: line_load, start: crank.start, end: crank.end}\n",
      "7: forces.S.force: is missing; a line_load force needs it")
wrong("line load in newton", LINE + "force: [0, 5 N, 0]}\n",
      "7: forces.S.force: '5 N' is a force [N], a stiffness [N/m] is due (body axes***")
wrong("line load with one number", LINE + "force: 5 N/m}\n",
      "7: forces.S.force: '5 N/m' must be a list of three numbers [N/m] (body axes***")
wrong("line load of two numbers at its end", LINE + "force: [0, 1, 0], force_at_end: [1, 2]}\n",
      "7: forces.S.force_at_end: [1, 2] must be a list of three numbers [N/m] (body axes***")
wrong("line load in axes of the world on a rigid body", LINE + "axes: world, force: [0, 1, 0]}\n",
      "7: forces.S.axes: a load on the rigid body 'crank' turns with it; one that does not is a force (Force) at the middle of its line")
wrong("line load with a factor in newton", LINE + "force: [0, 1, 0], factor: 5 N}\n",
      "7: forces.S.factor: '5 N' is a force [N], ***")
wrong("line load with a factor of x", LINE + "force: [0, 1, 0], factor: 2 * x}\n",
      "7: forces.S.factor: unknown name 'x'; known are *** (column 5)")
wrong("line load with a factor of a channel that is not there", LINE + "force: [0, 1, 0], factor: 2 * A.angel}\n",
      "7: forces.S.factor: channel 'A.angel' of joint 'A' cannot be used in an expression; did you mean 'A.angle'?")
wrong("line load from nowhere", FORCE + "{kind: line_load, start: crank.begin, end: crank.end, force: [0, 1, 0]}\n",
      "7: forces.S.start: body 'crank' has no frame 'begin'***")
wrong("line load of no length", FORCE + "{kind: line_load, start: crank.start, end: crank.start, force: [0, 1, 0]}\n",
      "7: forces.S.end: is where start is; the line has no length")
wrong("line load on the ground", FORCE + "{kind: line_load, start: ground, end: {body: ground, point: [1, 0, 0]}, force: [0, 1, 0]}\n",
      "7: forces.S.start: the ground does not move; name two frames of a body")
wrong("line load on two bodies", TWO + "forces:\n  S: {kind: line_load, start: crank.start, end: arm.end, force: [0, 1, 0]}\n",
      "6: forces.S.end: 'arm.end' is on another body than 'crank.start'; a line load is on one body")
wrong("line load misspelt", FORCE + "{kind: lineload, start: crank.start, end: crank.end, force: [0, 1, 0]}\n",
      "7: forces.S.kind: unknown kind 'lineload' of force; did you mean 'line_load'?")
wrong("distributed load on a rigid body", FORCE + "{kind: distributed_load, body: crank, load: wind}\n",
      "7: forces.S.body: body 'crank' is rigid; a distributed load is of a flexible body, whose part names it. Take line_load (LineLoad) "
      "or force (Force) for a rigid body")
wrong("distributed load on nothing", FORCE + "{kind: distributed_load, body: crnk, load: wind}\n",
      "7: forces.S.body: there is no body 'crnk'; did you mean 'crank'?")
wrong("distributed load on a joint", FORCE + "{kind: distributed_load, body: A, load: wind}\n",
      "7: forces.S.body: there is no body 'A'; there is a joint of this name. ***")
wrong("distributed load without a name", FORCE + "{kind: distributed_load, body: crank}\n",
      "7: forces.S.load: is missing; a distributed_load force needs it")
wrong("distributed load by a number", FORCE + "{kind: distributed_load, body: crank, load: 5}\n",
      "7: forces.S.load: 5 must be a text***")
wrong("wind as a kind", FORCE + "{kind: wind, body: crank, load: wind}\n",
      "7: forces.S.kind: unknown kind 'wind' of force; did you mean 'distributed_load'?")

# -- sections by other names
wrong("groups as a section", "pliant: 1\ngroups: {both: [a, b]}\n",
      "2: groups: unknown key 'groups'; groups stand under measures, such as {moving: {kind: group, bodies: [crank, rod]}}")
wrong("loads as a section", "pliant: 1\nloads: {}\n", "2: loads: unknown key 'loads'; did you mean 'forces'?")
wrong("sub-assemblies as a section", "pliant: 1\nsub-assemblies: {}\n",
      "2: sub-assemblies: unknown key 'sub-assemblies'; did you mean 'include'?")
