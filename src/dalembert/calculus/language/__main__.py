"""Write the tables of the grammar anew, after a change of it: ``python -m dalembert.calculus.language``."""

import json

from .grammar import FILE, Parser

if __name__ == "__main__":
    text = json.dumps(Parser(anew=True).tables, separators=(",", ":"))
    FILE.write_text(f"{text}\n", encoding="utf-8", newline="\n")
