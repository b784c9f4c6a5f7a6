//===- Kernels.cpp - Kernels that run functions -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of libdevice's functions have their parameters as NVPTX declares them:
// bits, pointers being generic addresses.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <cctype>
#include <set>

using namespace heddle::accuracy;

std::string heddle::accuracy::kernelName(const Function &F) {
  std::string Name = "k_";
  for (char C : F.Name)
    Name += std::isalnum(static_cast<unsigned char>(C)) ? std::string(1, C)
            : C == '/'                                  ? "div"
                                                        : "_";
  return Name;
}

/// The type of a parameter, which has no more meaning than its size.
static std::string bitsType(const Format &Of) {
  return "b" + std::to_string(Of.bits());
}

static std::string text(size_t Number) { return std::to_string(Number); }

/// The parameter list of a declaration.
static std::string parameters(const Function &F) {
  std::string Text;
  size_t Count = 0;
  auto Add = [&](const std::string &Type) {
    Text += (Count ? ", .param ." : ".param .") + Type + " a" + text(Count);
    ++Count;
  };
  for (const Format &Of : F.Arguments)
    Add(bitsType(Of));
  for (size_t I = 0; I != F.Outputs.size(); ++I)
    Add("b64");
  return Text;
}

static const Format &returned(const Function &F) {
  // What a function returns beside a result by pointer has the arguments' type.
  return F.Output < 0 ? F.Result : F.Arguments[0];
}

static std::string declaration(const Function &F) {
  std::string Result;
  if (!F.ReturnsNothing)
    Result = "(.param ." + bitsType(returned(F)) + " r) ";
  return ".extern .func " + Result + F.Library + "(" + parameters(F) + ");\n";
}

/// The call, with its parameters' values in %x0, ... and results in %y.
static std::string callText(const Function &F) {
  std::string Text = "  {\n", List;
  size_t Count = 0;
  auto Pass = [&](const std::string &Type, const std::string &Register) {
    std::string Name = "p" + text(Count++);
    Text += "  .param ." + Type + " " + Name + ";\n  st.param." + Type + " [" +
            Name + "], " + Register + ";\n";
    List += (List.empty() ? "" : ", ") + Name;
  };
  for (size_t I = 0; I != F.Arguments.size(); ++I)
    Pass(bitsType(F.Arguments[I]), "%x" + text(I));
  for (size_t I = 0; I != F.Outputs.size(); ++I) {
    Text += "  add.u64 %o, %local, " + text(8 * I) + ";\n";
    Pass("b64", "%o");
  }
  std::string Type = bitsType(returned(F));
  if (!F.ReturnsNothing)
    Text += "  .param ." + Type + " r;\n";
  Text += std::string("  call ") + (F.ReturnsNothing ? "" : "(r), ") +
          F.Library + ", (" + List + ");\n";
  if (F.Output < 0)
    Text += "  ld.param." + Type + " %y, [r];\n  }\n";
  else
    Text += std::string("  }\n  ld.") + F.Result.PTXType + " %y, [%local + " +
            text(8 * F.Output) + "];\n";
  return Text;
}

/// Both lanes have the argument; even threads store the lower one.
static std::string packedText(const Function &F) {
  return "  mov.b32 %p0, {%x0, %x0};\n  " + F.Instruction +
         "\n  { .reg .b16 %l, %h; .reg .b32 %b; .reg .pred %odd;\n"
         "  mov.b32 {%l, %h}, %q; and.b32 %b, %i, 1;\n"
         "  setp.ne.u32 %odd, %b, 0; selp.b16 %y, %h, %l, %odd; }\n";
}

static std::string kernelText(const Function &F) {
  size_t Count = F.Arguments.size();
  std::string Text = ".visible .entry " + kernelName(F) + "(";
  for (size_t I = 0; I != Count; ++I)
    Text += ".param .u64 a" + text(I) + ", ";
  Text += ".param .u64 out, .param .u32 n)\n{\n";
  Text += "  .reg .b32 %i, %t, %p0, %q;\n  .reg .b64 %at, %wide, %local, %o;\n"
          "  .reg .pred %end;\n";
  for (size_t I = 0; I != Count; ++I)
    Text += std::string("  .reg .") + F.Arguments[I].PTXType + " %x" + text(I) +
            ";\n";
  Text += std::string("  .reg .") + F.Result.PTXType + " %y;\n";
  if (!F.Outputs.empty())
    Text += "  .local .align 8 .b8 outputs[16];\n";
  Text += "  mov.u32 %i, %ctaid.x;\n  mov.u32 %t, %ntid.x;\n"
          "  mul.lo.u32 %i, %i, %t;\n  mov.u32 %t, %tid.x;\n"
          "  add.u32 %i, %i, %t;\n  ld.param.u32 %t, [n];\n"
          "  setp.ge.u32 %end, %i, %t;\n  @%end ret;\n";
  auto Address = [&](const std::string &Column, const Format &Of) {
    Text += "  ld.param.u64 %at, [" + Column +
            "];\n  mul.wide.u32 %wide, %i, " + text(Of.bytes()) +
            ";\n  add.u64 %at, %at, %wide;\n";
  };
  for (size_t I = 0; I != Count; ++I) {
    Address("a" + text(I), F.Arguments[I]);
    Text += std::string("  ld.global.") + F.Arguments[I].PTXType + " %x" +
            text(I) + ", [%at];\n";
  }
  if (!F.Outputs.empty())
    Text += "  mov.u64 %local, outputs;\n  cvta.local.u64 %local, %local;\n";
  Text += F.Instruction.empty() ? callText(F)
          : F.Lanes == 2        ? packedText(F)
                                : "  " + F.Instruction + "\n";
  Address("out", F.Result);
  return Text + "  st.global." + F.Result.PTXType + " [%at], %y;\n  ret;\n}\n";
}

std::string
heddle::accuracy::ptxText(const std::vector<const Function *> &Functions) {
  std::string Text, Version = "8.0", Target = "sm_90";
  std::set<std::string> Declared;
  for (const Function *F : Functions) {
    if (F->Instruction.find(".2pi") != std::string::npos) {
      Version = "9.5";
      Target = "sm_107a";
    }
    if (F->Instruction.empty() && Declared.insert(F->Library).second)
      Text += declaration(*F);
  }
  for (const Function *F : Functions)
    Text += kernelText(*F);
  return ".version " + Version + "\n.target " + Target +
         "\n.address_size 64\n" + Text;
}

std::string
heddle::accuracy::cudaText(const std::vector<const Function *> &Functions) {
  std::string Text = "// Written by heddle-accuracy --print-cuda.\n"
                     "#pragma nv_diag_suppress 550\n"
                     "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n";
  const char *Names = "xyzt";
  for (const Function *F : Functions) {
    Text += "extern \"C\" __global__ void " + kernelName(*F) + "(";
    for (size_t I = 0; I != F->Arguments.size(); ++I)
      Text += std::string("const ") + F->Arguments[I].CUDAType + " *" +
              Names[I] + "s, ";
    std::string Real = F->Arguments.back().CUDAType;
    Text += std::string(F->Result.CUDAType) +
            " *out, unsigned n) {\n"
            "  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (id >= n)\n    return;\n  " +
            Real + " a = 0, b = 0;\n  int i = 0;\n";
    for (size_t I = 0; I != F->Arguments.size(); ++I)
      Text += std::string("  ") + F->Arguments[I].CUDAType + " " + Names[I] +
              " = " + Names[I] + "s[id];\n";
    Text += "  out[id] = (" + F->CUDA + ");\n  (void)a, (void)b, (void)i;\n}\n";
  }
  return Text;
}
