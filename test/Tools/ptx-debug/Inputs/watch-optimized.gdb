break triangle if threadIdx.x == 5
run
next
watch sum
delete 1
continue
continue
reverse-continue
print sum
continue
continue
continue
continue
