def SYS_vprintf : SystemCall<1, "vprintf", 4, 1, "formats and prints">;
