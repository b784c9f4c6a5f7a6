//===- HeddleABI.td - Calling convention, address windows, system -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiler, loader and devices agree on beyond single instructions: address
// windows, the calling convention, system calls and special registers.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Generic address windows: the high word of a generic address. Any other high
// word is global memory.
//===----------------------------------------------------------------------===//

class Window<string name, int high> {
  string Name = name;
  int High = high;
}
def WIN_SHARED : Window<"SharedWindow", 0x7F000000>;
def WIN_LOCAL  : Window<"LocalWindow", 0x7F010000>;
def WIN_CONST  : Window<"ConstWindow", 0x7F020000>;
def WIN_PARAM  : Window<"ParamWindow", 0x7F030000>;

//===----------------------------------------------------------------------===//
// Registers of the calling convention.
//   R1       stack pointer: a byte offset in local memory, 16-aligned, grows
//            down. At kernel entry it is the thread's local memory size.
//   R2-R3    return address, written by CALL
//   R4-R15   arguments and results, in order; 64-bit values in aligned groups
//   R16-R31  kept by the callee, as are B0-B15. Everything else is not.
// Functions never write uniform registers: they may run diverged.
//===----------------------------------------------------------------------===//

class ABIConstant<int value, string meaning> {
  int Value = value;
  string Meaning = meaning;
}
def ABI_StackPointer : ABIConstant<1, "register of the stack pointer">;
def ABI_ReturnAddress : ABIConstant<2, "first register of the return address">;
def ABI_FirstArgument : ABIConstant<4, "first argument and result register">;
def ABI_LastArgument : ABIConstant<15, "last argument and result register">;
def ABI_FirstCalleeSaved : ABIConstant<16, "first register that a callee keeps">;
def ABI_LastCalleeSaved : ABIConstant<31, "last register that a callee keeps">;
def ABI_ParamBank : ABIConstant<0, "constant bank of the kernel parameters">;
def ABI_ConstBank : ABIConstant<3, "constant bank of module constants">;
def ABI_SharedRankShift : ABIConstant<24, "bit of a shared address from which the rank of a CTA in the cluster stands, if it has one">;
def ABI_SharedHasRank : ABIConstant<30, "bit of a shared address that is one in those that have a rank">;
def ABI_StackAlign : ABIConstant<16, "bytes to which the stack pointer is aligned">;
def ABI_Machine : ABIConstant<0x4844, "e_machine of code objects">;
def ABI_Version : ABIConstant<1, "version of the ISA and ABI, in e_flags">;

//===----------------------------------------------------------------------===//
// System calls. Arguments and results as for a function of that signature.
//===----------------------------------------------------------------------===//

class SystemCall<int number, string function, int arguments, int results, string meaning> {
  int Number = number;
  string Function = function;
  // Registers from the first argument register on; 64-bit values are aligned.
  int ArgumentRegisters = arguments;
  int ResultRegisters = results;
  string Meaning = meaning;
}
def SYS_vprintf : SystemCall<1, "vprintf", 4, 1, "int vprintf(const char *format, const void *arguments): formats and prints; the generic addresses are read by the runtime.">;
def SYS_malloc : SystemCall<2, "malloc", 2, 2, "void *malloc(size_t size): device heap.">;
def SYS_free : SystemCall<3, "free", 2, 0, "void free(void *p).">;
def SYS_assertfail : SystemCall<4, "__assertfail", 10, 0, "void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t charsize): ends the launch with the fault 'assert'.">;
def SYS_query : SystemCall<5, "__heddle_device_query", 8, 2, "uint64_t __heddle_device_query(uint32_t what, uint64_t a, uint64_t b, uint64_t c): what a kernel may ask of the device; `heddle/ISA/DeviceWork.h` has the questions.">;
def SYS_enqueue : SystemCall<6, "__heddle_device_enqueue", 2, 1, "int __heddle_device_enqueue(struct DeviceWork *work): a grid, a copy or a fill, as `heddle/ISA/DeviceWork.h` describes it, which is carried out before the grid counts as done; an error's number, or 0. The block at `work` is freed.">;

//===----------------------------------------------------------------------===//
// Special registers, read by S2R, S2R64 and S2UR. Uniform: the same for all
// threads of a warp at all times.
//===----------------------------------------------------------------------===//

