"""Evidence: the verification book, benchmarks with other programs, and studies of methods."""
