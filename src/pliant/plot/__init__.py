"""Pictures with matplotlib: channels over time, the mechanism, films, spectra, stresses."""
