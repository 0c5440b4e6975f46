"""Mutation of the maths helpers, for tools/mutants.py.

modules    which helpers are maths, and which tests are a helper's own
making     a module's source -> every small change of it that might matter
equivalent what need not be noticed, with the reason
running    a mutant -> whether the module's own tests notice
"""
