"""Everything that imports torch. Importing this loads nothing.

attention   the same attention in PyTorch, readable and fused, and as an nn.Module    lesson 08
weights     parameters to and from NumPy, and from nn.MultiheadAttention              lesson 08
parity      four implementations, one answer: the grid of largest differences         lesson 08
kernels     attention in tiles as Triton kernels, forward and backward                lesson 13
"""
