"""`glassmind search`: the passages that matter, best first."""

from argparse import Namespace
from typing import Literal, get_args

from glassmind.config import Config
from glassmind.errors import WrongUsage
from glassmind.render.hits_text import hits_as_text
from glassmind.render.style import shortened
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser, at_least_one
from glassmind.types.search import FusionName, Intent, SearchReply


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("query", "QUERY", "words, phrases and filters")
    parser.add_argument(
        "--limit", "-n", type=at_least_one, metavar="N", help="most hits to show"
    )
    parser.add_argument(
        "--unique",
        choices=("notes", "chunks"),
        default="notes",
        help="one hit for each note, or one for each passage",
    )
    add_mode_and_intent(parser)
    _add_ways(parser)
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument(
        "--explain",
        "--debug",
        action="store_true",
        help="show what each score is made of",
    )
    shape.add_argument("--paths", action="store_true", help="print paths alone")


def add_mode_and_intent(parser: CommandParser) -> None:
    """Tell the parser by what an answer may be found, and what kind of one."""
    parser.add_argument(
        "--mode",
        choices=("hybrid", "semantic", "fulltext"),
        help="by words, meaning and links (the default), meaning alone or words alone",
    )
    parser.add_argument(
        "--intent",
        choices=("auto", "balanced", *get_args(Intent)),
        default="auto",
        help="what kind of answer is wanted; auto tells it from the question",
    )


def intent_of(args: Namespace) -> Intent | Literal["auto"] | None:
    """Return the kind of answer that is wished for, as the engine takes it."""
    return None if args.intent == "balanced" else args.intent


def _add_ways(parser: CommandParser) -> None:
    """Tell the parser how an answer may be found."""
    parser.add_argument(
        "--root", metavar="NOTE", help="the note that links are followed from"
    )
    parser.add_argument(
        "--hops",
        type=int,
        default=2,
        metavar="N",
        help="how far links are followed from the root",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.0,
        metavar="R",
        help="least relevance of a hit; the best has 1",
    )
    parser.add_argument(
        "--min-similarity",
        type=float,
        metavar="C",
        help="least cosine between question and passage",
    )
    parser.add_argument(
        "--fusion",
        choices=get_args(FusionName),
        help="how the channels' rankings become one",
    )
    parser.add_argument(
        "--rerank",
        choices=("auto", "on", "off"),
        help="read the best passages once more together with the question",
    )


def run(args: Namespace, output: Output) -> int:
    """Search, and say by the exit code whether anything was found."""
    query = " ".join(args.query)
    if not query.strip():
        raise WrongUsage("nothing to search for is given", "search")
    with engine_of(args, output) as engine:
        reply = engine.search(
            query,
            limit=args.limit,
            mode=args.mode,
            intent=intent_of(args),
            root_note=args.root,
            hop_depth=args.hops,
            threshold=args.threshold,
            min_similarity=args.min_similarity,
            fusion=args.fusion,
            rerank=args.rerank,
            unique=args.unique,
            explain=args.explain or output.as_json,
        )
        config = engine.config
    for missing in reply.degraded:
        output.notice(missing)
    if reply.is_doubtful and reply.hits:
        output.notice("nothing good was found; these are the nearest misses")
    _show(reply, config, args, output)
    return exits.OK if reply.hits else exits.NOTHING


def _show(reply: SearchReply, config: Config, args: Namespace, output: Output) -> None:
    if output.as_json:
        from glassmind.render.hits import hits_as_json  # noqa: PLC0415 - 1 ms

        vault = config.vault
        output.json(hits_as_json(reply, vault=vault.name, root=str(vault.path)))
    elif args.paths:
        for path in dict.fromkeys(hit.path for hit in reply.hits if hit.is_note):
            output.line(output.style.clean(path))
    else:
        output.text(hits_as_text(reply, output.style, explain=args.explain))
    if not reply.hits:
        output.notice(f"nothing found for {shortened(reply.query)!r}")
