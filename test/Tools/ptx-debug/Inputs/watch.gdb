break triangle if threadIdx.x == 5
run
watch sum
watch threadIdx.x
rwatch $R4
info breakpoints
continue
continue if nothing
continue
reverse-continue
print sum
continue
continue
continue
info breakpoints
delete
stepi
watch $R4 if $R4 != 0
continue
reverse-stepi
info registers R4
delete
continue
