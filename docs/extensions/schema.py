"""Keys of the tables of system files, held to the schema: a key that is not described, or not there, is a warning.

```{keys} RunTable
name: of the run
```
"""

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

_LOG = logging.getLogger(__name__)


def fields(table: str) -> dict[str, str]:
    """The keys of a table of the schema, in its order: ``"required"``, or the value that stands for a key left out."""
    from dalembert.study import schema

    model = getattr(schema, table)
    return {
        field.alias or name: "required" if field.is_required() else _default(field.default)
        for name, field in model.model_fields.items()
    }


def _default(value) -> str:
    if value is None or value in ("", (), []) or value == {} or type(value).__name__.endswith("Table"):
        return ""
    if isinstance(value, tuple) and isinstance(value[0], float):
        return f"[{', '.join(f'{x:g}' for x in value)}]"
    return (
        " ".join(value) if isinstance(value, tuple) else str(value).lower() if isinstance(value, bool) else str(value)
    )


class Keys(SphinxDirective):
    """A list of the keys of a table."""

    has_content = True
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Each key with what is said of it, and whether it may be left out."""
        table, said = self.arguments[0], dict(line.partition(": ")[::2] for line in self.content if line.strip())
        known = fields(table)
        for key in known.keys() ^ said.keys():
            _LOG.warning(
                "%s: key %s is %s",
                table,
                key,
                "not described" if key in known else "not in the schema",
                location=self.get_location(),
            )
        found = nodes.definition_list()
        for key, default in known.items():
            note = default if default == "required" else f"{default} if left out" if default else ""
            term = nodes.term(
                key, "", nodes.literal(key, key), nodes.emphasis("", f"  {note}") if note else nodes.Text("")
            )
            inline, messages = self.parse_inline(said.get(key, ""))
            found += nodes.definition_list_item(
                "", term, nodes.definition("", nodes.paragraph("", "", *inline, *messages))
            )
        return [found]


def setup(app) -> dict:
    """Register the directive ``keys``."""
    app.add_directive("keys", Keys)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
