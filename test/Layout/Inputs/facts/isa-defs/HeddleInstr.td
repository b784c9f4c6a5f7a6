def OP_IADD3 : ISAOp<0x01, LC_ALU, "Title",
  "Meaning.", SWAP_Plain>;
def OP_FADD : ISAOp<0x02, LC_ALU, "Title",
  "Meaning.", SWAP_Plain>;
def OP_FMUL : ISAOp<0x03, LC_ALU, "Title",
  "Meaning.", SWAP_Plain>;
def OP_FFMA : ISAOp<0x04, LC_ALU, "Title",
  "Meaning.", SWAP_Plain>;
def OP_DADD : ISAOp<0x05, LC_ALU, "Title",
  "Meaning.", SWAP_Plain>;
def OP_ISETP : ISAOp<0x06, LC_ALU, "Title",
  "Meaning.", SWAP_Compare>;
def OP_SHL : ISAOp<0x10, LC_ALU, "Title", "Meaning.">;
def OP_LEA : ISAOp<0x11, LC_ALU, "Title", "Meaning.", SWAP_No>;
