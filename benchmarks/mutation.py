"""Small changes of Python source (mutants) and a seeded choice of them."""

import ast
import hashlib
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

NEVER_SWAPPED = frozenset(
    ("cast", "getattr", "isinstance", "issubclass", "max", "min", "suppress")
)
"""Swapping the arguments of these fails at once or changes nothing."""

DANGEROUS_CALLS = frozenset(("kill", "killpg", "rmtree"))
"""Never mutated: a wrong argument could end other processes or delete other files."""

LOG_CALLS = frozenset(("debug", "error", "exception", "info", "log", "warning"))

Function = ast.FunctionDef | ast.AsyncFunctionDef
NEVER_MUTATED = (ast.JoinedStr, ast.pattern, ast.Import, ast.ImportFrom)


class Site(NamedTuple):
    """A node that an operator may change, with the function it is in."""

    node: ast.AST
    function: Function


NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
SHIFTED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}


def _compared(
    node: ast.AST, table: Mapping[type[ast.cmpop], type[ast.cmpop]]
) -> Iterator[str]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        other = table.get(type(node.ops[0]))
        if other is not None:
            changed = ast.Compare(node.left, [other()], node.comparators)
            yield f"({ast.unparse(changed)})"


def negate_comparison(site: Site) -> Iterator[str]:
    """`a == b` to `a != b`."""
    return _compared(site.node, NEGATED)


def shift_boundary(site: Site) -> Iterator[str]:
    """`a < b` to `a <= b`."""
    return _compared(site.node, SHIFTED)


def swap_and_or(site: Site) -> Iterator[str]:
    """`a and b` to `a or b`."""
    node = site.node
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"({ast.unparse(ast.BoolOp(other, node.values))})"


def remove_not(site: Site) -> Iterator[str]:
    """`not a` to `a`."""
    node = site.node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"({ast.unparse(node.operand)})"


def shift_constant(site: Site) -> Iterator[str]:
    """`5` to `6` and to `4`."""
    node = site.node
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"({node.value + 1})"
        yield f"({node.value - 1})"


def change_return(site: Site) -> Iterator[str]:
    """`return a` to `return None`, or to `return not a` in a predicate."""
    node = site.node
    if not isinstance(node, ast.Return) or node.value is None:
        return
    if isinstance(node.value, ast.Constant) and node.value.value is None:
        return
    returns = site.function.returns
    if isinstance(returns, ast.Name) and returns.id == "bool":
        yield f"return not ({ast.unparse(node.value)})"
    else:
        yield "return None"


def delete_statement(site: Site) -> Iterator[str]:
    """Delete a call, or an assignment to an attribute or item.

    Not an assignment to a name: reading the name later would fail at once.
    """
    node = site.node
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    is_assignment = isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Assign)
        and not any(isinstance(part, ast.Name) for part in node.targets)
        and not any(isinstance(part, ast.Tuple) for part in node.targets)
    )
    if is_call or is_assignment:
        yield "pass"


def swap_arguments(site: Site) -> Iterator[str]:
    """`f(a, b)` to `f(b, a)`."""
    node = site.node
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return
    first, second, *rest = node.args
    is_starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
    is_same = ast.dump(first) == ast.dump(second)
    if not is_starred and not is_same and _name(node.func) not in NEVER_SWAPPED:
        changed = ast.Call(node.func, [second, first, *rest], node.keywords)
        yield ast.unparse(changed)


def swallow_error(site: Site) -> Iterator[str]:
    """`raise a` to `pass`; not `raise AssertionError`, which marks dead code."""
    node = site.node
    if isinstance(node, ast.Raise):
        error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if error is None or _name(error) != "AssertionError":
            yield "pass"


OPERATORS: dict[str, Callable[[Site], Iterator[str]]] = {
    "negated comparison": negate_comparison,
    "shifted boundary": shift_boundary,
    "swapped and/or": swap_and_or,
    "removed not": remove_not,
    "shifted constant": shift_constant,
    "changed return": change_return,
    "deleted statement": delete_statement,
    "swapped arguments": swap_arguments,
    "swallowed error": swallow_error,
}


@dataclass(frozen=True)
class Mutant:
    """One change of one statement; offsets count bytes of the file."""

    package: str
    path: str
    """The file, relative to the checkout."""
    line: int
    operator: str
    before: str
    after: str
    start: int
    end: int
    statement: tuple[int, int]
    """Line and column of the innermost statement that has the change."""
    function: str

    def apply(self, source: bytes) -> bytes:
        """Return the source of the file with the change."""
        return source[: self.start] + self.after.encode() + source[self.end :]


