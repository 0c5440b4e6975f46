"""What learners write in disagree, and what the check is to say of it."""

# right
query_and_two_keys = [[1, 0], [1, 0], [3, 3]]

# named: same-choice
query_and_two_keys = [[1, 0], [1, 1], [0, 1]]

# named: same-choice
# told: both choose the first key
# not told: key 0
query_and_two_keys = [[1, 0], [2, 0.1], [1, 1]]

# named: same-choice
# told: make the key with the larger cosine longer
# not told: smaller
query_and_two_keys = [[1, 0], [-1, 5], [-2, 0.1]]

# named: same-choice
# told: turn it towards the query, then
# not told: product wins
query_and_two_keys = [[1, 0], [3, 1], [0, 2]]
query_and_two_keys = [[1, 0], [3, 1], [-1, 2]]

# named: tie
# told: the two cosines are equal
# not told: key 0
query_and_two_keys = [[1, 1], [1, 1], [3, 3]]

# named: tie
# told: the two dot products are equal
# not told: key 0
query_and_two_keys = [[1, 0], [1, 0], [1, 5]]

# named: equal-lengths
# told: Make the key with the smaller cosine longer
# not told: one of them
query_and_two_keys = [[1, 1], [1, 0], [0.6, 0.8]]

# named: equal-lengths
# told: turn it towards the query, then
# not told: product wins
query_and_two_keys = [[1, 0], [1, 0], [0, 1]]

# told: 3 rows are needed
# not told: list of 3
query_and_two_keys = ([1, 0], ([1, 0], [5, 5]))

# told: remove the quotation marks
# not told: list of 3
query_and_two_keys = "[[1, 0], [1, 0], [5, 5]]"

# told: row 1 holds the text "1"
# not told: list of 3
query_and_two_keys = [["1", "0"], ["a", "b"], ["5", "5"]]

# told: row 1 is the text "1,0"
# not told: list of 3
query_and_two_keys = ["1,0", "1,0", "5,5"]

# told: row 2 holds None
# not told: list of 3
query_and_two_keys = [[1, 0], [None, None], [5, 5]]

# told: row 3 has 1 number
# not told: list of 3
query_and_two_keys = [[1, 0], [1, 0], [5]]
