"""What learners write in total, and what the check is to say of it."""

import numpy as np

# right
my_total = sum
my_total = np.sum


# named: started-at-1
# told: starts at 0
def my_total(numbers):
    total = 1
    for number in numbers:
        total += number
    return total


# named: places
# told: numbers[i]
def my_total(numbers):
    total = 0
    for place in range(len(numbers)):
        total += place
    return total


# named: absolute
# told: negative number
def my_total(numbers):
    return sum(abs(number) for number in numbers)


# named: fractions-dropped
# told: `int` drops it
def my_total(numbers):
    return sum(int(number) for number in numbers)


# named: doubled-each-round
# told: total = total + number
def my_total(numbers):
    total = 0
    for number in numbers:
        total += total + number
    return total
