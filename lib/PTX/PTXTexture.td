//===- PTXTexture.td - Texture and surface instructions ----*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In unified mode a texture has its sampler with it; in independent mode the
// sampler is an operand. Coordinates are vectors that may be longer than the
// geometry needs; array geometries begin with the index of the layer, and
// multi-sample ones with that of the sample.
//
//===----------------------------------------------------------------------===//

def Geometry  : ModKind<["1d", "2d", "3d", "a1d", "a2d", "cube", "acube",
                         "2dms", "a2dms"]>;
def MipMode   : ModKind<["base", "level", "grad"]>;
def Gather    : ModKind<["r", "g", "b", "a"]>;
def QueryOf   : ModKind<["width", "height", "depth", "channel_data_type",
                         "channel_order", "normalized_coords", "array_size",
                         "num_mipmap_levels", "num_samples",
                         "force_unnormalized_coords", "filter_mode",
                         "addr_mode_0", "addr_mode_1", "addr_mode_2",
                         "memory_layout"]>;
def TextureQuery : ModSet<QueryOf, ["width", "height", "depth",
                                    "channel_data_type", "channel_order",
                                    "normalized_coords", "array_size",
                                    "num_mipmap_levels", "num_samples"]>;
def LevelQuery   : ModSet<QueryOf, ["width", "height", "depth"]>;
def SamplerQuery : ModSet<QueryOf, ["force_unnormalized_coords", "filter_mode",
                                    "addr_mode_0", "addr_mode_1",
                                    "addr_mode_2"]>;
def SurfaceQuery : ModSet<QueryOf, ["width", "height", "depth",
                                    "channel_data_type", "channel_order",
                                    "array_size", "memory_layout"]>;
def SurfaceOp   : ModKind<["add", "min", "max", "and", "or"]>;
def ClampMode   : ModKind<["trap", "clamp", "zero"]>;

def : ModSince<MipMode, "base", 31, 20>;
def : ModSince<MipMode, "level", 31, 20>;
def : ModSince<MipMode, "grad", 31, 20>;
foreach Q = ["channel_data_type", "channel_order"] in
  def : ModSince<QueryOf, Q, 21, 0>;
def : ModSince<QueryOf, "force_unnormalized_coords", 22, 0>;
def : ModSince<QueryOf, "array_size", 41, 0>;
def : ModSince<QueryOf, "num_mipmap_levels", 41, 20>;
def : ModSince<QueryOf, "num_samples", 41, 30>;
def : ModSince<QueryOf, "memory_layout", 42, 0>;

// A geometry with its coordinates, its offsets and whether it can be compared
// with a depth, which only goes with coordinates of type .f32.
class Texturing<string name, string coords, string offset, bit depth,
                string ctype, bit mips = true, int gradient = 0,
                int version = 10, list<string> targets = []> {
  string Name = name;
  string Coords = coords;
  string Offset = offset;
  bit Depth = depth;
  string Ctype = ctype;
  bit Mips = mips;
  // Elements of the gradients; 0: any.
  int Gradient = gradient;
  int Version = version;
  list<string> Targets = targets;
}
def Tex1D    : Texturing<"1d", "c+{1}:1", ", e<+{1}:s32", true, ".(s32|f32)",
                         true, 1>;
def Tex2D    : Texturing<"2d", "c+{2}:1", ", e<+{2}:s32", true, ".(s32|f32)",
                         true, 2>;
def Tex3D    : Texturing<"3d", "c{4}:1", ", e<!{4}:s32", false, ".(s32|f32)",
                         true, 4>;
def TexA1D   : Texturing<"a1d", "c#+{2}:1", ", e<+{1}:s32", true,
                         ".(s32|f32)", true, 1, 23, ["sm_20"]>;
def TexA2D   : Texturing<"a2d", "c#{4}:1", ", e<+{2}:s32", true, ".(s32|f32)",
                         true, 2, 23, ["sm_20"]>;
// An offset in a cube is a scalar that ptxas overlooks.
def TexCube  : Texturing<"cube", "c{4}:1", ", e:s32", true, ".f32", true, 4, 30,
                         ["sm_20"]>;
def TexACube : Texturing<"acube", "c#{4}:1", ", e:s32", true, ".f32", true, 4, 30,
                         ["sm_20"]>;
def Tex2DMS  : Texturing<"2dms", "c#{4}:1", ", e<+{2}:s32", false, ".s32",
                         false, 0, 32, ["sm_30"]>;
