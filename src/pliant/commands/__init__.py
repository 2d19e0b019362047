"""The commands of the command line, by theme. They import what they need when they run, so that --help is fast."""
