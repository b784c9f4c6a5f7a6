break variables.cu:68 if threadIdx.x == 5
run
info args
info locals
print small
ptype small
print p.shape
