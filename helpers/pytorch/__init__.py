"""Everything that imports torch. Importing this loads nothing.

attention   the same attention in PyTorch, readable and fused, and as an nn.Module    lesson 08
weights     parameters to and from NumPy, and from nn.MultiheadAttention              lesson 08
parity      four implementations, one answer: the grid of largest differences         lesson 08
induction   a small transformer of attention alone, its task, its training            lesson 12
inside      what its heads look at, and what is left without them; its circuits       lesson 12
kernels     attention in tiles as Triton kernels, forward and backward                lesson 13
"""
