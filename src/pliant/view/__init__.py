"""The viewer: a model or a run as data for a page in the browser. Formats and ways in: docs/viewer.md"""
