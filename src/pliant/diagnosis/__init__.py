"""The diagnosis of models: what is wrong, redundant or doubtful, in the model's own words, before anything runs."""
from .checking import check
from .findings import CODES, FAULTS, Finding, Report
from .frequencies import highest_frequency

__all__ = ["CODES", "FAULTS", "Finding", "Report", "check", "highest_frequency"]
