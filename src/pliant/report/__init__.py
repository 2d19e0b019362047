"""Models and runs as plain text: tables, summaries and progress."""
