break several.cu:37 if threadIdx.x == 40
run
print *((float *)param_0 + 40)
watch *((float *)param_0 + 40)
rwatch *(@shared float *)(4 * 87) if threadIdx.x == 40
info breakpoints
continue
continue
print *((float *)param_0 + 40)
reverse-stepi
print *((float *)param_0 + 40)
reverse-continue
reverse-step
reverse-next
reverse-continue
reverse-stepi
delete
continue
