"""The diagnosis of models: what is wrong, redundant or doubtful, in the model's own words, before anything runs."""
from ..compile.vibration import highest_frequency
from ..report.finding import Finding
from .checking import check
from .findings import CODES, FAULTS, Report

__all__ = ["CODES", "FAULTS", "Finding", "Report", "check", "highest_frequency"]
