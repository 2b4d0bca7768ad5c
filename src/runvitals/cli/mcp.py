"""`runvitals mcp`: runs and their judgement as tools for an AI agent."""

from pathlib import Path

from runvitals.cli.options import default_folder, described


@described()
def mcp(
    logs: list[Path] | None = None,
    framework: str | None = None,
    algorithm: str | None = None,
    map: list[str] | None = None,
    settings: Path | None = None,
    no_text: bool = False,
) -> None:
    """Serve runs to an AI agent over MCP (stdio): list, verdict, findings, series, compare, explain.

    Read-only, and limited to LOGS. Your agent starts it; for Claude Code, for example:

    claude mcp add runvitals -- runvitals mcp /path/to/runs
    """
    from runvitals.model import ConfigError
    from runvitals.readers.options import parse_map
    from runvitals.readers.settings_file import settings_file, with_options

    try:
        import mcp as _  # noqa: F401
    except ModuleNotFoundError as error:
        raise ConfigError(
            "runvitals mcp needs the package mcp", hint='pip install "runvitals[mcp]"'
        ) from error
    from runvitals.fleet.cache import user_cache
    from runvitals.server.mcp.allowed_runs import AllowedRuns
    from runvitals.server.mcp.server import serve_stdio

    file = with_options(
        settings_file(settings), framework, algorithm, parse_map(map or []), texts=not no_text
    )
    serve_stdio(AllowedRuns(logs or [default_folder()], user_cache(), file))
