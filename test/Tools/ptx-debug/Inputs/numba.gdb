break numba_lines.py:10 if blockIdx.x == 1 && threadIdx.x == 3
run
backtrace
delete
continue
