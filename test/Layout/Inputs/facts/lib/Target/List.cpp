case isa::Op::IADD3:
case isa::Op::FADD:
case isa::Op::FMUL:
case isa::Op::FFMA:
case isa::Op::DADD:
case isa::Op::ISETP:
  return true;
