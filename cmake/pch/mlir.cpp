// Carries the precompiled header of mlir.h.
