"""Runs on disk, and what is computed from whole runs: recording, files of results, stresses, loads of flexible bodies."""
