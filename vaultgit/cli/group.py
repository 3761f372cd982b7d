"""The click group: commands are imported when they run, help comes from the table in main."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any
from typing import cast

import click

from vaultgit import __version__
from vaultgit import errors
from vaultgit.cli import out
from vaultgit.cli.main import COMMANDS
from vaultgit.cli.main import GROUPS
from vaultgit.errors import UsageError


class LazyGroup(click.Group):
    """Commands of COMMANDS, each from its own module."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        if cmd_name == "hook":
            return _hook
        return cast(click.Command, import_module(f"vaultgit.cli.{cmd_name}").command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1, cutoff=0.5)
            hint = f"did you mean: vaultgit {near[0]}" if near else "vaultgit --help lists them"
            raise UsageError(f"there is no command {args[0]!r}", hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for group in GROUPS:
            rows = [(name, words) for name, (where, words) in COMMANDS.items() if where == group]
            if rows:
                with formatter.section(group):
                    formatter.write_dl(rows)


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="vaultgit", message="%(prog)s %(version)s")
@click.option("--vault", metavar="DIR", help="The vault to work on; may stand before the command or after it.")
def cli(vault: str | None) -> None:
    """Memory for AI agents in an Obsidian vault: every edit is a git commit that you can read, correct and undo.

    \b
    Example:
      vaultgit init ~/Notes --dry-run
      vaultgit status
    """
    del vault  # options.opened asks this context for it


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1)
def _hook(arguments: tuple[str, ...]) -> int:
    """What git's hooks, pre-commit, git's merge driver and agent clients' hooks call.

    \b
    pre-commit, commit-msg FILE, prepare-commit-msg
    pre-receive: of a shared bare repository, what is pushed on standard input; 1 refuses it
    framework [--check NAME] [FILE...]
    merge-driver O A B PATH SIZE
    session-start, prompt, wrote, compact, session-end [--agent NAME] [--vault DIR] [--dry-run]:
    of agent clients, with their JSON on standard input; they end with 0, whatever happens

    \b
    Example:
      vaultgit hook session-start --agent codex --dry-run < payload.json
    """
    from vaultgit.cli import hook

    return hook.run(arguments)


def run(args: list[str]) -> int:
    """One command line; returns its exit code. Raises what commands raise."""
    if "_VAULTGIT_COMPLETE" in os.environ:
        cli.main(args, prog_name="vaultgit")
    try:
        with cli.make_context("vaultgit", args) as ctx:
            result: Any = cli.invoke(ctx)
            return result if isinstance(result, int) else errors.DONE
    except click.exceptions.NoArgsIsHelpError as error:
        out.say(error.format_message())
        return errors.DONE if error.ctx is not None and error.ctx.parent is None else errors.USAGE
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.Abort:
        return errors.INTERRUPTED
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx is not None else "vaultgit"
        raise UsageError(error.format_message(), f"{where} --help") from error
    except click.ClickException as error:
        raise UsageError(error.format_message()) from error
