"""Everything that imports torch. Importing this loads nothing.

attention   the same attention in PyTorch, readable and fused, and as an nn.Module    lesson 08
weights     parameters to and from NumPy, and from nn.MultiheadAttention              lesson 08
parity      four implementations, one answer: the grid of largest differences         lesson 08
gpu         which dtype a GPU multiplies fast, and whether TF32 is allowed             lessons 08, 13
with_triton Triton where it can be had, and why not where it cannot                   lesson 13
first_kernels   a sum of vectors and softmax of rows: how a kernel is launched        lesson 13
kernel_programs attention in tiles as Triton kernels, forward and backward            lesson 13
kernel_tiles    how those cut their work, by dtype, width and GPU                     lesson 13
kernels     those kernels for PyTorch: tiled_attention                                lesson 13
induction   a small transformer of attention alone, its task, its training            lesson 12
inside      what its heads look at, and what is left without them; its circuits       lesson 12
"""
