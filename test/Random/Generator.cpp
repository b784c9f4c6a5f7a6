//===- Generator.cpp - Makes random PTX programs ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame of a program, and the statements without control flow.
//
//===----------------------------------------------------------------------===//

#include "GeneratorState.h"
#include "heddle/Support/CUDAVersion.h"
#include "llvm/ADT/StringExtras.h"

#include <bit>

using namespace llvm;
using namespace heddle::ptx;

namespace heddle::random {

/// What the programs are written for: all that the table has for GPUs of the
/// newest families with their own features. The first one gets most programs.
static constexpr ptx::Target Targets[] = {{100, 'a'}, {120, 'a'}};

static constexpr Pool Pools[] = {
    {"%p", ".pred", 6}, {"%h", ".b16", 6},  {"%r", ".b32", 10},
    {"%d", ".b64", 6},  {"%q", ".b128", 2}, {"%u", ".b32", 4},
    {"%lh", ".b16", 3}, {"%lb", ".b16", 3}, {"%lx", ".b32", 3},
    {"%lz", ".b32", 3}, {"%ly", ".b64", 3}, {"%lg", ".f64", 4},
    {"%lt", ".b32", 2}, {"%lf", ".f32", 4}, {"%e", ".b8", 3},
};
static constexpr const char *SingleRegisters =
    ".reg .b32 %tid32, %gtid, %mask, %shm, %depth;\n"
    "\t.reg .b64 %in, %priv, %sum, %out, %loc, %gshm, %gloc;";

uint64_t interestingWord(RandomGenerator &R) {
  static constexpr uint64_t Edges[] = {
      0,
      1,
      ~uint64_t(0),
      0x8000000000000000,
      0x7FFFFFFFFFFFFFFF,
      0x80000000,
      0x7FFFFFFF,
      0xFFFFFFFF00000000,
      0x8000000080000000,
      0x7FFFFFFF7FFFFFFF,
      0x3F8000003F800000, // 1.0f
      0xBF800000BF800000, // -1.0f
      0x0000000100000001, // the least subnormal
      0x807FFFFF007FFFFF, // the largest ones
      0x0080000000800000, // the least normal
      0x7F8000007F800000, // infinities
      0xFF800000FF800000,
      0x7FC000007FC00000, // NaNs
      0x7F800001FFFFFFFF,
      0x7F7FFFFF7F7FFFFF, // the largest
      0x3FF0000000000000, // 1.0
      0x7FF0000000000000, // infinity
      0x0010000000000000, // the least normal
      0x3C003C003C003C00, // 1.0 in half precision
      0x7C007C007C007C00, // infinity
      0x0001040003FF8001, // subnormals and the least normal
      0x7E00FC017BFF3555,
      0x3F803F803F803F80, // 1.0 in bf16
      0x4B0000004B000001, // 2^23
      0x4F0000005F000000, // 2^31, 2^63
      0xCF000000DF000000,
      0x0102040810204080,
      0x00FF00FF00FF00FF,
      0x8080808080808080,
      0x7F7F7F7F7F7F7F7F,
  };
  if (R.percent(55))
    return R.pick(Edges);
  uint64_t Word = R.next();
  // Floats of moderate size in both halves, small integers, or any bits.
  switch (R.below(3)) {
  case 0:
    return (Word & 0x83FFFFFF83FFFFFF) + 0x3C0000003C000000;
  case 1:
    return Word & 0x000000FF000000FF;
  default:
    return Word;
  }
}

Statement group(std::string Lines, bool Needed) {
  Statement S;
  S.Pieces.push_back(std::move(Lines));
  S.Needed = Needed;
  return S;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

std::string Generator::reg(const char *Prefix, unsigned Count) {
  return Prefix + std::to_string(R.below(Count));
}

static const char *tempPrefix(StringRef Type) {
  return Type == ".pred"  ? "%tp"
         : Type == ".b16" ? "%th"
         : Type == ".b32" ? "%tr"
                          : "%td";
}

std::string Generator::temp(const char *Type) {
  return tempPrefix(Type) + std::to_string(Temps[Type]++);
}

void Generator::beginFunction() {
  Temps.clear();
  Regions.clear();
}

std::vector<std::string> Generator::registerDeclarations() {
  std::vector<std::string> Lines;
  for (const Pool &P : Pools)
    Lines.push_back(
        (Twine(".reg ") + P.Type + " " + P.Prefix + "<" + Twine(P.Count) + ">;")
            .str());
  Lines.push_back(SingleRegisters);
  for (auto &[Type, Count] : Temps)
    Lines.push_back((Twine(".reg ") + Type + " " + tempPrefix(Type) + "<" +
                     Twine(Count) + ">;")
                        .str());
  return Lines;
}

std::string Generator::header() const {
  return (Twine(".version ") + Twine(PTXMajor) + "." + Twine(PTXMinor) +
          "\n.target " + GPU.str() + "\n.address_size 64\n")
      .str();
}

/// Lines that store a register of a pool, lest what computes it be dropped.
static std::string storeOf(StringRef Register) {
  for (const Pool &P : Pools) {
    StringRef Number = Register;
    if (!Number.consume_front(P.Prefix) || Number.empty() ||
        !all_of(Number, isDigit))
      continue;
    if (StringRef(P.Type) == ".pred")
      return ("\tselp.b32 %r0, 1, 0, " + Register +
              ";\n\tst.global.b32 [%out], %r0;\n")
          .str();
    return ("\tst.global" + Twine(P.Type) + " [%out], " + Register + ";\n")
        .str();
  }
  return "";
}

std::string Generator::probeText(const std::string &Instruction) const {
  std::string Text = header() + ".visible .entry probe()\n{\n";
  for (const Pool &P : Pools)
    Text += (Twine("\t.reg ") + P.Type + " " + P.Prefix + "<" + Twine(P.Count) +
             ">;\n")
                .str();
  Text += std::string("\t") + SingleRegisters + "\n\t" + Instruction + "\n";
  StringRef Destination =
      StringRef(Instruction).split(' ').second.split(',').first;
  SmallVector<StringRef> Registers;
  Destination.split(Registers, '|');
  for (StringRef Register : Registers)
    Text += storeOf(Register.trim());
  return Text + "\tret;\n}\n";
}

bool Generator::mayUse(const std::string &Mnemonic,
                       const std::string &Instruction) {
  bool IsUsual = GPU == Targets[0];
  return IsSupported(IsUsual ? Mnemonic : Mnemonic + " of " + GPU.str(),
                     probeText(Instruction));
}

//===----------------------------------------------------------------------===//
// The frame
//===----------------------------------------------------------------------===//

/// Bases of the memories, and start values of those that a thread has for
/// itself. In a function %priv is a parameter already.
void Generator::startMemory(FunctionText &F, bool IsKernel) {
  std::string Text = "\tmov.u32 %tid32, %tid.x;\n"
                     "\tmov.u32 %gtid, %ctaid.x;\n"
                     "\tmov.u32 %shm, %ntid.x;\n"
                     "\tmad.lo.u32 %gtid, %gtid, %shm, %tid32;\n"
                     "\tmov.u64 %in, gtable;\n"
                     "\tmov.u64 %loc, lbuf;\n"
                     "\tcvta.local.u64 %gloc, %loc;\n"
                     "\tmov.u32 %shm, shpriv;\n"
                     "\tmad.lo.u32 %shm, %tid32, 32, %shm;\n"
                     "\tcvt.u64.u32 %gshm, %shm;\n"
                     "\tcvta.shared.u64 %gshm, %gshm;\n";
  for (unsigned At = 0; At != 64; At += 16)
    Text += "\tst.local.v2.b64 [%loc+" + std::to_string(At) + "], {" +
            std::to_string(R.next() >> 1) + ", " +
            std::to_string(R.next() >> 1) + "};\n";
  F.Start.push_back(group(Text, /*Needed=*/true));
  Regions = {{".global", "%priv", 64},
             {"", "%priv", 64},
             {".local", "%loc", 64},
             {"", "%gloc", 64},
             {".shared", "%shm", 32, /*IsWide=*/false},
             {"", "%gshm", 32},
             {".global", "%in", 64, true, /*IsWritable=*/false},
             {".const", "table", 256, true, /*IsWritable=*/false}};
  if (!IsKernel)
    return;
  Text = "\tld.param.u64 %in, [pin];\n"
         "\tld.param.u64 %priv, [ppriv];\n"
         "\tld.param.u64 %sum, [psum];\n"
         "\tld.param.u64 %out, [pout];\n"
         "\tmad.wide.u32 %priv, %gtid, 64, %priv;\n"
         "\tmad.wide.u32 %out, %gtid, 512, %out;\n"
         "\tmov.b32 %depth, 0;\n";
  std::string Lanes = temp(".b32"), Last = temp(".pred");
  // The lanes that the warp has; the last warp may have fewer.
  Text += "\tmov.u32 " + Lanes + ", %ntid.x;\n\tand.b32 %mask, %tid32, -32;\n" +
          "\tsub.u32 " + Lanes + ", " + Lanes + ", %mask;\n\tbmsk.clamp.b32 " +
          "%mask, 0, " + Lanes + ";\n\tsetp.gt.u32 " + Last + ", " + Lanes +
          ", 31;\n\t@" + Last + " mov.b32 %mask, -1;\n";
  std::string Slot = temp(".b32");
  Text += "\tst.shared.v2.b64 [%shm], {0x123456789abcdef, 7};\n"
          "\tst.shared.v2.b64 [%shm+16], {-1, 0};\n\tmov.u32 " +
          Slot + ", shx;\n\tmad.lo.u32 " + Slot + ", %tid32, 8, " + Slot +
          ";\n\tst.shared.b64 [" + Slot + "], 99;\n";
  for (unsigned At = 0; At != 64; At += 16)
    Text += "\tst.shared.v2.b64 [shsum+" + std::to_string(At) + "], {0, 0};\n";
  Text += "\tbar.sync 0;\n";
  F.Start.push_back(group(Text, /*Needed=*/true));
  Regions[6].Base = "%in";
  Regions[6].Bytes = layout::InputBytes;
  Regions.push_back({".param", "pstruct", layout::StructBytes, true,
                     /*IsWritable=*/false});
}

/// Start values of the registers from the memory at \p Base: threads begin at
/// \p Places places, \p Distance bytes apart, and read \p Span bytes there.
void Generator::startValues(FunctionText &F, const std::string &Base,
                            unsigned Places, unsigned Distance, unsigned Span) {
  std::string At = temp(".b64");
  F.Start.push_back(group("\tand.b32 %r0, %gtid, " +
                              std::to_string(Places - 1) +
                              ";\n\tmad.wide.u32 " + At + ", %r0, " +
                              std::to_string(Distance) + ", " + Base + ";\n",
                          /*Needed=*/true));
  // A vector of registers in one load.
  auto Load = [&](const char *Prefix, unsigned First, unsigned Count,
                  unsigned Bytes) {
    std::string Bits = ".b" + std::to_string(8 * Bytes), List, Zeros;
    for (unsigned N = First; N != First + Count; ++N) {
      std::string Register = Prefix + std::to_string(N);
      List += (N == First ? "" : ", ") + Register;
      Zeros += "\tmov" + Bits + " " + Register + ", 0;\n";
    }
    unsigned Size = Count * Bytes;
    Statement S = group("\tld.global.v" + std::to_string(Count) + Bits + " {" +
                        List + "}, [" + At + "+" +
                        std::to_string(R.below(Span / Size) * Size) + "];\n");
    S.Simpler = Zeros;
    F.Start.push_back(S);
  };
  for (unsigned N = 0; N != 6; N += 2) {
    Load("%d", N, 2, 8);
    Load("%h", N, 2, 2);
  }
  for (unsigned N = 0; N != 8; N += 4)
    Load("%r", N, 4, 4);
  Load("%r", 8, 2, 4);
  auto Line = [&](const std::string &Text) {
    F.Start.push_back(group("\t" + Text + ";\n"));
  };
  for (unsigned N = 0; N != 6; ++N)
    Line("setp.lt.s32 %p" + std::to_string(N) + ", %r" + std::to_string(N) +
         ", " + std::to_string(int32_t(interestingWord(R))));
  for (unsigned N = 0; N != 3; ++N)
    Line("cvt.u8.u32 %e" + std::to_string(N) + ", %r" + std::to_string(N));
  Line("mov.b128 %q0, {%d0, %d1}");
  Line("mov.b128 %q1, {%d2, %d3}");
  for (const Pool &P : Pools)
    if (StringRef(P.Prefix).starts_with("%l"))
      for (unsigned N = 0; N != P.Count; ++N) {
        StringRef Type(P.Type);
        StringRef From = Type.ends_with("16")   ? "%h"
                         : Type.ends_with("32") ? "%r"
                                                : "%d";
        Line("mov.b" + Type.take_back(2).str() + " " + P.Prefix +
             std::to_string(N) + ", " + From.str() + std::to_string(N));
      }
}

std::string canonical(StringRef Type, const std::string &From,
                      const std::string &To, const std::string &P) {
  StringRef Bits = Type == "f64" ? "b64" : Type == "f32" ? "b32" : "b16";
  StringRef NaN = Type == "f64"   ? "0x7ff8000000000000"
                  : Type == "f32" ? "0x7fffffff"
                                  : "0x7fff";
  return ("\tsetp.nan." + Type + " " + P + ", " + From + ", " + From +
          ";\n\tselp." + Bits + " " + To + ", " + NaN + ", " + From + ", " + P +
          ";\n")
      .str();
}

std::string canonicalPair(StringRef Type, const std::string &From,
                          const std::string &To, const std::string &P,
                          const std::string &A, const std::string &B) {
  StringRef Bits = Type == "f32" ? "b64" : "b32";
  return "\tmov." + Bits.str() + " {" + A + ", " + B + "}, " + From + ";\n" +
         canonical(Type, A, A, P) + canonical(Type, B, B, P) + "\tmov." +
         Bits.str() + " " + To + ", {" + A + ", " + B + "};\n";
}

namespace {
struct LooseType {
  const char *Prefix;
  const char *Type; ///< Of the number or of each half.
  unsigned Count;
  bool IsPair;
};
constexpr LooseType LooseTypes[] = {
    {"%lf", "f32", 4, false}, {"%lg", "f64", 4, false},
    {"%lh", "f16", 3, false}, {"%lb", "bf16", 3, false},
    {"%lx", "f16", 3, true},  {"%lz", "bf16", 3, true},
    {"%ly", "f32", 3, true},  {"%lt", "f32", 2, false},
};
} // namespace

static const char *exactPrefix(const LooseType &L) {
  StringRef Type(L.Type);
  unsigned Width = Type == "f64" ? 64 : Type == "f32" ? 32 : 16;
  Width *= L.IsPair ? 2 : 1;
  return Width == 64 ? "%d" : Width == 32 ? "%r" : "%h";
}

Statement Generator::canonicalise() {
  const LooseType &L = R.pick(LooseTypes);
  std::string From = reg(L.Prefix, L.Count), To = reg(exactPrefix(L), 6);
  std::string P = temp(".pred");
  if (!L.IsPair)
    return group(canonical(L.Type, From, To, P));
  const char *Half = StringRef(L.Type) == "f32" ? ".b32" : ".b16";
  return group(canonicalPair(L.Type, From, To, P, temp(Half), temp(Half)));
}

namespace {

/// Stores to a thread's part of the output, one behind the other.
class OutputWriter {
public:
  explicit OutputWriter(FunctionText &F) : F(F) {}

  /// The next place for so many bytes.
  unsigned place(unsigned Bytes) {
    unsigned At = (Used + Bytes - 1) / Bytes * Bytes;
    Used = At + Bytes;
    return At;
  }
  void store(const std::string &Type, unsigned Bytes, const std::string &Data,
             const std::string &Before = "") {
    F.End.push_back(group(Before + "\tst.global" + Type + " [%out+" +
                          std::to_string(place(Bytes)) + "], " + Data + ";\n"));
  }
  /// Registers whose numbers follow each other.
  void storeVector(const std::string &Prefix, unsigned First, unsigned Count,
                   unsigned Bytes) {
    std::string List;
    for (unsigned N = First; N != First + Count; ++N)
      List += (N == First ? "{" : ", ") + Prefix + std::to_string(N);
    store(".v" + std::to_string(Count) + ".b" + std::to_string(8 * Bytes),
          Count * Bytes, List + "}");
  }

private:
  FunctionText &F;
  unsigned Used = 0;
};

void storeRegisters(OutputWriter &Out) {
  for (unsigned N = 0; N != 2; ++N)
    Out.store(".b128", 16, "%q" + std::to_string(N));
  for (unsigned N = 0; N != 6; N += 2)
    Out.storeVector("%d", N, 2, 8);
  for (unsigned N = 0; N != 8; N += 4)
    Out.storeVector("%r", N, 4, 4);
  Out.storeVector("%r", 8, 2, 4);
  Out.storeVector("%u", 0, 4, 4);
  Out.storeVector("%h", 0, 4, 2);
  Out.storeVector("%h", 4, 2, 2);
}

} // namespace

/// All predicates in one word.
std::string Generator::collectPredicates(const std::string &Flags) {
  std::string Flag = temp(".b32");
  std::string Text = "\tmov.b32 " + Flags + ", 0;\n";
  for (unsigned N = 0; N != 6; ++N)
    Text += "\tselp.b32 " + Flag + ", " + std::to_string(1u << N) + ", 0, %p" +
            std::to_string(N) + ";\n\tor.b32 " + Flags + ", " + Flags + ", " +
            Flag + ";\n";
  return Text;
}

/// Everything a thread has goes to its place in the output.
void Generator::outputs(FunctionText &F) {
  OutputWriter Out(F);
  storeRegisters(Out);
  std::string Flags = temp(".b32");
  Out.store(".b32", 4, Flags, collectPredicates(Flags));
  // Some of the loose registers; in another program others.
  for (const LooseType &L : LooseTypes)
    for (unsigned N = 0; N != L.Count; ++N) {
      if (!R.percent(30))
        continue;
      std::string From = L.Prefix + std::to_string(N), P = temp(".pred");
      const char *Half = StringRef(L.Type) == "f32" ? ".b32" : ".b16";
      bool Wide = exactPrefix(L)[1] == 'd', Narrow = exactPrefix(L)[1] == 'h';
      const char *Type = Wide ? ".b64" : Narrow ? ".b16" : ".b32";
      unsigned Bytes = Wide ? 8 : Narrow ? 2 : 4;
      std::string To = temp(Type);
      Out.store(Type, Bytes, To,
                L.IsPair
                    ? canonicalPair(L.Type, From, To, P, temp(Half), temp(Half))
                    : canonical(L.Type, From, To, P));
    }
  std::string A = temp(".b64"), B = temp(".b64");
  for (unsigned N = 0; N != 6; ++N) {
    bool Local = N < 4;
    unsigned Offset = (Local ? N : N - 4) * 16;
    Out.store(".v2.b64", 16, "{" + A + ", " + B + "}",
              "\tld." + std::string(Local ? "local" : "shared") + ".v2.b64 {" +
                  A + ", " + B + "}, [" + (Local ? "%loc" : "%shm") + "+" +
                  std::to_string(Offset) + "];\n");
  }
  // The sums in shared memory, when all threads that go on have come.
  std::string Text = "\tbar.sync 0;\n";
  for (unsigned Word = 0; Word != 4; ++Word)
    Text += "\tld.shared.v2.b64 {" + A + ", " + B + "}, [shsum+" +
            std::to_string(16 * Word) + "];\n\tst.global.v2.b64 [%out+" +
            std::to_string(Out.place(16)) + "], {" + A + ", " + B + "};\n";
  F.End.push_back(group(Text));
  F.End.push_back(group("\tret;\n", /*Needed=*/true));
}

static std::string bytesText(RandomGenerator &R, unsigned Count) {
  std::string Text;
  for (unsigned N = 0; N < Count; N += 8) {
    uint64_t Word = interestingWord(R);
    for (unsigned B = 0; B != 8; ++B)
      Text += (N + B ? "," : "") + std::to_string(Word >> (8 * B) & 0xFF);
  }
  return Text;
}

void Generator::makeModule() {
  P.Module.push_back(header());
  auto Variable = [&](const std::string &Text) { P.Module.push_back(Text); };
  Variable(".const .align 16 .b8 table[256] = {" + bytesText(R, 256) + "};");
  Variable(".global .align 32 .b8 gtable[64] = {" + bytesText(R, 64) + "};");
  uint64_t Threads = P.Shape.Block;
  Variable(".shared .align 16 .b8 shpriv[" + std::to_string(32 * Threads) +
           "];");
  Variable(".shared .align 16 .b8 shx[" + std::to_string(8 * Threads) + "];");
  Variable(".shared .align 16 .b8 shsum[64];");
}

FunctionText Generator::makeKernel() {
  beginFunction();
  FunctionText F;
  F.Name = layout::Kernel;
  F.Header = ".visible .entry kernel(.param .u64 pin, .param .u64 ppriv,\n"
             "\t.param .u64 psum, .param .u64 pout, .param .u32 ps0,\n"
             "\t.param .u16 ps1, .param .s8 ps2, .param .f32 ps3,\n"
             "\t.param .f64 ps4, .param .align 16 .b8 pstruct[32])";
  F.Start.push_back(group("\t.local .align 16 .b8 lbuf[64];\n", true));
  startMemory(F, /*IsKernel=*/true);
  startValues(F, "%in", 32, 16, 512);
  F.Start.push_back(group("\tld.param.u32 %u0, [ps0];\n"
                          "\tmov.u32 %u1, %ctaid.x;\n"
                          "\tmov.u32 %u2, %ntid.x;\n"
                          "\tld.param.u16 %u3, [ps1];\n"
                          "\tld.param.s8 %r7, [ps2];\n"
                          "\tld.param.f32 %r8, [ps3];\n"
                          "\tld.param.f64 %d5, [ps4];\n",
                          /*Needed=*/true));
  Scope S;
  S.IsUniform = true;
  S.Mask = "%mask";
  S.IsFullWarp = P.Shape.Block % 32 == 0 && !MayEnd;
  Budget = unsigned(R.from(10, 50));
  F.Statements = statements(S, Budget);
  outputs(F);
  F.Registers = registerDeclarations();
  return F;
}

Generator::Generator(uint64_t Seed, const SupportTest &IsSupported)
    // Mixed, lest the sequences of two seeds be one, shifted.
    : R(randomBits(Seed, 0)), IsSupported(IsSupported), GPU(Targets[0]) {
  static constexpr uint32_t Blocks[] = {32, 32, 32, 32, 64, 40, 33, 8, 1, 96};
  P.Shape.Seed = Seed;
  P.Shape.Block = R.pick(Blocks);
  P.Shape.Grid = R.percent(30) ? 2 : 1;
  P.Shape.Contract = R.percent(50);
  MayEnd = R.percent(10);
  if (R.percent(25))
    GPU = Targets[1];
  Opcodes = drawableForms(GPU);
}

RandomProgram Generator::run() {
  makeModule();
  for (uint64_t N = R.percent(50) ? R.from(1, 2) : 0; N != 0; --N)
    makeFunction();
  P.Functions.push_back(makeKernel());
  return std::move(P);
}

RandomProgram generate(uint64_t Seed, const SupportTest &IsSupported) {
  return Generator(Seed, IsSupported).run();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

Body Generator::statements(const Scope &S, unsigned Count) {
  Body B;
  for (unsigned N = 0; N != Count && Budget != 0; ++N) {
    --Budget;
    B.push_back(statement(S));
  }
  return B;
}

/// Kinds of statements with their weights; those that may not stand in the
/// scope give way to an instruction.
Statement Generator::statement(const Scope &S) {
  bool MayNest = S.Depth < 4 && Budget > 2;
  bool MayLoop = MayNest && S.Loops < 2;
  bool HasMask = !S.Mask.empty();
  uint64_t Roll = R.below(1000);
  auto Takes = [&](uint64_t Weight, bool MayStand) {
    bool Taken = Roll < Weight && MayStand;
    Roll = Roll < Weight ? 1000 : Roll - Weight;
    return Taken;
  };
  if (Takes(80, true))
    return access(S);
  if (Takes(70, true))
    return canonicalise();
  if (Takes(35, true))
    return carryChain();
  if (Takes(12, true))
    return extremeChain();
  if (Takes(12, true))
    return conditionChain();
  if (Takes(25, true))
    return predicateLogic();
  if (Takes(25, S.IsUniform))
    return uniformStep();
  if (Takes(25, true))
    return packing();
  if (Takes(15, true))
    return byteMove();
  if (Takes(10, true))
    return specialRegister();
  if (Takes(70, HasMask))
    return warpOperation(S);
  if (Takes(25, S.IsUniform))
    return exchange(S);
  if (Takes(15, HasMask))
    return leaderExchange(S);
  if (Takes(20, true))
    return privateAtomic();
  if (Takes(12, true))
    return vectorAtomic();
  if (Takes(30, true))
    return asyncOperation();
  if (Takes(8, true))
    return stackMemory();
  if (Takes(15, true))
    return sharedSum();
  if (Takes(70, MayNest))
    return branchOn(S);
  if (Takes(25, MayLoop))
    return loop(S);
  if (Takes(20, MayLoop && HasMask))
    return maskedLoop(S);
  if (Takes(12, MayNest))
    return indexedBranch(S);
  if (Takes(14, MayLoop))
    return jumble(S);
  if (Takes(25, !S.Break.empty()))
    return leaveLoop(S);
  if (Takes(8, MayEnd && S.IsUniform && S.Depth == 0))
    return endThreads(S);
  if (Takes(35, !Callees.empty()))
    return call(S);
  if (std::optional<std::string> Text = randomInstruction())
    return group("\t" + *Text + "\n");
  return packing();
}

/// add.cc and its like, one after the other so that the flag is theirs.
Statement Generator::carryChain() {
  static constexpr const char *First[] = {"add.cc", "sub.cc", "mad.lo.cc",
                                          "mad.hi.cc"};
  static constexpr const char *Next[] = {"addc", "subc", "madc.lo", "madc.hi"};
  static constexpr const char *Types[] = {".u32", ".s32", ".u64", ".s64"};
  std::string Text;
  unsigned Length = unsigned(R.from(2, 5));
  for (unsigned N = 0; N != Length; ++N) {
    std::string Op = N == 0 ? R.pick(First) : R.pick(Next);
    if (N != 0 && (N + 1 != Length || R.percent(30)))
      Op += ".cc";
    const char *Type = R.pick(Types);
    ptx::Type Ty = StringRef(Type).ends_with("64")
                       ? Type[1] == 'u' ? ptx::Type::U64 : ptx::Type::S64
                   : Type[1] == 'u' ? ptx::Type::U32
                                    : ptx::Type::S32;
    unsigned Width = getTypeBits(Ty);
    // The first one sets the flag in any case.
    if (N != 0 && R.percent(8))
      Text += "\t@" + predicate();
    Text += "\t" + Op + Type + " " + exactWriteable(Width);
    unsigned Sources = StringRef(Op).starts_with("mad") ? 3 : 2;
    for (unsigned K = 0; K != Sources; ++K)
      Text += ", " + source(Ty, false, false);
    Text += ";\n";
  }
  return group(Text);
}

/// A sum or an extreme, then an extreme, perhaps of another signedness, and
/// perhaps no less than zero: parts of one instruction, or nearly.
Statement Generator::extremeChain() {
  static constexpr const char *First[] = {"min", "max", "add", "sub"};
  static constexpr const char *Second[] = {"min", "max"};
  bool Packed =
      R.percent(40) && mayUse("max.s16x2", "\tmax.s16x2 %r0, %r1, %r2;");
  auto Type = [&](bool Signed) {
    return std::string(Signed ? ".s" : ".u") + (Packed ? "16x2 " : "32 ");
  };
  auto Source = [&] {
    return Packed ? exact(32) : source(ptx::Type::S32, false, false);
  };
  bool Signed = R.percent(60);
  std::string T = temp(".b32"), Result = exactWriteable(32);
  std::string Text = "\t" + std::string(First[R.below(Packed ? 3 : 4)]) +
                     Type(Signed) + T + ", " + Source() + ", " + Source() +
                     ";\n";
  if (R.percent(80))
    Text += "\t" + std::string(R.pick(Second)) +
            Type(R.percent(90) ? Signed : !Signed) + T + ", " + T + ", " +
            Source() + ";\n";
  if (R.percent(40)) {
    std::string Zero = temp(".b32");
    Text += "\tmov.b32 " + Zero + ", 0;\n\tmax" + Type(true) + T + ", " + T +
            ", " + Zero + ";\n";
  }
  return group(Text + "\tmov.b32 " + Result + ", " + T + ";\n");
}

/// What a comparison selects, which may be counted.
Statement Generator::conditionChain() {
  static constexpr const char *Comparisons[] = {"eq", "ne", "lt",
                                                "le", "gt", "ge"};
  std::string P = temp(".pred"), T = temp(".b32");
  ptx::Type Ty = R.percent(50) ? ptx::Type::S32 : ptx::Type::U32;
  std::string A = exact(32), B = source(Ty, false, false);
  auto Choice = [&] {
    return R.percent(40)   ? std::string("0")
           : R.percent(70) ? std::string(R.percent(60) ? "1" : "-1")
                           : exact(32);
  };
  std::string Yes = Choice(), No = Yes == "0" ? Choice() : "0";
  std::string Text = "\tsetp." + std::string(R.pick(Comparisons)) +
                     (Ty == ptx::Type::S32 ? ".s32 " : ".u32 ") + P + ", " + A +
                     ", " + B + ";\n\tselp.b32 " + T + ", " + Yes + ", " + No +
                     ", " + P + ";\n";
  std::string Result = exactWriteable(32);
  if (R.percent(50))
    return group(Text + "\tmov.b32 " + Result + ", " + T + ";\n");
  return group(Text + (R.percent(70) ? "\tadd.s32 " : "\tsub.s32 ") + Result +
               ", " + exact(32) + ", " + T + ";\n");
}

Statement Generator::predicateLogic() {
  static constexpr const char *Ops[] = {"and", "or", "xor"};
  switch (R.below(4)) {
  case 0:
    return group("\tnot.pred " + predicate() + ", " + predicate() + ";\n");
  case 1:
    return group("\tmov.pred " + predicate() + ", " + predicate() + ";\n");
  default:
    return group(std::string("\t") + R.pick(Ops) + ".pred " + predicate() +
                 ", " + predicate() + ", " + predicate() + ";\n");
  }
}

/// A step from values that are the same in all threads to such a one.
Statement Generator::uniformStep() {
  static constexpr const char *Ops[] = {
      "add.u32",    "sub.u32", "mul.lo.u32",    "xor.b32", "and.b32",
      "or.b32",     "min.s32", "max.u32",       "shl.b32", "shr.u32",
      "mul.hi.u32", "shr.s32", "bmsk.clamp.b32"};
  std::string B = R.percent(50)
                      ? reg("%u", 4)
                      : "0x" + utohexstr(uint32_t(interestingWord(R)));
  return group(std::string("\t") + R.pick(Ops) + " " + reg("%u", 4) + ", " +
               reg("%u", 4) + ", " + B + ";\n");
}

/// Registers put together and taken apart.
Statement Generator::packing() {
  switch (R.below(7)) {
  case 0:
    return group("\tmov.b32 " + exactWriteable(32) + ", {" + exact(16) + ", " +
                 exact(16) + "};\n");
  case 1:
    return group("\tmov.b64 " + exactWriteable(64) + ", {" + exact(32) + ", " +
                 exact(32) + "};\n");
  case 2:
    return group("\tmov.b64 " + exactWriteable(64) + ", {" + exact(16) + ", " +
                 exact(16) + ", " + exact(16) + ", " + exact(16) + "};\n");
  case 3:
    return group("\tmov.b32 {%h0, %h" + std::to_string(R.from(1, 5)) + "}, " +
                 exact(32) + ";\n");
  case 4:
    return group("\tmov.b64 {%r0, %r" + std::to_string(R.from(1, 9)) + "}, " +
                 exact(64) + ";\n");
  case 5:
    return group("\tmov.b128 " + exactWriteable(128) + ", {" + exact(64) +
                 ", " + exact(64) + "};\n");
  default:
    return group("\tmov.b128 {%d0, %d" + std::to_string(R.from(1, 5)) + "}, " +
                 exact(128) + ";\n");
  }
}

/// Registers of 8 bits, which only a few instructions read and write.
Statement Generator::byteMove() {
  static constexpr const char *Words[] = {".u32", ".s32", ".u16", ".u64"};
  const char *Word = R.pick(Words);
  unsigned Width = Word[2] == '6' ? 64 : Word[2] == '3' ? 32 : 16;
  const char *Byte = Word[1] == 's' ? ".s8" : ".u8";
  if (R.percent(50))
    return group(std::string("\tcvt") + Word + Byte + " " +
                 exactWriteable(Width) + ", " + reg("%e", 3) + ";\n");
  return group(std::string("\tcvt") + Byte + Word + " " + reg("%e", 3) + ", " +
               exact(Width) + ";\n");
}

Statement Generator::specialRegister() {
  static constexpr const char *Names[] = {
      "%laneid",      "%lanemask_eq", "%lanemask_lt", "%lanemask_le",
      "%lanemask_gt", "%lanemask_ge", "%tid.x",       "%tid.y",
      "%ntid.x",      "%ntid.y",      "%ctaid.x",     "%ctaid.z",
      "%nctaid.x",    "%nctaid.y",    "%warpid"};
  return group(std::string("\tmov.u32 ") + exactWriteable(32) + ", " +
               R.pick(Names) + ";\n");
}

} // namespace heddle::random
