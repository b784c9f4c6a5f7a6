"""A function whose second block begins with as many PHIs of one constant as it
is told. Run as `phi-constants.py COUNT`."""

import sys

count = int(sys.argv[1])
print("define ptx_kernel void @begin(ptr addrspace(1) %p, i32 %n) {")
print("entry:\n  %skip = icmp eq i32 %n, 0\n  br i1 %skip, label %end, label %load")
print("load:")
for i in range(count):
    print(f"  %at{i} = getelementptr i32, ptr addrspace(1) %p, i32 {i}")
    print(f"  %v{i} = load volatile i32, ptr addrspace(1) %at{i}")
print("  br label %end\nend:")
for i in range(count):
    print(f"  %x{i} = phi i32 [ 77, %entry ], [ %v{i}, %load ]")
for i in range(count):
    print(f"  store volatile i32 %x{i}, ptr addrspace(1) %p")
print("  ret void\n}")
