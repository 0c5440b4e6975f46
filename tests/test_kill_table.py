"""The table of mistakes: up to date, and nothing missed. In a file that another processor can take."""

import kill_table


def test_the_kill_table_is_up_to_date_and_nothing_is_missed():
    text, faults = kill_table.table()
    assert faults == []
    assert kill_table.TABLE.read_text(encoding="utf-8") == text, "run python tools/kill_table.py"


def test_a_missed_mistake_would_show_in_the_kill_table():
    assert kill_table.verdict([], ("a",)) == "rejected only"
    assert kill_table.verdict([("a",)], ("a",)) == "named"
    assert kill_table.verdict([("a",), ("b",)], ("a",)) == "named with others"
    assert kill_table.verdict([("a",)], ("a", "b")) == "told as part"
    assert kill_table.verdict([("c",)], ("a", "b")) == "named as another"
