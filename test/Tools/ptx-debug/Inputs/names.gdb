break names
break names.cu:physics::twice
tbreak physics::Stack<float,4>::push if value == 7
run
print node
print half
print half * 2
print color
next
print color
continue
backtrace
print size
print this->size
print data[0]
print *this
watch size
continue
delete 4
continue
backtrace 1
finish
info locals
print inner.next->value
print *inner.next
print *(const Node *)&node
print ((Node *)inner.next)->name
print *(physics::Stack<float, 4> *)&stack
print sizeof(Node)
print node.asFloat
print node.parts
whatis node.parts
whatis inner
whatis Node *
ptype Node
print physics::counter
print counter
print physics::deep::energy
print energy * 2
print color == physics::Color::Green
print physics::Color(7)
print High
print level == physics::High
print text
print/x text[0]
print zeros
print add.threads
print add
break operator()
continue
print threads
print by
print static_cast<float>(by) / 2
print float(by) / 2
up
info cuda kernels
info scope names
info address value
info symbol names
info symbol &physics::counter
info types Node
info variables phys
whatis &stack.data
whatis (float (*)[4])0
ptype physics::Color
print 1
print 2
print $$
print $$2
info types [
break names.cu:15
break names.cu:15 if
info watchpoints
display/i $pc