class _Finder(ast.NodeVisitor):
    """Collects changes inside functions.

    Module and class bodies run on import, so no test can be matched to them. Also left
    out: annotations, defaults, decorators, imports, log calls, dangerous calls, the
    operands of `raise`, and f-strings, which have no exact positions in Python 3.11.
    """

    def __init__(self) -> None:
        self.found: list[tuple[str, ast.AST, ast.stmt, str, str]] = []
        self._functions: list[Function] = []
        self._statement: ast.stmt | None = None

    def visit(self, node: ast.AST) -> None:
        """Collect the changes of a node and of what it contains."""
        call = node.value if isinstance(node, ast.Expr) else node
        if isinstance(node, NEVER_MUTATED) or is_never_mutated(call):
            return
        outer = self._statement
        if isinstance(node, ast.stmt):
            self._statement = node
        if isinstance(node, Function):
            self._functions.append(node)
        else:
            self._collect(node)
        for child in _mutable_children(node):
            self.visit(child)
        if isinstance(node, Function):
            self._functions.pop()
        self._statement = outer

    def _collect(self, node: ast.AST) -> None:
        if not self._functions or self._statement is None:
            return
        function = ".".join(each.name for each in self._functions)
        site = Site(node, self._functions[-1])
        for name, operator in OPERATORS.items():
            for text in operator(site):
                self.found.append((name, node, self._statement, function, text))


def _mutable_children(node: ast.AST) -> Iterable[ast.AST]:
    if isinstance(node, Function | ast.ExceptHandler):
        return node.body
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value else []
    return [] if isinstance(node, ast.Raise) else ast.iter_child_nodes(node)


def is_never_mutated(node: ast.AST) -> bool:
    """Tell whether this is a dangerous call, or a log call with a message."""
    if not isinstance(node, ast.Call):
        return False
    name = _name(node.func)
    has_message = bool(node.args) and (
        isinstance(node.args[0], ast.JoinedStr)
        or isinstance(getattr(node.args[0], "value", None), str)
    )
    return name in DANGEROUS_CALLS or (name in LOG_CALLS and has_message)


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def mutants_of(source: bytes, package: str, path: str) -> list[Mutant]:
    """Return every mutant of one file."""
    starts = [0, *itertools.accumulate(len(line) + 1 for line in source.split(b"\n"))]
    finder = _Finder()
    finder.visit(ast.parse(source))
    mutants = []
    for operator, node, statement, function, after in finder.found:
        start = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        mutants.append(
            Mutant(
                package=package,
                path=path,
                line=node.lineno,  # type: ignore[attr-defined]
                operator=operator,
                before=source[start:end].decode(),
                after=after,
                start=start,
                end=end,
                statement=(statement.lineno, statement.col_offset),
                function=function,
            )
        )
    return mutants


def choose(
    mutants: Sequence[Mutant], sources: Mapping[str, bytes], seed: int, count: int
) -> list[Mutant]:
    """Choose mutants: from each operator in turn, and one for each statement.

    The order is a hash of the change and its function, not of its place, so that other
    changes of the source and moves between files keep most of the choice.
    """
    queues: dict[str, list[tuple[str, Mutant]]] = {name: [] for name in OPERATORS}
    seen: dict[tuple[str, ...], int] = defaultdict(int)
    for mutant in mutants:
        change = (mutant.operator, mutant.function, mutant.before, mutant.after)
        seen[change] += 1
        text = "\0".join((str(seed), *change, str(seen[change])))
        key = hashlib.sha256(text.encode()).hexdigest()
        queues[mutant.operator].append((key, mutant))
    for queue in queues.values():
        queue.sort(key=lambda entry: entry[0], reverse=True)
    chosen: dict[tuple[str, tuple[int, int]], Mutant] = {}
    for name in itertools.cycle(OPERATORS):
        if len(chosen) == count or not any(queues.values()):
            break
        while queues[name]:
            _, mutant = queues[name].pop()
            place = (mutant.path, mutant.statement)
            if place not in chosen and compiles(mutant.apply(sources[mutant.path])):
                chosen[place] = mutant
                break
    return list(chosen.values())


def compiles(source: bytes) -> bool:
    """Tell whether Python accepts the source."""
    try:
        compile(source, "mutant", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def instrument(source: bytes, statements: Mapping[tuple[int, int], int]) -> str:
    """Return source that reports the number of each given statement before it runs."""
    tree = ast.parse(source)
    for node in list(ast.walk(tree)):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                setattr(node, field, list(_with_hits(block, statements)))
    starts_with_docstring = ast.get_docstring(tree) is not None
    tree.body.insert(
        int(starts_with_docstring),
        ast.parse("from mutants_recorder import hit as _hit").body[0],
    )
    return ast.unparse(ast.fix_missing_locations(tree))


def _with_hits(
    block: Iterable[ast.stmt], statements: Mapping[tuple[int, int], int]
) -> Iterator[ast.stmt]:
    for statement in block:
        number = statements.get((statement.lineno, statement.col_offset))
        if number is not None:
            yield ast.parse(f"_hit({number})").body[0]
        yield statement
