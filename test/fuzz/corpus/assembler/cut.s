@
@!
@P0
@P0 {stall=1}
FADD {
MOV R0, %
MOV R0, %const(
LDG R0, [R2 + R4
LDG R0, [
FADD R0, -|R1, R2
FADD R0, R1, -(
