"""A kernel that writes one number, for tests of what is told of launches."""
PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry touch(.param .u64 data)
{
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [data];
  st.global.u32 [%d1], 7;
  ret;
}
"""
