break tensor.ptx:23 if threadIdx.x == 3
break tensor.ptx:30 if threadIdx.x == 3
break tensor.ptx:42 if threadIdx.x == 40
info cuda tensor
run
info cuda mbarriers
info cuda tensor
print *(@tensor unsigned *)0
cuda warp 1
stepi 20
cuda warp 0 lane 3
continue
info cuda tensor
info cuda mbarriers
print *(@tensor unsigned *)0x30000@2
print ((@tensor unsigned *)0x40000)[1]
x/4xw (@tensor unsigned *)0x50000
set var *(@tensor unsigned *)0x30000 = 1234
print *(@tensor unsigned *)0x30020
generate-core-file
continue
info cuda tensor
info cuda mbarriers
print ((unsigned *)out)[3]
continue
