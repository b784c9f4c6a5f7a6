"""Has nvcc make a library for the device alone, as programs do that compile their extensions at run time, and calls what
is in it: prints what the kernel has written."""
import ctypes
import subprocess
import sys

compiler, source, output = sys.argv[1:4]
if ctypes.CDLL("libcuda.so.1").cuInit(0):
    raise SystemExit("no driver")
subprocess.run([compiler, "-gencode=arch=compute_90,code=sm_90", "-shared", "-Xcompiler", "-fPIC", "-o", output, source],
               check=True)
host = (ctypes.c_uint32 * 4)()
if code := ctypes.CDLL(output).filled(host):
    raise SystemExit(f"CUDA gave {code}")
print(list(host))
