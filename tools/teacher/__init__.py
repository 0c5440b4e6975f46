"""The teacher's kit, made from the lessons and their exercises. `tools/teach.py` calls it.

solved    the lessons with every exercise solved, executed, and every check ✓
plan      what happens when: minutes, predictions, the mistakes to expect; timetables
outcomes  what a class sees after each prediction of a plan
slides    the lessons of the core as slides
report    what a class has done, from progress files and notebooks
evidence  such files, read without running anything that is in them
answers   an exercise's answer as a cell of its notebook
mistakes  what learners do wrong in an exercise, the commonest first
lessons   a lesson's sections and exercises, read from its notebook
"""
