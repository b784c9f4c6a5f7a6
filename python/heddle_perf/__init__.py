"""Performance regressions of kernels: measured, compared, explained.

docs/regressions.md is the guide. The command line is heddle_perf.cli; the modules
behind it are for scripts: suites (what is measured), measure (how), store (where
results are kept), compare (what changed), attribute (why) and report.
"""
