break shared.cu:20 if threadIdx.x == 3
break shared.cu:11 if threadIdx.x == 3
break shared.cu:30 if threadIdx.x == 3
run
print low[3]
print high[3]
print &high
continue
print inner[5]
up
print low[3]
continue
print low[3]
print before[6]
