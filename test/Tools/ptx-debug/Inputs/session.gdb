break square
break scale.cu:14 if blockIdx.x == 1 && threadIdx.x == 5
run
bt
info breakpoints
up
finish
delete 1
continue
print threadIdx
print blockIdx.x * blockDim.x + threadIdx.x
print *((float *)param_0 + 69)@3
x/3fw (float *)param_1 + 69
list 12,14
echo block (1,0,0)\n
cuda warp 1
print laneid
delete
continue
