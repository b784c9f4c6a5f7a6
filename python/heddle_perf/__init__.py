"""Performance regressions of kernels: measured, compared, explained.

docs/regressions.md is the guide. The command line is heddle_perf.cli; the modules
behind it are for scripts: suites (what is measured), capture and generate (kernels of
programs, and of shapes), measure (how) and fleet (on other machines), store (where
results are kept), compare (what changed), attribute with swap, forms and lines (why),
bisect (which pass or commit), coverage and report.
"""
