"""What several exercises of lesson 11 say of a mistake."""

WORDS = {
    "pairs": "The product must pair what met on the way forward: each query with each key.",
    "stack": "`.T` turns every axis round, also those in front. np.swapaxes(x, -1, -2) turns the last two.",
}
