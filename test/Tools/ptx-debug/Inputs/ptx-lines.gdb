break scale.nvcc-lineinfo.ptx:58 if threadIdx.x == 3
run
info breakpoints
x/i $pc
info line scale.nvcc-lineinfo.ptx:82
list scale.nvcc-lineinfo.ptx:59
list 59,60
backtrace
set lines ptx
show lines
frame
next
tbreak 82
set lines source
continue
break scale.nvcc-lineinfo.ptx:500
break scale.cu:17
