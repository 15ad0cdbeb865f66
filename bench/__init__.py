"""Benchmarks: each beside something outside, in one run. README.md explains every figure."""
