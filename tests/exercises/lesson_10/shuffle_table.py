"""What learners write in shuffle-table, and what the check is to say of it."""

KINDS = ("nothing", "sinusoidal", "T5", "ALiBi", "RoPE")


def table_of(*rows: str) -> dict[str, list[int]]:
    return {kind: [int(cell) for cell in row] for kind, row in zip(KINDS, rows, strict=True)}


# right
my_table = table_of("010", "111", "110", "110", "110")

# not attempted
my_table = {kind: [None, None, None] for kind in KINDS}

# named: turned-round
my_table = table_of("110", "011", "010", "010", "010")

# named: always-changes
my_table = table_of("010", "111", "111", "111", "111")

# unnamed
# told: nothing, shuffled under a causal mask: not 0
my_table = table_of("000", "111", "110", "110", "110")

# unnamed
# told: RoPE, moved by 100: not 1
my_table = table_of("010", "111", "110", "110", "111")
