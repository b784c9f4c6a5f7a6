"""Runs a program as main in a locale whose numbers have commas.

usage: in_german.py PROGRAM [ARGUMENT...]
"""
import locale
import runpy
import sys

locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
print("half is", locale.str(0.5), flush=True)
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
