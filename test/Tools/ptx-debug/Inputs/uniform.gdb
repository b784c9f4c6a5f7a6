break uniform.cu:15 if blockIdx.x == 1 && threadIdx.x == 33
run
info locals
print base
continue
print k
