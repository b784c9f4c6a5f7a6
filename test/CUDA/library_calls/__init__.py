"""Calls of functions of NVIDIA's math libraries, for ../libraries.py."""
