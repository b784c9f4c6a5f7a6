break triangle if threadIdx.x == 5
run
info args
next
next
info locals
print step
next
next
next
info locals
up
info locals
delete
break variables.cu:68 if threadIdx.x == 5
continue
info args
info locals
ptype p
ptype p.shape
ptype table
print p.position[1]
print p.next->position
print *p.next
print &p.position[1]
print table.rows[1]
print weights
print weights[2] + counter
print small
print/x small
print product * 2
print w
print sizeof(p)
print nothing
set var i = 3
print i
