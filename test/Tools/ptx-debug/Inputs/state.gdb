backtrace
info registers
info cuda blocks
info cuda warps
info cuda lanes
info cuda threads
info cuda barriers
print threadIdx
print *(float *)param_0@128
print *(@shared float *)0@128
print weights
print *(float *)&weights@4
disassemble
