// Called from PTX.
float third(float x) { return x / 3 + __nvvm_read_ptx_sreg_tid_x(); }
