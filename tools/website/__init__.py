"""The course as a site: pages from the stored notebooks, which are never executed.

build      sources -> pages, ePub, PDFs; `python course.py site` calls it
sources    everything that Sphinx reads, written into build/site/source
lessons    the README's table: number, name, question and minutes of each lesson
cells      a notebook -> the same for readers: answers folded, checks told, figures with alternative text
answers    the words that tell the answer to a prediction, marked; folds puts them into the output's fold
stories    what the museum and the practice notebook print, as paragraphs, coloured code and replies
folds      see answers: what Sphinx's tree of a page needs for it
address    where readers get the course
reply      the check's reply to a wrong answer, for the page that tells how to run a lesson
pages      which other pages there are, and where their links lead
kills      the kill table as two, each as wide as a page
mistakes   the catalogue of exercises -> a page a lesson: one right answer, the mistakes that have a name
groups     a list of mistakes: headings where it is long, and what several have in common said once
solved     each exercise with the course's answer in its cell -> a page a lesson, and all notebooks to fetch
decks      the core as slides, in the browser, and what shows them
pictures   figures -> the same in 256 colours
reference  the helpers' docstrings -> a page a module, read and not imported
words      texts that are no Markdown -> Markdown that looks like them
links      links of the finished site that lead nowhere, pictures without words
formulas   the formulas of the ePub, as MathML
mathjax    the formulas' program, copied out of its package and checked
conf       Sphinx's settings
searching  the search's English, with each stem worked out once
papers     pages -> PDFs, by a browser that is here already
enlarging  figures as links to their files, for a phone
joints     where a narrow line may break a long word, and what stays in one line
together   formulas in plain text: the short ones whole, the long ones broken before their signs
timetables each section of a timetable in a line of its own
serving    the finished site at an address of this machine
check      the finished site in a browser: links, search, both themes, phone width, accessibility
layout     what the check asks the browser about lines: torn, cut off, too small, out of a key's reach
Nothing here is a learner's: it runs in .venv-site, from requirements.lock beside this file.
"""
