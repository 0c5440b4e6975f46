"""Sphinx's settings. It reads this file; build.py says where everything stands."""

import tomllib
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.addnodes import toctree
from sphinx.application import Sphinx

from website.folds import moved

ROOT = Path(__file__).resolve().parents[2]
KEPT: dict[str, nodes.bullet_list] = {}  # pages' titles, for the side bars
project = "Attention, written by you"
author = "the attention course"
copyright = "the attention course; text and figures CC BY 4.0, code MIT"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
language = "en_GB"
extensions = ["myst_nb", "sphinx.ext.mathjax", "sphinx_copybutton", "website.formulas", "website.searching"]
exclude_patterns = ["_static"]

nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3
html_math_renderer = "mathjax"
mathjax_path = "mathjax/tex-chtml.js"
mathjax3_config = {"options": {"enableMenu": False}}  # the menu would ask for files that are not here
smartquotes = False  # the code in a sentence is to run as it stands
pygments_style = "a11y-high-contrast-light"
add_function_parentheses = False
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "sphinx_book_theme"
html_title = project
html_static_path = [str(ROOT / "build" / "site" / "source" / "_static")]
html_favicon = str(Path(__file__).resolve().parent / "static" / "favicon.svg")
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_search_scorer = str(Path(__file__).resolve().parent / "scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_domain_indices = False
html_last_updated_fmt = None
html_theme_options = {
    "use_download_button": False,  # it would hand out the copy for readers; the lessons link to the notebook
    "use_fullscreen_button": False,
    "show_toc_level": 2,
    "navbar_persistent": [],  # a second search box, above the one in the side bar
    "show_navbar_depth": 1,
    "home_page_in_toc": True,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}

epub_basename = "attention"
epub_show_urls = "no"
epub_title = project
epub_exclude_files = ["search.html", "genindex.html"]
suppress_warnings = ["epub.unknown_project_files"]


def open_answer(writer: Any, node: nodes.Element) -> None:
    """Begins what is folded. Its heading says what is in it, and keyboards and screen readers know it."""
    writer.body.append(f'<details class="answer"><summary>{node["prompt_show"]}</summary>\n')


def close_answer(writer: Any, _: nodes.Element) -> None:
    """Ends what is folded."""
    writer.body.append("</details>\n")


def light_side_bar(
    app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: nodes.document | None
) -> None:
    """A page's context -> its side bar is made from titles alone.

    Sphinx copies every page's headings for every page, a quarter of the time, and then throws them away.
    """
    whole = context.get("toctree")
    if whole is None:
        return

    def quick(**options: Any) -> str:
        headings = app.env.tocs
        app.env.tocs = titles(headings)
        try:
            return str(whole(**options))
        finally:
            app.env.tocs = headings

    context["toctree"] = quick


def titles(tocs: dict[str, nodes.bullet_list]) -> dict[str, nodes.bullet_list]:
    """{page: its headings} -> the same without those under the title; worked out once."""
    if not KEPT:
        for name, toc in tocs.items():
            KEPT[name] = toc.deepcopy()
            for entry in KEPT[name].children:
                below = list(entry.findall(toctree))
                if len(entry) > 1:
                    entry[1][:] = below
                    if not below:
                        entry.pop(1)
    return KEPT


def fold_answers(_app: Sphinx, tree: nodes.document, _page: str) -> None:
    """A page's tree -> the words of an answer stand in the same fold as its output."""
    moved(tree)


def setup(app: Sphinx) -> None:
    """Sphinx -> folded answers as we write them, and side bars that are made at once."""
    app.add_node(HideCodeCellNode, override=True, html=(open_answer, close_answer))
    app.connect("doctree-resolved", fold_answers)
    app.connect("html-page-context", light_side_bar)
