// What nvcc 11 makes of a program with texture and surface references: the PTX
// of a file is registered with the host's variables, as its constructors do.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int X, Y, Z, W, Kind;
} Channels;
typedef struct {
  int IsCoordinateNormalized, Filter, Address[3];
  Channels Format;
  int IsSRGB;
  unsigned MaxAnisotropy;
  int MipFilter;
  float Bias, MinLevel, MaxLevel;
  int Reserved[15];
} TextureReference;

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int);
void __cudaRegisterSurface(void **, const void *, const void **, const char *, int, int);
int cudaMalloc(void **, size_t), cudaMemcpy(void *, const void *, size_t, int);
int cudaMallocArray(void **, const Channels *, size_t, size_t, unsigned);
int cudaMemcpy2DToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpy2DFromArray(void *, size_t, const void *, size_t, size_t, size_t, size_t, int);
int cudaBindTexture(size_t *, const void *, const void *, const Channels *, size_t);
int cudaBindTexture2D(size_t *, const void *, const void *, const Channels *, size_t, size_t, size_t);
int cudaBindTextureToArray(const void *, void *, const Channels *);
int cudaUnbindTexture(const void *), cudaGetTextureAlignmentOffset(size_t *, const void *);
int cudaGetTextureReference(const void **, const void *), cudaBindSurfaceToArray(const void *, void *, const Channels *);
typedef struct {
  unsigned X, Y, Z;
} Extents;
int cudaLaunchKernel(const void *, Extents, Extents, void **, size_t, void *);

enum { Unsigned = 1, Float = 2, Points = 0, Wrap = 0, Clamp = 1, StoresOfSurfaces = 2 };
static TextureReference Line = {0, Points, {Clamp, Clamp, Clamp}, {32, 0, 0, 0, Float}, .MaxAnisotropy = 0};
static TextureReference Bytes = {0, Points, {Clamp, Clamp, Clamp}, {8, 0, 0, 0, Unsigned}, .MaxAnisotropy = 0};
static TextureReference Array = {1, Points, {Wrap, Wrap, Wrap}, {32, 0, 0, 0, Float}, .MaxAnisotropy = 0};
static TextureReference Other;
static struct {
  Channels Format;
} Surface;
static char Kernel;

static void check(const char *What, int Code) {
  if (Code) {
    printf("%s gave %d\n", What, Code);
    exit(1);
  }
}
#define CHECK(Call) check(#Call, Call)

/// A fat binary with the PTX of a file.
static void registerFile(const char *Path) {
  static char Text[1 << 14];
  static uint8_t Image[80 + sizeof(Text)];
  static struct {
    uint32_t Magic, Version;
    const void *Data, *Names;
  } Wrapper = {0x466243B1, 1, Image, NULL};
  FILE *File = fopen(Path, "r");
  uint64_t Length = fread(Text, 1, sizeof(Text) - 1, File) + 1;
  fclose(File);
  uint32_t Magic = 0xBA55ED50, Header = 64, Target = 90;
  uint16_t Version = 1, HeaderBytes = 16, Kind = 1, ImageVersion = 0x101;
  uint64_t All = Header + Length;
  memcpy(Image, &Magic, 4), memcpy(Image + 4, &Version, 2), memcpy(Image + 6, &HeaderBytes, 2);
  memcpy(Image + 8, &All, 8), memcpy(Image + 16, &Kind, 2), memcpy(Image + 18, &ImageVersion, 2);
  memcpy(Image + 20, &Header, 4), memcpy(Image + 24, &Length, 8), memcpy(Image + 44, &Target, 4);
  memcpy(Image + 80, Text, Length);
  void **Handle = __cudaRegisterFatBinary(&Wrapper);
  __cudaRegisterFunction(Handle, &Kernel, &Kernel, "read", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterTexture(Handle, &Line, (const void **)"line", "::Line", 1, 0, 0);
  __cudaRegisterTexture(Handle, &Bytes, (const void **)"bytes", "::Bytes", 2, /*normalized*/ 1, 0);
  __cudaRegisterTexture(Handle, &Array, (const void **)"array", "::Array", 2, 0, 0);
  __cudaRegisterSurface(Handle, &Surface, (const void **)"surface", "::Surface", 2, 0);
  __cudaRegisterFatBinaryEnd(Handle);
}

/// What each thread reads of the three textures; it doubles the surface's.
static void launch(void *Out) {
  void *Arguments[] = {&Out};
  CHECK(cudaLaunchKernel(&Kernel, (Extents){1, 1, 1}, (Extents){8, 8, 1}, Arguments, 0, NULL));
}

int main(int Count, char **Paths) {
  float Numbers[64], Read[64 * 3];
  uint8_t Small[64];
  void *Device, *DeviceBytes, *Out, *DeviceArray;
  registerFile(Paths[Count - 1]);
  for (int I = 0; I < 64; ++I)
    Numbers[I] = I * 1.5f, Small[I] = I * 3;
  CHECK(cudaMalloc(&Device, 512));
  CHECK(cudaMalloc(&DeviceBytes, 64));
  CHECK(cudaMalloc(&Out, sizeof(Read)));
  CHECK(cudaMallocArray(&DeviceArray, &Array.Format, 8, 8, StoresOfSurfaces));
  CHECK(cudaMemcpy(Device, Numbers, 256, 1));
  CHECK(cudaMemcpy(DeviceBytes, Small, 64, 1));
  CHECK(cudaMemcpy2DToArray(DeviceArray, 0, 0, Numbers, 32, 32, 8, 1));

  size_t Offset = 7;
  const void *Found = NULL;
  // The size that the header gives where the program gives none.
  CHECK(cudaBindTexture(&Offset, &Line, Device, &Line.Format, UINT32_MAX));
  CHECK(cudaBindTexture2D(NULL, &Bytes, DeviceBytes, &Bytes.Format, 8, 8, 8));
  CHECK(cudaBindTextureToArray(&Array, DeviceArray, &Array.Format));
  CHECK(cudaBindSurfaceToArray(&Surface, DeviceArray, &Array.Format));
  launch(Out);
  CHECK(cudaMemcpy(Read, Out, sizeof(Read), 2));
  int Wrong = Offset != 0;
  for (int I = 0; I < 64; ++I)
    Wrong += Read[I] != Numbers[63 - I] || Read[64 + I] != Small[I] / 255.f || Read[128 + I] != Numbers[I];
  float Doubled[64];
  CHECK(cudaMemcpy2DFromArray(Doubled, 32, DeviceArray, 0, 0, 32, 8, 2));
  for (int I = 0; I < 64; ++I)
    Wrong += Doubled[I] != 2 * Numbers[I];
  printf("wrong: %d\n", Wrong);

  // Bound to other memory, the next launch reads that.
  CHECK(cudaBindTexture(NULL, &Line, (char *)Device + 16, &Line.Format, 240));
  launch(Out);
  CHECK(cudaMemcpy(Read, Out, 256, 2));
  printf("behind an offset: %g, outside: %g\n", Read[63], Read[0]);

  CHECK(cudaUnbindTexture(&Line));
  CHECK(cudaGetTextureAlignmentOffset(&Offset, &Line));
  CHECK(cudaGetTextureReference(&Found, &Line));
  printf("itself: %d\n", Found == &Line);
  printf("unknown: %d %d %d\n", cudaBindTexture(NULL, &Other, Device, &Line.Format, 64), cudaUnbindTexture(&Other),
         cudaGetTextureReference(&Found, &Other));
  printf("not memory: %d\n", cudaBindTexture(NULL, &Line, &Small, &Line.Format, 64));
  return 0;
}
