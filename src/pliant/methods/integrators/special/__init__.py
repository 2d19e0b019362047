"""Methods of their own: energy-momentum, DIMCD, and SUNDIALS IDA."""
