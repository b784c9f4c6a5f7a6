break increment.ptx:17 if blockIdx.x == 1 && threadIdx.x == 8
run
print *((unsigned *)words + 40)
stepi
set var *((unsigned *)words + 40) = 1000
info breakpoints
continue
backtrace
info cuda kernels
continue
info breakpoints
backtrace
