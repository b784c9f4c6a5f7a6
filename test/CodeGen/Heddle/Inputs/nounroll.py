"""A loop of 32 turns, with pragmas in the places given as arguments: body,
function, module. It must be left alone where there is one."""

import sys

PLACES = sys.argv[1:]
PRAGMA = '.pragma "nounroll";'


def at(place):
    return PRAGMA if place in PLACES else ""


print(""".version 8.0
.target sm_90
.address_size 64
%s
.visible .entry sum(.param .u64 p, .param .u64 q) %s
{
  .reg .b64 %%a, %%o;
  .reg .b32 %%v, %%i, %%s;
  .reg .pred %%more;
  ld.param.u64 %%a, [p];
  ld.param.u64 %%o, [q];
  mov.u32 %%i, 0;
  mov.u32 %%s, 0;
LOOP:
  %s
  ld.global.u32 %%v, [%%a];
  mad.lo.u32 %%s, %%s, 5, %%v;
  add.u64 %%a, %%a, 4096;
  add.u32 %%i, %%i, 1;
  setp.lt.u32 %%more, %%i, 32;
  @%%more bra LOOP;
  st.global.u32 [%%o], %%s;
  ret;
}""" % (at("module"), at("function"), at("body")))
