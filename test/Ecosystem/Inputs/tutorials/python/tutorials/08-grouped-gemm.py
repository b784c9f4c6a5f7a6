print("a tutorial of other sizes")
