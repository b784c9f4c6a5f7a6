"""Stands for matplotlib: nothing is drawn."""


def use(back_end):
    print("draws with", back_end)
