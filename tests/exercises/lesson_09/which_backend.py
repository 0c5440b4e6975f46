"""What learners write in which-backend, and what the check is to say of it."""

CALLS = (
    "A100, float32, d 64",
    "A100, bfloat16, d 64, is_causal",
    "A100, float16, d 128, is_causal",
    "A100, bfloat16, d 64, mask",
    "A100, float16, d 128, mask",
    "H100, float32, d 128, is_causal",
    "T4, float16, d 64",
    "T4, float16, d 64, is_causal",
    "A100, float64, d 64",
)

# right
my_kernels = {call: [kernel] for call, kernel in zip(CALLS, (2, 1, 1, 2, 2, 2, 2, 2, 3), strict=True)}
my_kernels = [[2], [1], [1], [2], [2], [2], [2], [2], [3]]

# named: flash-everywhere
my_kernels = [[1]] * 9

# named: mask-forgotten
my_kernels = [[2], [1], [1], [1], [1], [2], [2], [2], [3]]

# named: old-gpu-forgotten
my_kernels = [[2], [1], [1], [2], [2], [2], [1], [1], [3]]

# named: flag-is-a-mask
my_kernels = [[2], [2], [2], [2], [2], [2], [2], [2], [3]]

# named: no-efficient
my_kernels = [[3], [1], [1], [3], [3], [3], [3], [3], [3]]

# named: mask-to-math
my_kernels = [[2], [1], [1], [3], [3], [2], [2], [2], [3]]

# named: old-gpu-to-math
my_kernels = [[2], [1], [1], [2], [2], [2], [3], [3], [3]]

# named: float32-to-math
my_kernels = [[3], [1], [1], [2], [2], [3], [2], [2], [3]]

# named: counted-from-0
my_kernels = [[1], [0], [0], [1], [1], [1], [1], [1], [2]]

# told: not 1
# not told: no mask, whatever
my_kernels = [[2], [1], [1], [1], [2], [2], [2], [2], [3]]


# named: float32-to-flash
my_kernels = [[1], [1], [1], [2], [2], [1], [2], [2], [3]]

# told: "kernel" asks for numbers
my_kernels = [["efficient"], ["flash"], ["flash"], *[["efficient"]] * 5, ["math"]]
