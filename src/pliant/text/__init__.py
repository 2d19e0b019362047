"""Models as text: YAML in and out, with the line of every problem."""
