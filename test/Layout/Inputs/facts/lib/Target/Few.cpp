case isa::Op::FADD:
case isa::Op::FMUL:
case isa::Op::FFMA:
case isa::Op::DADD:
case isa::Op::ISETP:
case isa::Op::SHL:
case isa::Op::LEA:
  return true;
