print("❌ Triton and Torch differ")
