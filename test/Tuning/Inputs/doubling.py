"""usage: doubling.py N: a kernel that calls the last of N functions, each of
which calls the one before it twice"""

import sys

CALL = """  {{
    .param .b32 in, out;
    st.param.u32 [in], %r{0};
    call (out), f{1}, (in);
    ld.param.u32 %r{2}, [out];
  }}"""

count = int(sys.argv[1])
print(".version 8.0\n.target sm_90\n.address_size 64")
for i in range(count):
    print(f".func (.param .b32 result) f{i}(.param .b32 value) {{")
    print("  .reg .b32 %r<3>;\n  ld.param.u32 %r0, [value];")
    if i == 0:
        print("  mad.lo.u32 %r1, %r0, %r0, 3;")
    else:
        print(CALL.format(0, i - 1, 1))
        print(f"  add.u32 %r1, %r1, {i};")
        print(CALL.format(1, i - 1, 2))
        print("  xor.b32 %r1, %r1, %r2;")
    print("  st.param.u32 [result], %r1;\n  ret;\n}")
print(".visible .entry doubling(.param .u64 p) {")
print("  .reg .b32 %r<2>;\n  .reg .b64 %rd<2>;\n  ld.param.u64 %rd0, [p];")
print("  cvta.to.global.u64 %rd0, %rd0;\n  ld.global.u32 %r0, [%rd0];")
print(CALL.format(0, count - 1, 1))
print("  st.global.u32 [%rd0], %r1;\n  ret;\n}")
