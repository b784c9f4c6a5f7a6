"""Times kernels for Triton's autotuners in as many runs as the figures want.

Triton's `do_bench` runs a function eight times or more, and fills 256 MiB in front of each
run to empty the caches of a GPU. Emulated, a run takes longer than on a GPU, and no caches
are to be emptied: those of the timing model are empty at the start of each launch.
`serve()` gives the module functions that do neither.
"""
from heddle_triton.timing import serve

__all__ = ["serve"]
