"""A plain model of editing: a note as a list of rows that know what they are.

Nothing here reads Markdown. A note is built from known parts, so the model knows which
row is a heading, which a task and which only looks like one, and changes its rows as a
person would say it. What the editor makes of the same edits must be the same text.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from glassmind.model.edits import (
    AddLink,
    Append,
    AtBlock,
    AtHeading,
    AtLine,
    ChangeProperty,
    Prepend,
    Replace,
    SetTask,
    TextEdit,
)

Kind: TypeAlias = Literal["yaml", "heading", "text", "item", "code", "blank"]

DECOYS = ("# Decoy", "- [ ] decoy", "decoy ^decoy", "[[decoy]]", "", "%%", "~~~")


class Row(NamedTuple):
    """A line of a note: what it is, and without markers what it says."""

    kind: Kind
    text: str
    level: int = 0
    name: str = ""


BLANK = Row("blank", "")


class Model:
    """A note that is made up and edited by chance, row by row."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.count = 0
        self.ended = chance.random() < 0.8
        self.rows: list[Row] = []
        if chance.random() < 0.6:
            middle = [self._property(), Row("yaml", "# a comment"), self._property()]
            self.rows = [Row("yaml", "---"), *middle, Row("yaml", "---")]
        for _ in range(chance.randint(0, 4)):
            self.rows += self._some_section()
        self._settle()

    @property
    def lines(self) -> list[str]:
        """Return the lines of the note."""
        return [row.text for row in self.rows]

    def text(self, newline: str) -> str:
        """Return the note with its lines ended so."""
        end = newline if self.ended and self.rows else ""
        return newline.join(self.lines) + end

    def step(self) -> TextEdit:
        """Change the rows by chance, and return the edit that says so."""
        ways: list[Callable[[], TextEdit | None]] = [
            self._append, self._prepend, self._replace, self._join_lines,
            self._section, self._beside_section, self._body, self._beside_body,
            self._block, self._line, self._task, self._link, self._set_property,
        ]  # fmt: skip
        while True:
            edit = self.chance.choice(ways)()
            if edit is not None:
                self._settle()
                return edit

    def _settle(self) -> None:
        """Let an empty row at the end that is not ended be the end of that before."""
        if not self.ended and self.rows and self._is("blank", -1):
            self.rows.pop()
            self.ended = True

    # parts

    def _word(self) -> str:
        self.count += 1
        return f"w{self.count}{self.chance.choice(('', 'é', 'n', '-x'))}"

    def _words(self) -> str:
        return " ".join(self._word() for _ in range(self.chance.randint(1, 3)))

    def _property(self) -> Row:
        self.count += 1
        return Row("yaml", f"key{self.count}: {self._word()}")

    def _paragraph(self) -> list[Row]:
        rows = [Row("text", self._words()) for _ in range(self.chance.randint(1, 3))]
        return self._with_id(rows) if self.chance.random() < 0.4 else rows

    def _items(self) -> list[Row]:
        rows: list[Row] = []
        for _ in range(self.chance.randint(1, 3)):
            box = self.chance.choice(("", "[ ] ", "[x] ", "[/] "))
            row = Row("item", f"- {box}{self._words()}")
            rows += self._with_id([row]) if self.chance.random() < 0.3 else [row]
        return rows

    def _with_id(self, rows: Sequence[Row]) -> list[Row]:
        self.count += 1
        name = f"b{self.count}"
        last = rows[-1]._replace(text=f"{rows[-1].text} ^{name}", name=name)
        return [*rows[:-1], last]

    def _fence(self) -> list[Row]:
        inner = [self.chance.choice(DECOYS) for _ in range(self.chance.randint(1, 3))]
        mark = "````" if self.chance.random() < 0.5 else "```"
        return [Row("code", line) for line in (mark, *inner, self._word(), mark)]

    def _heading(self) -> Row:
        level = self.chance.randint(1, 3)
        name = "Same" if self.chance.random() < 0.2 else f"Part {self._word()}"
        return Row("heading", f"{'#' * level} {name}", level, name)

    def _some_block(self) -> list[Row]:
        return self.chance.choice((self._paragraph, self._items, self._fence))()

    def _some_section(self) -> list[Row]:
        rows = [self._heading()]
        if self.chance.random() < 0.8:
            rows.append(BLANK)
        for _ in range(self.chance.randint(0, 3)):
            rows += [*self._some_block(), BLANK]
        return rows

    def _some_text(self) -> list[Row]:
        rows = self._some_block()
        if self.chance.random() < 0.2:
            rows += [BLANK, *self._some_block()]
        return rows

    # edits

    def _append(self) -> TextEdit:
        rows = self._some_text()
        if self.chance.random() < 0.2:
            rows = [self._heading(), BLANK, *rows]
        if self.rows and not self._is("blank", -1):
            rows = [BLANK, *rows]
        if not self.rows:
            self.ended = False
        self.rows += rows
        return Append(said(rows))

    def _prepend(self) -> TextEdit:
        rows = self._some_text()
        at = self._body_start
        if at == len(self.rows):
            self.ended = self.ended and bool(self.rows)
            self.rows += rows
            return Prepend(said(rows))
        self.rows[at:at] = [*rows, BLANK]
        return Prepend(said(rows) + "\n\n")

    def _replace(self) -> TextEdit | None:
        at = self._any("text", "item", "code")
        words = [] if at is None else self.rows[at].text.split()
        known = [word for word in words if word.startswith("w")]
        if at is None or not known:
            return None
        old, new = self.chance.choice(known), self._words()
        if self._text_of().count(old) > 1:
            return None
        row = self.rows[at]
        self.rows[at] = row._replace(text=row.text.replace(old, new))
        if self.chance.random() < 0.2:
            return Replace(old.upper(), new, fuzzy=0.9)
        return Replace(old, new)

    def _join_lines(self) -> TextEdit | None:
        at = self._any("text")
        if at is None or not self._is("text", at + 1):
            return None
        one, other = self.rows[at], self.rows[at + 1]
        new = self._word()
        first, second = one.text.split()[-1], other.text.split()[0]
        if self._text_of().count(f"{first}\n{second}") > 1:
            return None
        merged = one.text.removesuffix(first) + new + other.text.removeprefix(second)
        self.rows[at : at + 2] = [other._replace(text=merged)]
        return Replace(f"{first}\n{second}", new)

    def _section(self) -> TextEdit | None:
        at = self._any("heading")
        if at is None:
            return None
        rows = [] if self.chance.random() < 0.2 else self._some_text()
        named = self._at(at, rows, "replace", "section")
        end = self._section_end(at)
        self.rows[at + 1 : end] = self._filled(self.rows[at + 1 : end], rows, end)
        return named

    def _body(self) -> TextEdit | None:
        at = self._any("heading")
        if at is None:
            return None
        rows = [] if self.chance.random() < 0.2 else self._some_text()
        named = self._at(at, rows, "replace", "body")
        first, last, end = self._body_of(at)
        if first == last:
            below = self.rows[at + 1 : end]
            self.rows[at + 1 : end] = self._filled(below, rows, end)
        elif rows:
            self.rows[first:last] = rows
        else:
            del self.rows[at + 1 : last]
        return named

    def _beside_section(self) -> TextEdit | None:
        at = self._any("heading")
        if at is None:
            return None
        rows = self._some_text()
        where: Literal["before", "after"] = self.chance.choice(("before", "after"))
        named = self._at(at, rows, where, "section")
        if where == "before":
            self._above(at, rows)
            return named
        end = self._section_end(at)
        last = end
        while last > at + 1 and self._is("blank", last - 1):
            last -= 1
        if last == at + 1:
            self.rows[last:end] = self._filled(self.rows[last:end], rows, end)
        else:
            self._below(last, rows)
        return named

    def _beside_body(self) -> TextEdit | None:
        at = self._any("heading")
        if at is None:
            return None
        rows = self._some_text()
        where: Literal["before", "after"] = self.chance.choice(("before", "after"))
        named = self._at(at, rows, where, "body")
        first, last, end = self._body_of(at)
        if where == "after" and first < last:
            self._below(last, rows)
            return named
        self.rows[at + 1 : end] = self._put_first(self.rows[at + 1 : end], rows, end)
        return named

    def _block(self) -> TextEdit | None:
        at = self._any("text", "item", named=True)
        if at is None:
            return None
        row = self.rows[at]
        where: Literal["replace", "before", "after"] = self.chance.choice(
            ("replace", "before", "after")
        )
        said_rows = [Row("text", self._words())]
        said_text = said(said_rows)
        if row.kind == "item":
            self._beside_item(at, said_text, where)
            return AtBlock(row.name, said_text, where)
        first = at
        while first and self._is("text", first - 1):
            first -= 1
        if where == "replace":
            text = f"{said_text} ^{row.name}"
            self.rows[first : at + 1] = [row._replace(text=text)]
        elif where == "before":
            self._above(first, said_rows)
        else:
            self._below(at + 1, said_rows)
        return AtBlock(f"^{row.name}", said_text, where)

    def _beside_item(self, at: int, text: str, where: str) -> None:
        row = self.rows[at]
        box = row.text[2:6] if row.text.startswith("- [") else ""
        if where == "replace":
            self.rows[at] = row._replace(text=f"- {box}{text} ^{row.name}")
        else:
            new = Row("item", f"- {'[ ] ' if box else ''}{text}")
            self.rows.insert(at + (where == "after"), new)

    def _line(self) -> TextEdit | None:
        at = self._any("text", "item", named=False)
        if at is None:
            return None
        kind = self.rows[at].kind
        lead = "- " if kind == "item" else ""
        row = Row(kind, lead + self._words())
        where = self.chance.choice(("replace", "before", "after", "delete"))
        if where == "delete":
            if not (self._is(kind, at - 1) and self._is(kind, at + 1)):
                return None
            del self.rows[at]
            return AtLine(at + 1, "")
        if where == "replace":
            self.rows[at] = row
            return AtLine(at + 1, row.text)
        self.rows.insert(at + (where == "after"), row)
        if where == "before":
            return AtLine(at + 1, row.text, "before")
        return AtLine(at + 1, row.text, "after")

    def _task(self) -> TextEdit | None:
        boxed = [n for n, row in enumerate(self.rows) if row.text[:3] == "- ["]
        tasks = [n for n in boxed if self._is("item", n)]
        if not tasks:
            return None
        at = self.chance.choice(tasks)
        text = self.rows[at].text
        status = self.chance.choice(("toggle", "-", " ", "x"))
        sign = status if status != "toggle" else "x" if text[3] == " " else " "
        self.rows[at] = self.rows[at]._replace(text=f"- [{sign}{text[4:]}")
        words = text[6:]
        if self.chance.random() < 0.5 or "".join(self.lines).count(words) > 1:
            return SetTask(status, line=at + 1)
        return SetTask(status, find=words)

    def _link(self) -> TextEdit:
        words = self._words()
        row = Row("text", f"{words} [[Tea]]")
        at = self._any("heading") if self.chance.random() < 0.5 else None
        if at is not None and sum(r.name == self.rows[at].name for r in self.rows) == 1:
            name = self.rows[at].name
            end = last = self._section_end(at)
            while last > at + 1 and self._is("blank", last - 1):
                last -= 1
            if last == at + 1:
                self.rows[last:end] = self._filled(self.rows[last:end], [row], end)
            else:
                self._below(last, [row])
            return AddLink("Tea", f"{words} {{link}}", name)
        if not self.rows:
            self.ended = False
        elif len(self.rows) > self._body_start and not self._is("blank", -1):
            self.rows.append(BLANK)
        self.rows.append(row)
        return AddLink("Tea", words)

    def _set_property(self) -> TextEdit | None:
        keys = [n for n, row in enumerate(self.rows) if row.text[:3] == "key"]
        keys = [n for n in keys if self.rows[n].kind == "yaml"]
        if not keys:
            return None
        at = self.chance.choice(keys)
        name = self.rows[at].text.split(":")[0]
        if len(keys) > 1 and self.chance.random() < 0.2:
            del self.rows[at]
            return ChangeProperty(name, "unset")
        if self.chance.random() < 0.3:
            new = self._property()
            name, value = new.text.split(": ")
            self.rows.insert(self._body_start - 1, new)
            return ChangeProperty(name, "set", value)
        value = self._word()
        self.rows[at] = Row("yaml", f"{name}: {value}")
        return ChangeProperty(name, "set", value)

    # where rows stand

    @property
    def _body_start(self) -> int:
        return next(
            (n for n, r in enumerate(self.rows) if r.kind != "yaml"), len(self.rows)
        )

    def _text_of(self) -> str:
        return "\n".join(self.lines)

    def _is(self, kind: Kind, at: int) -> bool:
        if at < 0:
            return at == -1 and bool(self.rows) and self.rows[-1].kind == kind
        return at < len(self.rows) and self.rows[at].kind == kind

    def _any(self, *kinds: Kind, named: bool | None = None) -> int | None:
        found = [
            at
            for at, row in enumerate(self.rows)
            if row.kind in kinds and (named is None or bool(row.name) == named)
        ]
        return self.chance.choice(found) if found else None

    def _at(
        self,
        at: int,
        rows: Sequence[Row],
        where: Literal["replace", "before", "after"],
        scope: Literal["section", "body"],
    ) -> AtHeading:
        row = self.rows[at]
        same = [
            n
            for n, r in enumerate(self.rows)
            if r.kind == "heading" and r.name == row.name
        ]
        index = same.index(at) if len(same) > 1 else None
        return AtHeading(row.name, said(rows), where, scope, index)

    def _section_end(self, at: int) -> int:
        level = self.rows[at].level
        for n in range(at + 1, len(self.rows)):
            if self._is("heading", n) and self.rows[n].level <= level:
                return n
        return len(self.rows)

    def _body_of(self, at: int) -> tuple[int, int, int]:
        """Return where the first paragraph begins and ends, and where its room does."""
        end = at + 1
        while end < len(self.rows) and not self._is("heading", end):
            end += 1
        first = at + 1
        while first < end and self._is("blank", first):
            first += 1
        last = first
        while last < end and not (self._is("blank", last) and not self._in_list(last)):
            last += 1
        return first, last, end

    def _in_list(self, at: int) -> bool:
        """Whether blank rows have items on both sides, which are then one list."""
        before, behind = at, at
        while self._is("blank", before):
            before -= 1
        while self._is("blank", behind):
            behind += 1
        return self._is("item", before) and self._is("item", behind)

    def _filled(self, below: Sequence[Row], rows: Sequence[Row], end: int) -> list[Row]:
        """Return what stands below a heading when its text is replaced."""
        content = [n for n, row in enumerate(below) if row.kind != "blank"]
        if not content:
            return self._put_first(below, rows, end) if rows else list(below)
        first, last = content[0], content[-1] + 1
        if not rows:
            return list(below[last:])
        return [*below[:first], *rows, *below[last:]]

    def _put_first(
        self, below: Sequence[Row], rows: Sequence[Row], end: int
    ) -> list[Row]:
        kept = 1 if below and below[0].kind == "blank" else 0
        rest = list(below[kept:])
        at_end = not rest and end == len(self.rows)
        gap = [] if at_end or (rest and rest[0].kind == "blank") else [BLANK]
        return [*below[:kept], *rows, *gap, *rest]

    def _above(self, at: int, rows: Sequence[Row]) -> None:
        kinds: tuple[Kind, ...] = ("blank", "heading", "yaml")
        set_off = at == 0 or self.rows[at - 1].kind in kinds
        self.rows[at:at] = [*([] if set_off else [BLANK]), *rows, BLANK]

    def _below(self, at: int, rows: Sequence[Row]) -> None:
        """Put rows behind the row before `at`, set off but for items behind items."""
        tight = self._is("item", at - 1) and rows[0].kind == "item"
        gap = [] if at == len(self.rows) or self._is("blank", at) else [BLANK]
        self.rows[at:at] = [*([] if tight else [BLANK]), *rows, *gap]


def said(rows: Sequence[Row]) -> str:
    """Return rows as the text that a caller gives."""
    return "\n".join(row.text for row in rows)
