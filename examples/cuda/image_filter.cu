// Blurs an image that a texture reads, and writes it as a PNG file.
#include "check.cuh"
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

constexpr int Width = 96, Height = 64;

/// A weighted mean of the 3 by 3 texels around each one; the texture clamps at
/// the edges.
__global__ void blur(cudaTextureObject_t Image, uchar4 *Out) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X >= Width || Y >= Height)
    return;
  float4 Sum = make_float4(0, 0, 0, 0);
  for (int DY = -1; DY <= 1; ++DY)
    for (int DX = -1; DX <= 1; ++DX) {
      float4 T = tex2D<float4>(Image, X + DX + 0.5f, Y + DY + 0.5f);
      float Weight = (2 - abs(DX)) * (2 - abs(DY)) / 16.0f;
      Sum.x += Weight * T.x;
      Sum.y += Weight * T.y;
      Sum.z += Weight * T.z;
    }
  Out[Y * Width + X] = make_uchar4(Sum.x * 255 + 0.5f, Sum.y * 255 + 0.5f,
                                   Sum.z * 255 + 0.5f, 255);
}

/// Rings on a checkerboard.
static uchar4 pixel(int X, int Y) {
  int DX = X - Width / 2, DY = Y - Height / 2;
  unsigned char Ring = (DX * DX + DY * DY) / 100 % 2 ? 255 : 0;
  unsigned char Board = (X / 8 + Y / 8) % 2 ? 200 : 40;
  return make_uchar4(Ring, Board, 255 - Ring, 255);
}

/// One component of the blurred image, in integers: 16 times its value.
static int expected(int X, int Y, unsigned char uchar4::*Component) {
  auto Clamp = [](int V, int Size) {
    return V < 0 ? 0 : V < Size ? V : Size - 1;
  };
  int Sum = 0;
  for (int DY = -1; DY <= 1; ++DY)
    for (int DX = -1; DX <= 1; ++DX)
      Sum += (2 - abs(DX)) * (2 - abs(DY)) *
             (pixel(Clamp(X + DX, Width), Clamp(Y + DY, Height)).*Component);
  return Sum;
}

/// A PNG file without compression: its pixels in stored blocks of deflate.
static std::string makePNG(const std::vector<uchar4> &Pixels) {
  auto Word = [](uint32_t V) {
    return std::string{char(V >> 24), char(V >> 16), char(V >> 8), char(V)};
  };
  auto Chunk = [&](const std::string &Type, const std::string &Data) {
    std::string Body = Type + Data;
    uint32_t CRC = ~0u;
    for (unsigned char Byte : Body) {
      CRC ^= Byte;
      for (int Bit = 0; Bit != 8; ++Bit)
        CRC = CRC >> 1 ^ (CRC & 1 ? 0xEDB88320 : 0);
    }
    return Word(Data.size()) + Body + Word(~CRC);
  };
  std::string Zlib = "\x78\x01";
  uint32_t A = 1, B = 0; // Adler's sums
  for (int Y = 0; Y != Height; ++Y) {
    std::string Row(1, 0); // no filter
    for (int X = 0; X != Width; ++X) {
      uchar4 P = Pixels[Y * Width + X];
      Row += {char(P.x), char(P.y), char(P.z)};
    }
    for (unsigned char Byte : Row) {
      A = (A + Byte) % 65521;
      B = (B + A) % 65521;
    }
    uint16_t Size = Row.size();
    Zlib += char(Y == Height - 1); // the last block
    Zlib += {char(Size), char(Size >> 8), char(~Size), char(~Size >> 8)};
    Zlib += Row;
  }
  Zlib += Word(B << 16 | A);
  std::string Header = Word(Width) + Word(Height) +
                       std::string("\x08\x02\x00\x00\x00", 5); // 8 bits, RGB
  return "\x89PNG\r\n\x1a\n" + Chunk("IHDR", Header) + Chunk("IDAT", Zlib) +
         Chunk("IEND", "");
}

int main(int Count, char **Arguments) {
  std::vector<uchar4> Pixels(Width * Height);
  for (int Y = 0; Y != Height; ++Y)
    for (int X = 0; X != Width; ++X)
      Pixels[Y * Width + X] = pixel(X, Y);
  cudaArray_t Array;
  cudaChannelFormatDesc Format = cudaCreateChannelDesc<uchar4>();
  CHECK(cudaMallocArray(&Array, &Format, Width, Height));
  CHECK(cudaMemcpy2DToArray(Array, 0, 0, Pixels.data(), Width * sizeof(uchar4),
                            Width * sizeof(uchar4), Height,
                            cudaMemcpyHostToDevice));
  cudaResourceDesc Resource = {};
  Resource.resType = cudaResourceTypeArray;
  Resource.res.array.array = Array;
  cudaTextureDesc Desc = {};
  Desc.addressMode[0] = Desc.addressMode[1] = cudaAddressModeClamp;
  Desc.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t Image;
  CHECK(cudaCreateTextureObject(&Image, &Resource, &Desc, nullptr));
  uchar4 *Out;
  CHECK(cudaMalloc(&Out, Pixels.size() * sizeof(uchar4)));
  blur<<<dim3((Width + 15) / 16, (Height + 15) / 16), dim3(16, 16)>>>(Image,
                                                                      Out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(Pixels.data(), Out, Pixels.size() * sizeof(uchar4),
                   cudaMemcpyDeviceToHost));
  bool IsRight = true;
  for (int Y = 0; Y != Height; ++Y)
    for (int X = 0; X != Width; ++X)
      for (auto Component : {&uchar4::x, &uchar4::y, &uchar4::z}) {
        // Rounding may go either way where the exact value is half-way.
        int Difference =
            Pixels[Y * Width + X].*Component * 16 - expected(X, Y, Component);
        IsRight &= abs(Difference) <= 8;
      }
  if (Count > 1) {
    std::string PNG = makePNG(Pixels);
    FILE *File = std::fopen(Arguments[1], "wb");
    IsRight &=
        File && std::fwrite(PNG.data(), 1, PNG.size(), File) == PNG.size();
    if (File)
      IsRight &= std::fclose(File) == 0;
  }
  return verdict(IsRight);
}
