break sum
run
backtrace
finish
next
print *(float *)param_1@4
next
