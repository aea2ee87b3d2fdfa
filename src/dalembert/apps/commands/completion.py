"""``dalembert completion SHELL``."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, ShellComplete, add_completion_class, get_completion_class

from ..terminal import Command, Reply

SHELLS = ("bash", "zsh", "fish", "powershell")
VARIABLE = "_DALEMBERT_COMPLETE"
_HOW = {
    "bash": 'eval "$(dalembert completion bash)"          in ~/.bashrc',
    "zsh": 'eval "$(dalembert completion zsh)"           in ~/.zshrc',
    "fish": "dalembert completion fish | source            in ~/.config/fish/config.fish",
    "powershell": "dalembert completion powershell | Out-String | Invoke-Expression   in $PROFILE",
}


class PowerShell(ShellComplete):
    """Completion in PowerShell, which hands over the whole line in two variables of the environment."""

    name = "powershell"
    source_template = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($word, $line, $cursor)
    $env:%(complete_var)s = 'powershell_complete'
    $env:COMP_WORDS = $line.ToString()
    $env:COMP_WORD = $word
    %(prog_name)s | ForEach-Object {
        $value, $help = $_ -split "`t", 2
        if (-not $help) { $help = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $help)
    }
    Remove-Item Env:%(complete_var)s, Env:COMP_WORDS, Env:COMP_WORD
}
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one to be completed, and that one."""
        import os

        from click.shell_completion import split_arg_string

        words, word = split_arg_string(os.environ["COMP_WORDS"])[1:], os.environ["COMP_WORD"]
        return (words[:-1] if words and words[-1] == word else words), word

    def format_completion(self, item: CompletionItem) -> str:
        """One line each: the word, a tab, what it is."""
        return f"{item.value}\t{item.help or ''}"


add_completion_class(PowerShell)


@click.command(cls=Command, epilog="\b\n" + "\n".join(_HOW.values()))
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> Reply:
    """Print the completion script of a shell, to be read when it starts."""
    complete = get_completion_class(shell)
    assert complete is not None
    script = complete(ctx.find_root().command, {}, "dalembert", VARIABLE).source()
    return Reply(script, {"shell": shell, "script": script})
