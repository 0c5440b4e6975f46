"""What several exercises of lesson 09 use: sections to reread."""

HOW_LONG = "09: How long does it take?"
THE_JUMP = "09: Optional: why does it jump at 32 MiB?"
LIMITS = "09: What limits it?"
HOW_MUCH = "09: How much faster, then?"
WHICH_KERNEL = "09: Which kernel runs?"
