"""Writes PTX with 27 kernels that have nothing in common, which are compiled at once."""

print(".version 8.0\n.target sm_80\n.address_size 64")
for kernel in range(27):
    body = "\n".join(
        f"  mad.lo.u32 %r2, %r{1 + i % 2}, {3 + kernel + i}, %r2;\n  xor.b32 %r1, %r1, %r2;"
        for i in range(150)
    )
    print(
        f""".visible .entry kernel{kernel}(.param .u64 words) {{
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [words];
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd2, %r3, 4;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.u32 %r1, [%rd1];
  mov.u32 %r2, {kernel};
{body}
  st.global.u32 [%rd1], %r1;
  ret;
}}"""
    )