def TexA2DMS : Texturing<"a2dms", "c#{4}:1", ", e<+{2}:s32", false, ".s32",
                         false, 0, 32, ["sm_30"]>;

// In unified mode ptxas takes a sampler as well, but not with all of these.
class IndependentSampler<string geometry, string mode, string more> {
  defvar IsCube = !ne(!find(geometry, "cube"), -1);
  defvar HasLayer = !eq(!substr(geometry, 0, 1), "a");
  defvar IsOffset = !and(!ne(!find(more, "e"), -1), !eq(!find(more, ", f"), -1));
  defvar IsLevel = !ne(!find(mode, "(level)"), -1);
  string Mark = !if(!or(!and(IsCube, !not(IsLevel)),
                        !and(!ne(!find(mode, "(grad)"), -1), HasLayer),
                        !and(IsLevel, !or(IsOffset, !eq(geometry, "3d")))),
                    "@", "");
}

// `more` is what follows the place: an offset, a depth to compare with.
class TextureRow<Texturing G, string mode, string data, string ctype,
                 string dest, string between, string more, int version,
                 list<string> targets>
    : Row<"tex", mode#".Geometry("#G.Name#")"#data#ctype,
          dest#"[t:texref, s"#IndependentSampler<G.Name, mode, more>.Mark#
          ":samplerref?, "#G.Coords#"]"#between#more> {
  // Gradients in cubes and all that follows the place came together.
  defvar IsLate = !or(!ne(more, ""), !and(!eq(mode, ".^MipMode(grad)"),
                                          !ne(!find(G.Name, "cube"), -1)));
  defvar Least = !if(!gt(version, G.Version), version, G.Version);
  let Meaningless = !eq(!find(more, ", e:s32"), 0);
  let Version = !if(!and(IsLate, !lt(Least, 43)), 43, Least);
  let Targets = !if(!empty(targets),
                    !if(!ne(more, ""), ["sm_30"], G.Targets), targets);
}
multiclass TextureRows<Texturing G, string data, string dest, int version,
                       list<string> targets> {
  defvar Offsets = !if(!empty(G.Offset), [""], ["", G.Offset]);
  defvar Gradients = ", dPdx!{"#G.Gradient#"}:f32, dPdy!{"#G.Gradient#"}:f32";
  foreach E = Offsets in {
    def : TextureRow<G, "{.^MipMode(base)}", data, G.Ctype, dest, "", E,
                     version, targets>;
    if G.Depth then
      def : TextureRow<G, "{.^MipMode(base)}", data, ".f32", dest, "",
                       E#", f:f32", version, targets>;
    if G.Mips then {
      def : TextureRow<G, ".^MipMode(level)", data, G.Ctype, dest, ", lod<:1", E,
                       version, targets>;
      def : TextureRow<G, ".^MipMode(grad)", data, G.Ctype, dest, Gradients, E,
                       version, targets>;
      if G.Depth then {
        def : TextureRow<G, ".^MipMode(level)", data, ".f32", dest, ", lod<:1",
                         E#", f:f32", version, targets>;
        def : TextureRow<G, ".^MipMode(grad)", data, ".f32", dest, Gradients,
                         E#", f:f32", version, targets>;
      }
    }
  }
}
foreach G = [Tex1D, Tex2D, Tex3D, TexA1D, TexA2D, TexCube, TexACube, Tex2DMS,
             TexA2DMS] in {
  defm : TextureRows<G, ".Vec(v4).(u32|s32|f32)", "=d{4}:0, ", 10, []>;
  defm : TextureRows<G, ".Vec(v4).f16", "=d{4}:0, ", 42, ["sm_53"]>;
  defm : TextureRows<G, ".Vec(v2).f16x2", "=d${2}:0, ", 42, ["sm_53"]>;
  // With a predicate that says whether the texels were resident.
  defm : TextureRows<G, ".Vec(v4).(u32|s32|f32)", "=d||{4}:0, ", 71,
                     ["sm_60"]>;
  defm : TextureRows<G, ".Vec(v4).f16", "=d||{4}:0, ", 71, ["sm_60"]>;
  defm : TextureRows<G, ".Vec(v2).f16x2", "=d||${2}:0, ", 71, ["sm_60"]>;
}