class SpecialRegister<int number, string name, bit uniform, bit wide, string intrinsic,
                      string ptx = "%"#name> {
  int Number = number;
  string Name = name;      // PTX's, without '%', where PTX has it
  string PTX = ptx;        // what it is in terms of PTX
  bit Uniform = uniform;
  bit Wide = wide;         // 64 bits
  string Intrinsic = intrinsic; // after llvm.nvvm.read.ptx.sreg.
}
def SR_tid_x : SpecialRegister<0, "tid.x", 0, 0, "tid.x">;
def SR_tid_y : SpecialRegister<1, "tid.y", 0, 0, "tid.y">;
def SR_tid_z : SpecialRegister<2, "tid.z", 0, 0, "tid.z">;
def SR_ntid_x : SpecialRegister<3, "ntid.x", 1, 0, "ntid.x">;
def SR_ntid_y : SpecialRegister<4, "ntid.y", 1, 0, "ntid.y">;
def SR_ntid_z : SpecialRegister<5, "ntid.z", 1, 0, "ntid.z">;
def SR_ctaid_x : SpecialRegister<6, "ctaid.x", 1, 0, "ctaid.x">;
def SR_ctaid_y : SpecialRegister<7, "ctaid.y", 1, 0, "ctaid.y">;
def SR_ctaid_z : SpecialRegister<8, "ctaid.z", 1, 0, "ctaid.z">;
def SR_nctaid_x : SpecialRegister<9, "nctaid.x", 1, 0, "nctaid.x">;
def SR_nctaid_y : SpecialRegister<10, "nctaid.y", 1, 0, "nctaid.y">;
def SR_nctaid_z : SpecialRegister<11, "nctaid.z", 1, 0, "nctaid.z">;
def SR_laneid : SpecialRegister<12, "laneid", 0, 0, "laneid">;
def SR_warpid : SpecialRegister<13, "warpid", 1, 0, "warpid">;
def SR_nwarpid : SpecialRegister<14, "nwarpid", 1, 0, "nwarpid">;
def SR_smid : SpecialRegister<15, "smid", 1, 0, "smid">;
def SR_nsmid : SpecialRegister<16, "nsmid", 1, 0, "nsmid">;
def SR_lanemask_eq : SpecialRegister<17, "lanemask_eq", 0, 0, "lanemask.eq">;
def SR_lanemask_le : SpecialRegister<18, "lanemask_le", 0, 0, "lanemask.le">;
def SR_lanemask_lt : SpecialRegister<19, "lanemask_lt", 0, 0, "lanemask.lt">;
def SR_lanemask_ge : SpecialRegister<20, "lanemask_ge", 0, 0, "lanemask.ge">;
def SR_lanemask_gt : SpecialRegister<21, "lanemask_gt", 0, 0, "lanemask.gt">;
def SR_clock : SpecialRegister<22, "clock", 0, 0, "clock">;
def SR_clock_hi : SpecialRegister<23, "clock_hi", 0, 0, "">;
def SR_clock64 : SpecialRegister<24, "clock64", 0, 1, "clock64">;
def SR_globaltimer : SpecialRegister<25, "globaltimer", 0, 1, "globaltimer">;
def SR_gridid : SpecialRegister<26, "gridid", 1, 1, "gridid">;
def SR_dynamic_smem_size : SpecialRegister<27, "dynamic_smem_size", 1, 0, "dynamic_smem_size">;
def SR_total_smem_size : SpecialRegister<28, "total_smem_size", 1, 0, "total_smem_size">;
def SR_is_explicit_cluster : SpecialRegister<29, "is_explicit_cluster", 1, 0, "">;
def SR_aggr_smem_size : SpecialRegister<30, "aggr_smem_size", 1, 0, "aggr_smem_size">;
def SR_clusterid_x : SpecialRegister<32, "clusterid.x", 1, 0, "clusterid.x">;
def SR_clusterid_y : SpecialRegister<33, "clusterid.y", 1, 0, "clusterid.y">;
def SR_clusterid_z : SpecialRegister<34, "clusterid.z", 1, 0, "clusterid.z">;
def SR_nclusterid_x : SpecialRegister<35, "nclusterid.x", 1, 0, "nclusterid.x">;
def SR_nclusterid_y : SpecialRegister<36, "nclusterid.y", 1, 0, "nclusterid.y">;
def SR_nclusterid_z : SpecialRegister<37, "nclusterid.z", 1, 0, "nclusterid.z">;
def SR_cluster_ctaid_x : SpecialRegister<38, "cluster_ctaid.x", 1, 0, "cluster.ctaid.x">;
def SR_cluster_ctaid_y : SpecialRegister<39, "cluster_ctaid.y", 1, 0, "cluster.ctaid.y">;
def SR_cluster_ctaid_z : SpecialRegister<40, "cluster_ctaid.z", 1, 0, "cluster.ctaid.z">;
def SR_cluster_nctaid_x : SpecialRegister<41, "cluster_nctaid.x", 1, 0, "cluster.nctaid.x">;
def SR_cluster_nctaid_y : SpecialRegister<42, "cluster_nctaid.y", 1, 0, "cluster.nctaid.y">;
def SR_cluster_nctaid_z : SpecialRegister<43, "cluster_nctaid.z", 1, 0, "cluster.nctaid.z">;
def SR_cluster_ctarank : SpecialRegister<44, "cluster_ctarank", 1, 0, "cluster.ctarank">;
def SR_cluster_nctarank : SpecialRegister<45, "cluster_nctarank", 1, 0, "cluster.nctarank">;
def SR_envreg1 : SpecialRegister<46, "envreg1", 1, 0, "envreg1">;
def SR_envreg2 : SpecialRegister<47, "envreg2", 1, 0, "envreg2">;
// The number of the thread in the grid along an axis, and the grid's threads.
def SR_gridtid_x : SpecialRegister<48, "gridtid.x", 0, 1, "", "%ctaid.x * %ntid.x + %tid.x">;
def SR_gridtid_y : SpecialRegister<49, "gridtid.y", 0, 1, "", "%ctaid.y * %ntid.y + %tid.y">;
def SR_gridtid_z : SpecialRegister<50, "gridtid.z", 0, 1, "", "%ctaid.z * %ntid.z + %tid.z">;
def SR_ngridtid_x : SpecialRegister<51, "ngridtid.x", 1, 1, "", "%nctaid.x * %ntid.x">;
def SR_ngridtid_y : SpecialRegister<52, "ngridtid.y", 1, 1, "", "%nctaid.y * %ntid.y">;
def SR_ngridtid_z : SpecialRegister<53, "ngridtid.z", 1, 1, "", "%nctaid.z * %ntid.z">;
