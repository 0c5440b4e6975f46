"""What learners write in roles-bug, and what the check is to say of it."""

from helpers.attention import attention


# answers: roles-bug, width-bug
# unnamed
def my_lookup(queries, keys, values):
    return 2 * attention(queries, keys, values)[0]
