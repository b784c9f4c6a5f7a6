break ackermann if threadIdx.x == 1
run
tbreak ackermann if threadIdx.x == 1
commands
bt
print threadIdx.x
end
delete 1
continue
stepi 4
reverse-stepi 4
finish
reverse-stepi
bt
reverse-finish
up
print $R0
info registers pc
down
continue
