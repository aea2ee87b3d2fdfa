"""The reference of the command line, from the commands' own help."""

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


def helps() -> dict[str, str]:
    """``--help`` of the program and of each command, at 80 columns."""
    import click

    from dalembert.apps.cli import main

    def text(command: click.Command, name: str, parent: click.Context | None) -> str:
        context = click.Context(command, info_name=name, parent=parent, terminal_width=80, max_content_width=80)
        return command.get_help(context)

    top = click.Context(main, info_name="dalembert")
    found = {"dalembert": text(main, "dalembert", None)}
    for name in main.list_commands(top):
        found[f"dalembert {name}"] = text(main.get_command(top, name), name, top)
    return found


class Commands(SphinxDirective):
    """One section for each command."""

    def run(self) -> list[nodes.Node]:
        """Sections with literal blocks."""
        found = []
        for name, text in helps().items():
            ident = name.replace(" ", "-")
            title = nodes.title(name, "", nodes.literal(name, name))
            block = nodes.literal_block(text, text, language="none")
            section = nodes.section("", title, block, ids=[ident], names=[nodes.fully_normalize_name(name)])
            self.state.document.note_explicit_target(section)
            found.append(section)
        return found


def setup(app) -> dict:
    """Register the directive ``commands``."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
