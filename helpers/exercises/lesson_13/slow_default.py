"""slow-default, lesson 13: a training run is half as fast as it was, on the same GPU: what first?"""

from helpers.exercises.kinds.choose import Choose

BACK_ENDS = "13: Which kernel ran?"

EXERCISE = Choose(
    name="slow-default",
    task="A training run on an H100 is half as fast as last month, with the same code: what first?",
    answer="c",
    options={
        "a": "The loss would not be the same if the mask were ignored, and a fused kernel "
        "that takes no mask raises or is passed over. Nothing here speaks for it.",
        "b": "It would run. But PyTorch may have passed cuDNN over because of a bug in your version. "
        "You would not know what ran before, and on another GPU the one that you forced may be the slow one "
        "(on an A100 it was).",
        "c": "Time the very call, with its shapes and dtype, once under each back end named by sdpa_kernel. "
        "One of them will match the slow run and one the fast run: now you know which kernel ran, and why "
        "the default changed is a question with an answer (another build of PyTorch, another cuDNN).",
        "d": "With n 4,096 and d 128 the products are thousands of operations for each byte. A call is no "
        "longer limited by bytes there, and the same code had the same batch last month.",
        "e": "MATH makes the n × n table. It is the slowest, and does not tell the fused kernels apart.",
    },
    hints=(
        "Same code, same numbers, another time. What does PyTorch choose for you, by device, dtype, width, "
        "mask and version?",
        "Which measurement tells two kernels apart that give the same numbers?",
    ),
    reread=BACK_ENDS,
)
