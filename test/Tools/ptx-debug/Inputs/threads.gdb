catch launch
run
next
cuda warp 2 lane 3
advance several.cu:18
info cuda warps
bt
info args
finish
next
next
next
info cuda blocks
info cuda barriers
info cuda warps
cuda kernel block thread
cuda block 1
cuda thread 128
cuda thread 127,0,0
info cuda kernels
print *(@shared float *)0@4
tbreak several.cu:38 if threadIdx.x == 96
continue
print ((float *)param_0)[threadIdx.x]
delete
continue
