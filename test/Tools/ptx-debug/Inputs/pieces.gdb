break pieces.cu:23 if threadIdx.x == 5 && r.begin == 21
break pieces.cu:29 if threadIdx.x == 5
run
info locals
print best.at + 1
print sums[0] * 2
print sums[2]
print &best
continue
print r
print r.end
