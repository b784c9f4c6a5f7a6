//===- HeddleInstrTexture.td - Textures and surfaces -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are groups of registers, so that every geometry has one encoding:
//   a  handle (HeddleTextureObjects.td)
//   b  coordinates, in PTX's order: the array's layer, the sample, then x, y, z
//   c  level of detail or the gradients along x; the texel offset is the fourth
//   e  the gradients along y; the depth to compare with is the fourth
// A group of which nothing is used may be RZ.
//
//===----------------------------------------------------------------------===//

def OP_TEX : ISAOp<0xA4, LC_TEX, "Texture lookup",
  "d = the four components of the texel at b, or of the filtered texels around it; texture-objects.md has the arithmetic. INT: coordinates are whole texels, nothing is filtered. LEVEL: c is the level of detail, with INT a level; GRAD: c and e are the gradients; else the level is 0. OFF: bits 3..0, 7..4 and 11..8 of the fourth register of c are signed offsets in texels. DC: every texel becomes 1 where the fourth register of e compares with it as the sampler says, else 0, before filtering.">;
let mayLoad = 1 in
def TEX : HInst<OP_TEX, FormR, (outs GPR128:$d),
    (ins GPR64:$a, GPR128:$b, GPR128:$c, GPR128:$e, ImageGeometry:$geom,
         IntCoords:$cint, LodMode:$lod, TexOffset:$off, DepthCompare:$dc),
    "$geom$cint$lod$off$dc $d, [$a, $b], $c, $e">;

def OP_TLD4 : ISAOp<0xA5, LC_TEX, "Texture gather",
  "d = one component of the four texels that a linear lookup at level 0 would blend, counterclockwise from lower left: (x0, y1), (x1, y1), (x1, y0), (x0, y0). Geometries D2, A2, CUBE and ACUBE. OFF and DC as in TEX.">;
let mayLoad = 1 in
def TLD4 : HInst<OP_TLD4, FormR, (outs GPR128:$d),
    (ins GPR64:$a, GPR128:$b, GPR128:$c, GPR128:$e, ImageGeometry:$geom,
         TexOffset:$off, DepthCompare:$dc, TexComponent:$comp),
    "$comp$geom$off$dc $d, [$a, $b], $c, $e">;

def OP_TXQ : ISAOp<0xA6, LC_TEX, "Image query",
  "d = a property of the texture, surface or sampler; b is the level of detail for WIDTH, HEIGHT and DEPTH. ARRAY is the number of layers of an array, LEVELS of levels of a mipmap, SAMPLES of samples, each 0 if the image has none. UNNORMALIZED, FILTER and ADDRESS0 to ADDRESS2 are the sampler's.">;
let mayLoad = 1 in
def TXQ : HInst<OP_TXQ, FormR, (outs GPR32:$d),
    (ins GPR64:$a, GPR32:$b, ImageQuery:$query), "$query $d, [$a], $b">;

defvar OutOfImageMeaning = " Outside the surface: TRAP is a fault, CLAMP takes the nearest place inside, ZERO reads zeros and drops writes.";

def OP_SULD : ISAOp<0xA7, LC_TEX, "Surface load",
  !strconcat("d = size bits at b, extended with zeros. x counts bytes.", OutOfImageMeaning)>;
let mayLoad = 1 in
def SULD : HInst<OP_SULD, FormR, (outs GPR128:$d),
    (ins GPR64:$a, GPR128:$b, ImageGeometry:$geom, ImageSize:$size,
         CacheOp:$cache, OutOfImage:$oob),
    "$size$geom$cache$oob $d, [$a, $b]">;

def OP_SUST : ISAOp<0xA8, LC_TEX, "Surface store",
  !strconcat("The size bits at b = c. x counts bytes. With FMT x counts texels, size is ignored, and the registers of c are the texel's components, converted to the surface's format.", OutOfImageMeaning)>;
let mayStore = 1 in
def SUST : HInst<OP_SUST, FormR, (outs),
    (ins GPR64:$a, GPR128:$b, GPR128:$c, ImageGeometry:$geom, ImageSize:$size,
         CacheOp:$cache, OutOfImage:$oob, Formatted:$fmt),
    "$size$geom$fmt$cache$oob [$a, $b], $c">;

def OP_SURED : ISAOp<0xA9, LC_TEX, "Surface reduction",
  !strconcat("The value at b becomes old aop c in one step, relaxed at the scope of the GPU; ADD, MIN, MAX, AND and OR. x counts bytes. With FMT x counts values, and the surface's format tells signed from unsigned.", OutOfImageMeaning)>;
let mayLoad = 1, mayStore = 1 in
def SURED : HInst<OP_SURED, FormR, (outs),
    (ins GPR64:$a, GPR128:$b, GPR64:$c, ImageGeometry:$geom, AtomOp:$aop,
         ImageRedType:$aty, OutOfImage:$oob, Formatted:$fmt),
    "$aop$aty$geom$fmt$oob [$a, $b], $c">;
