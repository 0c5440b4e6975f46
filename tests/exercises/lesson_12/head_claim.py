"""What learners write in head-claim, and what the check is to say of it."""


def table_of(*rows: str) -> dict[str, list[int]]:
    return {model: [int(cell) for cell in row] for model, row in zip("PQRST", rows, strict=True)}


# right
my_claims = table_of("101", "111", "010", "100", "100")

# not attempted
my_claims = {model: [None, None, None] for model in "PQRST"}

# named: without-for-needed
my_claims = table_of("111", "101", "000", "110", "110")

# named: looks-so-needed
my_claims = table_of("111", "111", "000", "110", "110")

# named: looks-so-enough
my_claims = table_of("101", "111", "010", "101", "101")

# unnamed
# told: R, needed: not 0
my_claims = table_of("101", "111", "000", "100", "100")
