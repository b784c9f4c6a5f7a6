break numba_variables.py:11 if blockIdx.x == 1 && threadIdx.x == 3
run
info locals
print x.shape[0]
print *x.data@4
ptype x.data
delete
continue
