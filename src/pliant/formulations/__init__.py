"""How the equations of motion are formed, for integrators that leave the choice: one file of kernels each."""
