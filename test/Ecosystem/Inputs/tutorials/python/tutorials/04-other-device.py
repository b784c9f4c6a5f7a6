print("⛔ This example requires another GPU")
