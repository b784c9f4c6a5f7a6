F.addFnAttr("heddle-params"); // "heddle-params" in a comment is none
Triple T("heddle-unknown-unknown");
if (F.getCallingConv() == CallingConv::PTX_Kernel)
  print("version 1.2.3");
F.addFnAttr("heddle-params-more");
unsigned Words = Name == "vprintf" ? 4 : 2;
