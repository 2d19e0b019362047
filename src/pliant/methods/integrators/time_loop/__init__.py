"""The time loops: fixed and chosen steps, rows of output, jumps of functions, checkpoints."""
