"""What users write: bodies, joints, drives, forces and measures, with fields that know units and say what is wrong."""
