frobnicate
continue
info registers
break
delete x
enable 7
kill
catch throw
set 5
set scheduler-locking perhaps
print threadIdx
source nowhere.gdb
break nothing
break reverse
run
break nothing
break several.cu:1000
break *3
watch $R0
watch threadIdx.x
info locals
finish
reverse-finish
up
print/q 5
info registers R300
info cuda everything
cuda kernel 5
cuda sm 1000
reverse-stepi
run
kill
