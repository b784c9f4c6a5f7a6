// Carries the precompiled header of llvm.h.