foreach G = [Tex2D, TexA2D, TexCube, TexACube] in
foreach More = !listconcat(["", ", f:f32"],
                           !if(!empty(G.Offset), []<string>,
                               [G.Offset, G.Offset#", f:f32"])) in
foreach WithPredicate = [false, true] in
let Meaningless = !eq(!find(More, ", e:s32"), 0),
    Version = !if(WithPredicate, 71, !if(!eq(G.Name#More, "2d"), 22, 43)),
    Targets = !if(WithPredicate, ["sm_60"],
                  !if(!eq(G.Name#More, "2d"), ["sm_20"], ["sm_30"])) in
def : Row<"tld4", ".Gather.Geometry("#G.Name#").Vec(v4).(u32|s32|f32).f32",
          "=d"#!if(WithPredicate, "||", "")#"{4}:0, [t:texref, s"#
          IndependentSampler<G.Name, "", "">.Mark#":samplerref?, "#G.Coords#
          "]"#More>;

let Version = 15 in {
  def : Row<"txq", ".TextureQuery.b32", "=d:0, [a:texref]">;
  def : Row<"txq", ".SamplerQuery.b32", "=d:0, [a:samplerref]">;
}
let Version = 43, Targets = ["sm_30"] in
def : Row<"txq", ".^MipMode(level).LevelQuery.b32", "=d:0, [a:texref], lod:u32">;
let Version = 40, Targets = ["sm_30"] in
def : Row<"istypep", ".(texref|samplerref|surfref)", "=p:pred, a:u64">;

// Surfaces: `.b` takes bytes, `.p` formats.
class SurfaceGeometry<string name, string coords, int version> {
  string Name = ".Geometry("#name#")";
  string Place = "[a:surfref, "#coords#"]";
  int Version = version;
  list<string> Targets = !if(!gt(version, 20), ["sm_20"], []);
}
def Surface1D  : SurfaceGeometry<"1d", "b+{1}:s32", 15>;
def Surface2D  : SurfaceGeometry<"2d", "b+{2}:s32", 15>;
def Surface3D  : SurfaceGeometry<"3d", "b{4}:s32", 30>;
def SurfaceA1D : SurfaceGeometry<"a1d", "b#+{2}:s32", 30>;
def SurfaceA2D : SurfaceGeometry<"a2d", "b#{4}:s32", 30>;
def SurfaceBits : TypeSet<[B8, B16, B32, B64]>;
foreach G = [Surface1D, Surface2D, Surface3D, SurfaceA1D, SurfaceA2D] in {
  let Version = G.Version, Targets = G.Targets in {
    def : Row<"suld.b", G.Name#"{.LoadSurfaceCache}{.Vec24}.SurfaceBits"
                        ".ClampMode", "=d<~*:0, "#G.Place>;
    def : Row<"sust.b", G.Name#"{.StoreCache}{.Vec24}.SurfaceBits.ClampMode",
              G.Place#", c<~*:0">;
  }
  let Version = !if(!eq(!substr(G.Name, 10, 1), "a"), 41,
                    !if(!gt(G.Version, 20), G.Version, 20)),
      Targets = ["sm_20"] in
  def : Row<"sust.p", G.Name#"{.StoreCache}{.Vec24}.b32.ClampMode",
            G.Place#", c<~*:0">;
}
def LoadSurfaceCache : ModSet<CacheOp, ["ca", "cg", "cs", "cv"]>;
foreach G = [Surface1D, Surface2D, Surface3D] in {
  let Version = 20, Targets = ["sm_20"] in {
    def : Row<"sured.b", ".SurfaceOp(add)"#G.Name#".(u32|s32|u64).ClampMode",
              G.Place#", c:0">;
    def : Row<"sured.b", ".SurfaceOp(min|max)"#G.Name#".(u32|s32).ClampMode",
              G.Place#", c:0">;
    def : Row<"sured.b", ".SurfaceOp(and|or)"#G.Name#".b32.ClampMode",
              G.Place#", c:0">;
    def : Row<"sured.p", ".SurfaceOp"#G.Name#".b32.ClampMode",
              G.Place#", c:0">;
  }
  let Version = 81, Targets = ["sm_50"] in {
    def : Row<"sured.b", ".SurfaceOp(min|max)"#G.Name#".(u64|s64).ClampMode",
              G.Place#", c:0">;
    def : Row<"sured.p", ".SurfaceOp(min|max)"#G.Name#".b64.ClampMode",
              G.Place#", c:0">;
  }
}
let Version = 15 in
def : Row<"suq", ".SurfaceQuery.b32", "=d:0, [a:surfref]">;
