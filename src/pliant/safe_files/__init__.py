"""Bytes on disk: HDF5 that survives a full disk and hostile files, and the journal of a run."""
