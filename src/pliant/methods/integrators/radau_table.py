"""Where the numbers of Radau IIA are in its table; see `implicit_tables`."""
C, A, INVERSE, REAL, COMPLEX, X_REAL, X_COMPLEX, Y_REAL, Y_COMPLEX, SLOPE, AHEAD_V, AHEAD_L, BASIS, BUBBLE, POWERS = (
    0, 3, 12, 21, 22, 24, 27, 33, 36, 42, 45, 54, 58, 67, 71)
