break triton_launch.py:28 if blockIdx.x == 1 && blockIdx.y == 1 && threadIdx.x >= 96
run
print blockIdx
delete
continue
