"""How the documentation is built, without a network: ``python -m sphinx -W --keep-going -b html docs docs/_build``."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
os.environ["MPLBACKEND"] = "Agg"

import dalembert  # noqa: E402

project = "dalembert"
author = "The dalembert developers"
copyright = author
version = release = dalembert.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "extensions.mathml",
    "extensions.listings",
    "extensions.downloads",
    "extensions.docstrings",
    "extensions.bibliography",
    "extensions.commands",
    "extensions.live",
    "extensions.gallery",
    "extensions.published",
    "extensions.frontdoor",
    "extensions.schema",
    "sphinx.ext.duration",
]
exclude_patterns = ["_build", "figures", "files", "extensions"]
templates_path = ["_templates"]
root_doc = "index"
nitpicky = False
default_role = "py:obj"

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
myst_update_mathjax = False
suppress_warnings = ["myst.strikethrough"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_class_signature = "mixed"
python_maximum_signature_line_length = 88
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"dalembert {release}"
html_static_path = ["_static"]
html_css_files = ["docs.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_math_renderer = "mathml"
html_domain_indices = False  # the reference is the index; a list of nine namespaces is none
html_copy_source = False
html_show_search_summary = False  # it would fetch the pages, which a browser forbids to files
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"top_of_page_buttons": []}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
highlight_language = "none"
