"""roles-bug, lesson 04: A lookup whose answer lies outside the values.

Its recipe and mistakes are those of attention (slips/mixing.py); the bug is an edit of attention's answer.
"""

from helpers.exercises.engine.edits import Edits, renamed
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_04.attention import EXERCISE as ATTENTION
from helpers.exercises.lesson_04.attention import my_attention
from helpers.exercises.slips.mixing import DICTIONARY, attention_by_choices, attention_output

my_lookup = renamed(my_attention, "my_lookup")
EDITS = Edits(my_lookup, {"matched": "keys", "mixed": "values"})
EXERCISE = Mend(
    name="roles-bug",
    answer=my_lookup,
    bug=EDITS.bug("matched => values; mixed => keys"),
    task="A lookup whose answer lies outside the values.",
    given="keys-and-values-swapped",
    symptom="for the example of the task all values are 10 or more, and the output is [[0, 1]]. Of which "
    "array are these numbers a mixture, and which array made the weights?",
    call="my_lookup(queries, keys, values)",
    right=attention_output,
    recipe=attention_by_choices,
    probes=ATTENTION.probes,
    properties=ATTENTION.properties,
    axes=ATTENTION.axes,
    mistakes=ATTENTION.mistakes,
    hints=(
        "In a dictionary you look up a key and take home its value. Which of the two does the query meet "
        "here?",
        "The scores compare queries with keys, of d_k entries both.",
        "The last line mixes. The output should be as wide as the values, d_v.",
    ),
    explain="Keys are matched, values are mixed. Where d_v = d_k, swapping them gives no error. The order "
    "of arguments differs from library to library, so it is worth a look.",
    reread=DICTIONARY,
)
