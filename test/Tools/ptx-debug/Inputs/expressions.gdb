break reverse
run
print 7 / 2 + 7 % 3 * 2
print -7 / 2
print 7.0 / 2
print 1 << 31
print 1u << 31
print (char)65
print 'a' + 1
print 3 > 2 && 2 > 1 || 1 / 0
print 5 ? 6 : 7
print ~0
print (float)1 / 3
print 1.0 / 3
print (unsigned char)300
print (int)-3.99
print sizeof threadIdx
print (__half)1.5
print/x 255
print/t 10
print/o 8
print/d 0xffffffff
print/z 255
print/f 0x3f800000
print (long)-1 < 1u
print -1 < 1u
print -9223372036854775807 - 1
print $1 + 1
print $
set var $i = 5
print $i * 2
print (float)weights
print *(float *)&weights@4
print *((float *)param_0 + 1)@3
print blockDim
print gridDim.x * warpSize
ptype threadIdx.x
ptype (float *)0
set var *(float *)param_0 = 2.5
print *(float *)param_0
set var $P0 = 1
print $P0
print weights
print nothing
print 1 +
print (3
print 1 / 0
print *5
print *(int *)16
print $nothing
print threadIdx.w
print 10 @ 3
print &1
