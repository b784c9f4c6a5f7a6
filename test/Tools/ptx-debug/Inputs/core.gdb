backtrace
print threadIdx
print *((unsigned *)(words - 252))@4
x/dw words
info cuda kernels
x/i $pc
set var *(int *)words = 5
stepi
continue
reverse-stepi
run
