//===- TextureTest.cpp - Texture objects of the device interface ----------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles, and images that the texture unit refuses. What lookups return is
// tested end to end in test/Semantics.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "heddle/ISA/TextureObjects.h"

#include <set>

using namespace llvm;
using namespace heddle;
using namespace heddle::emu::test;
using texture::Geometry;
using texture::TexelFormat;

namespace {

rt::ImageDesc picture(uint64_t Base) {
  rt::ImageDesc Image;
  Image.Base = Base;
  Image.Width = 8;
  Image.Height = 4;
  Image.RowPitch = 32;
  Image.SlicePitch = 128;
  return Image;
}

std::string refusal(rt::Device &Device, const rt::ImageDesc &Image) {
  auto Handle = Device.createSurface(Image);
  return Handle ? "" : toString(Handle.takeError());
}

TEST(TextureObjects, HandlesTellWhatTheyAreOf) {
  Machine M;
  rt::ImageDesc Image = picture(M.allocate(128));
  uint64_t Texture = cantFail(M.Device->createTexture(Image, {}));
  uint64_t Sampler = cantFail(M.Device->createSampler({}));
  uint64_t Surface = cantFail(M.Device->createSurface(Image));
  EXPECT_EQ(texture::handleKind(Texture), texture::KindTexture);
  EXPECT_EQ(texture::handleKind(Sampler), texture::KindSampler);
  EXPECT_EQ(texture::handleKind(Surface), texture::KindSurface);
  EXPECT_NE(texture::imageIndex(Texture), texture::imageIndex(Surface));
  EXPECT_NE(texture::samplerIndex(Texture), texture::samplerIndex(Sampler));
}

TEST(TextureObjects, EndOnce) {
  Machine M;
  uint64_t Texture =
      cantFail(M.Device->createTexture(picture(M.allocate(128)), {}));
  EXPECT_FALSE(errorToBool(M.Device->destroyTextureObject(Texture)));
  EXPECT_TRUE(errorToBool(M.Device->destroyTextureObject(Texture)));
  EXPECT_TRUE(errorToBool(M.Device->destroyTextureObject(0)));
}

// The tables grow; the handles stay.
TEST(TextureObjects, ManyAtATime) {
  Machine M;
  rt::ImageDesc Image = picture(M.allocate(128));
  std::set<uint64_t> Handles;
  for (unsigned N = 0; N < 2000; ++N)
    Handles.insert(cantFail(M.Device->createTexture(Image, {})));
  EXPECT_EQ(Handles.size(), 2000u);
  EXPECT_EQ(Handles.count(0), 0u);
  for (uint64_t Handle : Handles)
    EXPECT_FALSE(errorToBool(M.Device->destroyTextureObject(Handle)));
}

TEST(TextureObjects, RefusesWhatTheUnitCannotRead) {
  Machine M;
  rt::ImageDesc Good = picture(M.allocate(128));
  EXPECT_EQ(refusal(*M.Device, Good), "");
  auto With = [&](auto Change) {
    rt::ImageDesc Image = Good;
    Change(Image);
    return refusal(*M.Device, Image);
  };
  EXPECT_EQ(With([](auto &I) { I.Channels = 3; }), "an image with 3 channels");
  EXPECT_EQ(With([](auto &I) { I.Width = 0; }), "an image with no texels");
  EXPECT_EQ(With([](auto &I) { I.Base += 8; }),
            "an image with a base or pitch that is not aligned");
  EXPECT_EQ(With([](auto &I) { I.RowPitch = 28; }),
            "an image with rows or slices that overlap");
  EXPECT_EQ(With([](auto &I) { I.Levels = 5; }),
            "an image with more levels than it can have");
  EXPECT_EQ(With([](auto &I) { I.Depth = 2; }),
            "an image with extents that its geometry does not have");
  EXPECT_EQ(With([](auto &I) { I.Geometry = Geometry::Cube; }),
            "an image with faces that are no squares, or not six to a cube");
  EXPECT_EQ(With([](auto &I) { I.Samples = 4; }),
            "an image with samples that its geometry does not have");
  EXPECT_EQ(With([](auto &I) { I.Format = TexelFormat(99); }),
            "an image with an unknown format or geometry");
}

} // namespace
