//===- HeddleTextureObjects.td - Texture objects in memory -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime writes into memory and the texture unit reads: handles, the
// descriptors of images and samplers, texel formats, filtering.
//
//===----------------------------------------------------------------------===//

// A field of a descriptor; offset and size in bytes. Little-endian.
class DescriptorField<int offset, int size, string meaning> {
  int Offset = offset;
  int Bytes = size;
  string Meaning = meaning;
}
// An image: texture or surface. The records' names begin with the object's.
class ImageField<int offset, int size, string meaning>
    : DescriptorField<offset, size, meaning>;
class SamplerField<int offset, int size, string meaning>
    : DescriptorField<offset, size, meaning>;

def IMAGE_Base : ImageField<0, 8, "device address of level 0, aligned to 16 bytes">;
def IMAGE_Width : ImageField<8, 4, "texels in a row of level 0">;
def IMAGE_Height : ImageField<12, 4, "rows of level 0; 1 for D1 and A1">;
def IMAGE_Depth : ImageField<16, 4, "slices of level 0 of D3; layers of an array, six a cube; else 1">;
def IMAGE_RowPitch : ImageField<20, 4, "bytes from a row of level 0 to the next">;
def IMAGE_SlicePitch : ImageField<24, 8, "bytes from a slice or layer of level 0 to the next">;
def IMAGE_Geometry : ImageField<32, 1, "as the modifier geom of TEX">;
def IMAGE_Format : ImageField<33, 1, "of a component; see below">;
def IMAGE_Channels : ImageField<34, 1, "components of a texel: 1, 2 or 4">;
def IMAGE_Levels : ImageField<35, 1, "levels of a mipmap; 0 if the image is none">;
def IMAGE_Samples : ImageField<36, 1, "samples of a texel; 0 if the image has only one">;
def IMAGE_Normalized : ImageField<37, 1, "1: coordinates run from 0 to 1">;
def IMAGE_Linear : ImageField<38, 1, "1: ordinary memory, not an array of the runtime; a reply to TXQ only">;

def SAMPLER_Address0 : SamplerField<0, 1, "addressing along x: 0 wrap, 1 mirror, 2 clamp as OpenGL's CLAMP, 3 clamp to edge, 4 clamp to border">;
def SAMPLER_Address1 : SamplerField<1, 1, "along y">;
def SAMPLER_Address2 : SamplerField<2, 1, "along z">;
def SAMPLER_Filter : SamplerField<3, 1, "0 nearest, 1 linear">;
def SAMPLER_MipFilter : SamplerField<4, 1, "between levels, likewise">;
def SAMPLER_Compare : SamplerField<5, 1, "of depths: bit 0 less, bit 1 equal, bit 2 greater">;
def SAMPLER_Unnormalized : SamplerField<6, 1, "1: overrides the image's normalized coordinates">;
def SAMPLER_Valid : SamplerField<7, 1, "1 in every sampler">;
def SAMPLER_Bias : SamplerField<8, 2, "added to the level of detail; signed, in 1/256">;
def SAMPLER_MinLod : SamplerField<10, 2, "least level of detail, in 1/256">;
def SAMPLER_MaxLod : SamplerField<12, 2, "greatest level of detail, in 1/256">;
def SAMPLER_Border : SamplerField<16, 16, "the border's colour: four components of 32 bits, as a lookup returns them">;

// Sizes of the descriptors, and the parts of a handle.
class TextureConstant<int value, string meaning> {
  int Value = value;
  string Meaning = meaning;
}
def TEXTURE_ImageBytes : TextureConstant<64, "bytes of an image's descriptor">;
def TEXTURE_SamplerBytes : TextureConstant<32, "bytes of a sampler's descriptor">;
def TEXTURE_SamplerShift : TextureConstant<32, "lowest bit of the sampler's index in a handle; the image's is in bits 31..0">;
def TEXTURE_SamplerBits : TextureConstant<24, "bits of the sampler's index">;
def TEXTURE_KindShift : TextureConstant<56, "lowest bit of the kind of a handle">;
def TEXTURE_KindTexture : TextureConstant<1, "kind of a texture, with its own sampler if it has one">;
def TEXTURE_KindSampler : TextureConstant<2, "kind of a sampler">;
def TEXTURE_KindSurface : TextureConstant<3, "kind of a surface">;
def TEXTURE_LevelAlign : TextureConstant<256, "bytes to which each level of a mipmap after the first is aligned">;
def TEXTURE_RowAlign : TextureConstant<32, "bytes to which a row of such a level is padded">;

// A component in memory. DataType is what TXQ.TYPE gives, OpenCL's number.
class TexelFormat<int number, string name, int width, int dataType,
                  string meaning> {
  int Code = number;
  string Name = name;
  int Bits = width;
  int DataType = dataType;
  string Meaning = meaning;
}
def TF_U8 : TexelFormat<0, "u8", 8, 0x10DA, "unsigned integer">;
def TF_U16 : TexelFormat<1, "u16", 16, 0x10DB, "unsigned integer">;
def TF_U32 : TexelFormat<2, "u32", 32, 0x10DC, "unsigned integer">;
def TF_S8 : TexelFormat<3, "s8", 8, 0x10D7, "signed integer">;
def TF_S16 : TexelFormat<4, "s16", 16, 0x10D8, "signed integer">;
def TF_S32 : TexelFormat<5, "s32", 32, 0x10D9, "signed integer">;
def TF_UNORM8 : TexelFormat<6, "unorm8", 8, 0x10D2, "the integer over 255">;
def TF_UNORM16 : TexelFormat<7, "unorm16", 16, 0x10D3, "the integer over 65535">;
def TF_SNORM8 : TexelFormat<8, "snorm8", 8, 0x10D0, "the signed integer over 127, at least -1">;
def TF_SNORM16 : TexelFormat<9, "snorm16", 16, 0x10D1, "the signed integer over 32767, at least -1">;
def TF_F16 : TexelFormat<10, "f16", 16, 0x10DD, "half precision">;
def TF_F32 : TexelFormat<11, "f32", 32, 0x10DE, "single precision">;

