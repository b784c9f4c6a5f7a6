//===- Kernel.cpp - PTX kernels that run forms ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups forms and writes the PTX of their kernels.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include <algorithm>
#include <cctype>

using namespace heddle;
using namespace heddle::forms;

std::vector<Group> forms::makeGroups(const std::vector<const Form *> &Forms) {
  std::vector<Group> Groups;
  for (const Form *F : Forms) {
    auto Fits = [&](const Group &G) {
      return G.Sources == F->Sources && G.Members.size() < MaxFormsPerKernel;
    };
    auto At = std::find_if(Groups.begin(), Groups.end(), Fits);
    if (At == Groups.end()) {
      Group New;
      New.KernelName = "forms" + std::to_string(Groups.size());
      New.Sources = F->Sources;
      New.FirstSlot.push_back(0);
      Groups.push_back(std::move(New));
      At = std::prev(Groups.end());
    }
    At->Members.push_back(F);
    At->FirstSlot.push_back(At->FirstSlot.back() +
                            static_cast<unsigned>(F->Results.size()));
  }
  return Groups;
}

unsigned forms::bytesOf(unsigned Bits) { return Bits == 1 ? 4 : Bits / 8; }

static std::string registerType(unsigned Bits) {
  return Bits == 1 ? ".pred" : ".b" + std::to_string(Bits);
}

static std::string name(char Kind, size_t Number) {
  return std::string("%") + Kind + std::to_string(Number);
}

/// The text of a form with registers for $d0 and $s0.
static std::string instantiate(const Form &F) {
  std::string Text;
  for (size_t At = 0; At != F.Text.size(); ++At) {
    bool Operand = F.Text[At] == '$' && At + 2 < F.Text.size() &&
                   std::isdigit(static_cast<unsigned char>(F.Text[At + 2]));
    Text += Operand ? '%' : F.Text[At];
  }
  return Text;
}

static std::string header(const std::string &Target) {
  return ".version 9.5\n.target " + Target + "\n.address_size 64\n";
}

static std::string declareSources(const Group &G) {
  std::string Text = "  .reg .pred %end;\n  .reg .b32 %i, %n, %t, %w;\n"
                     "  .reg .b64 %out, %at, %base;\n";
  for (size_t S = 0; S != G.Sources.size(); ++S)
    Text += "  .reg " + registerType(G.Sources[S].Bits) + " " + name('s', S) +
            ";\n";
  return Text;
}

/// Computes one form and stores its results at %out + Offset.
static std::string computeAndStore(const Form &F, unsigned Offset) {
  std::string Text = "  {\n";
  for (size_t D = 0; D != F.Results.size(); ++D)
    Text += "    .reg " + registerType(F.Results[D].Bits) + " " + name('d', D) +
            ";\n";
  Text += "    " + instantiate(F) + "\n";
  for (size_t D = 0; D != F.Results.size(); ++D) {
    std::string Place = "[%out+" + std::to_string(Offset + D * SlotBytes) + "]";
    std::string Value = name('d', D);
    unsigned Bits = F.Results[D].Bits;
    if (Bits == 1) {
      Text += "    selp.b32 %w, 1, 0, " + Value + ";\n";
      Value = "%w";
      Bits = 32;
    }
    Text += "    st.global.b" + std::to_string(Bits) + " " + Place + ", " +
            Value + ";\n";
  }
  return Text + "  }\n";
}

static std::string loadSource(const Group &G, size_t S) {
  unsigned Bits = G.Sources[S].Bits;
  std::string Text = "  ld.param.b64 %base, [p" + std::to_string(S) + "];\n" +
                     "  mul.wide.u32 %at, %i, " +
                     std::to_string(bytesOf(Bits)) +
                     ";\n  add.u64 %at, %at, %base;\n";
  if (Bits == 1)
    return Text + "  ld.global.b32 %w, [%at];\n  setp.ne.b32 " + name('s', S) +
           ", %w, 0;\n";
  return Text + "  ld.global.b" + std::to_string(Bits) + " " + name('s', S) +
         ", [%at];\n";
}

static std::string kernelText(const Group &G) {
  std::string Text = ".visible .entry " + G.KernelName + "(";
  for (size_t S = 0; S != G.Sources.size(); ++S)
    Text += ".param .b64 p" + std::to_string(S) + ", ";
  Text += ".param .b64 results, .param .b32 count) {\n" + declareSources(G) +
          "  mov.u32 %i, %ctaid.x;\n  mov.u32 %n, %ntid.x;\n"
          "  mov.u32 %t, %tid.x;\n  mad.lo.u32 %i, %i, %n, %t;\n"
          "  ld.param.b32 %n, [count];\n  setp.ge.u32 %end, %i, %n;\n"
          "  @%end ret;\n";
  for (size_t S = 0; S != G.Sources.size(); ++S)
    Text += loadSource(G, S);
  Text += "  ld.param.b64 %out, [results];\n  mul.wide.u32 %at, %i, " +
          std::to_string(G.recordBytes()) + ";\n  add.u64 %out, %out, %at;\n";
  for (size_t N = 0; N != G.Members.size(); ++N)
    Text += computeAndStore(*G.Members[N], G.FirstSlot[N] * SlotBytes);
  return Text + "  ret;\n}\n";
}

std::string forms::moduleText(const std::vector<Group> &Groups,
                              const std::string &Target) {
  std::string Text = header(Target);
  for (const Group &G : Groups)
    Text += kernelText(G);
  return Text;
}

/// Gives the source registers constant values.
static std::string setConstants(const Group &G, const Samples &Values,
                                size_t I) {
  std::string Text;
  for (size_t S = 0; S != G.Sources.size(); ++S) {
    unsigned Bits = G.Sources[S].Bits;
    std::string Value = std::to_string(Values.Columns[S][I]);
    if (Bits == 1)
      Text += "  mov.b32 %w, " + Value + ";\n  setp.ne.b32 " + name('s', S) +
              ", %w, 0;\n";
    else if (Bits == 8)
      Text += "  mov.b32 %w, " + Value + ";\n  cvt.u8.u32 " + name('s', S) +
              ", %w;\n";
    else
      Text += "  mov.b" + std::to_string(Bits) + " " + name('s', S) + ", " +
              Value + (Bits == 64 ? "U" : "") + ";\n";
  }
  return Text;
}

std::string forms::constantModuleText(const std::vector<Group> &Groups,
                                      const std::vector<Samples> &AllSamples,
                                      size_t Count, const std::string &Target) {
  std::string Text = header(Target);
  for (size_t N = 0; N != Groups.size(); ++N) {
    const Group &G = Groups[N];
    Text += ".visible .entry " + G.KernelName + "(.param .b64 results) {\n" +
            declareSources(G) + "  ld.param.b64 %out, [results];\n";
    for (size_t I = 0; I != std::min(Count, AllSamples[N].Count); ++I) {
      Text += setConstants(G, AllSamples[N], I);
      unsigned Record = static_cast<unsigned>(I) * G.recordBytes();
      for (size_t M = 0; M != G.Members.size(); ++M)
        Text +=
            computeAndStore(*G.Members[M], Record + G.FirstSlot[M] * SlotBytes);
    }
    Text += "  ret;\n}\n";
  }
  return Text;
}
