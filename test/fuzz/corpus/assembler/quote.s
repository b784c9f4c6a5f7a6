MOV R0, "never closed