def PAGE_09_texture_objects : ManualPage<"texture-objects", "Texture objects and filtering", [{
Images and samplers are described by two tables in device memory, which the
runtime fills and whose addresses it gives to the device. A handle of 64 bits
names an image and a sampler:

@TEXTURE_CONSTANTS

The operand `a` of a lookup takes the image's index from its low register and the
sampler's from its high one, whatever the kinds say. A texture that was made with
a sampler names both. To combine a texture with another sampler take the low
register of the one handle and the high register of the other. An index beyond its
table or of an empty entry is the fault `invalid-handle`, and so is an image of another
geometry than the instruction's. One of D1 that is no linear memory may be looked up as
one of D2 with a single row.

A variable of PTX's type `.texref`, `.samplerref` or `.surfref` is eight bytes of
global memory with the handle, and so is a parameter of such a type.

## Images

@IMAGE_FIELDS

All other bytes are zero. The texel at (x, y, z) of level 0 is at
`Base + z SlicePitch + y RowPitch + x T`, T being the texel's size; sample s of a
texel is at `(x Samples + s) T`. The following levels stand behind level 0: level
l is max(1, W >> l) texels wide, and so on for height and, of D3, depth; its rows
are padded to 32 bytes, its slices lie one behind the other, and it begins at the
next multiple of 256 bytes after the level before, counted from the base.

## Formats

@TEXEL_FORMATS

Integers are returned as 32-bit integers, all other formats in single precision
(UNORM and SNORM rounded to nearest). Components that the format lacks are 0, the
fourth 1 (for integer formats the integer 1). `TXQ.ORDER` gives 0x10B0 for one
channel, 0x10B2 for two and 0x10B5 for four. A formatted store rounds to nearest
and clamps to the format's range; NaN becomes 0 in UNORM and SNORM.

## Samplers

@SAMPLER_FIELDS

## Lookups

*Coordinates.* With `INT` they are texel positions, and the level of detail a
level, read as signed integers; a texel outside the image is all zeros, the
sampler is not looked at. Otherwise a
coordinate s is read in single precision and u = s N, N being the level's extent,
or u = s where coordinates are not normalized; NaN counts as 0. Nearest: i is
floor(u). Linear: v is (u - 1/2) 256 rounded to an integer (ties upwards), i is
v >> 8, and the weight of texel i + 1 is (v & 255) / 256, that of i the rest:
weights have nine bits of which eight are a fraction. Before all that u is clamped
to the range of a signed integer of 32 bits.

*Addressing.* Offsets are added to i. Then, along each axis: wrap takes i modulo
N; mirror takes i modulo 2 N, and 2 N - 1 - i in the second half; clamp to edge
takes the nearest index; clamp to border returns the border's colour outside.
OpenGL's clamp is clamp to border after u was clamped to 0 to N, with nearest
filtering clamp to edge. Where coordinates are not normalized, wrap and mirror act
as clamp to edge.

*Layers.* A layer is an unsigned integer, clamped to the last one. Multi-sampled
images take `INT` only; a sample beyond the last is zeros.

*Cubes.* The largest of |x|, |y|, |z| selects the face (of equal ones z before y
before x): +x, -x, +y, -y, +z, -z are layers 0 to 5. With m its magnitude the
coordinates in the face are (sc / m + 1) / 2 and (tc / m + 1) / 2, in single
precision:

| face | +x | -x | +y | -y | +z | -z |
|---|---|---|---|---|---|---|
| sc | -z | z | x | x | x | -x |
| tc | -y | -y | z | -z | -y | -y |

Lookups do not cross to another face: coordinates are normalized and clamp to
edge.

*Level of detail.* l is a fixed-point number with eight bits of fraction: `LEVEL`
rounds c to nearest (NaN counts as 0); `GRAD` takes half of the logarithm to base 2
of the larger of the two sums of squares of the gradients, each times the level 0
extent of its axis if coordinates are normalized; sums and squares are in single
precision, the logarithm is cut off. Bias is added, l clamped to the sampler's
limits and to 0 and the last level. Nearest takes the level (l + 128) >> 8, linear
blends l >> 8 and the next with the weight (l & 255) / 256. For cubes the gradients
are those of the coordinates in the face, (dsc m - sc dm) / (m m) / 2 and likewise
for tc. Without `LEVEL` and `GRAD` the level is 0 whatever the sampler says.

*Filtering.* Integer formats are never filtered, nor blended between levels. A component is the sum, in double
precision, of its texels each times the product of its weights: first along x, then
y, then z; a texel of weight 0 does not count. Levels are blended likewise. The sum
is rounded once to single precision.

*Comparison.* With `DC` the first component of each texel becomes 1 if the operand
compares with it (operand less, equal or greater than texel, by the sampler's
bits), else 0; all four components of the result are the filtered value.

## Surfaces

Coordinates are integers. An access to bytes x to x + n - 1 is outside unless all
of them are in the row; a layer beyond the last is outside too. Clamping brings
each coordinate to the nearest place at which the access fits. An access must be
aligned to its size.
}]>;

def PAGE_17_texture : OperationPage<"texture", "Textures and surfaces", 0xA4, 0xA9, [{
[Texture objects](texture-objects.md) has handles, formats and the arithmetic.
}]>;
