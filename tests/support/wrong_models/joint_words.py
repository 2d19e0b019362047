"""Wrong loads on joints, joints at a point, held coordinates and couplings."""
from .base import FORCE, wrong

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
      "7: forces.S.function: unknown key 'function'; there are joint, torque")
wrong("joint torque misspelt", FORCE + "{kind: joint_torqe, joint: A, torque: 5}\n",
      "7: forces.S.kind: unknown kind 'joint_torqe' of force; did you mean 'joint_torque'?")
wrong("torque on a joint", FORCE + "{kind: torque, frame: A, vector: [0, 0, 1]}\n",
      "7: forces.S.frame: there is no body 'A'; there is a joint of this name. Name a body, or use joint_torque or joint_force "
      "(JointTorque, JointForce) for a load between the two bodies of a joint")
