break shared.nvcc-G.ptx:85
run
info line shared.nvcc-G.ptx:85
set lines ptx
next
step
reverse-step
frame
