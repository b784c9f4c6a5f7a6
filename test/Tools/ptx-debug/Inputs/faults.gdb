run
stepi
reverse-stepi
print laneid
continue
continue
