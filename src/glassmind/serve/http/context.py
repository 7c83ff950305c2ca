"""What matters, packed: answers as JSON, or as Markdown to those who prefer it."""

from glassmind.render.briefings import briefing_as_json, summary_as_json
from glassmind.render.briefings_markdown import briefing_as_markdown
from glassmind.render.bundles import bundle_as_json
from glassmind.render.bundles_markdown import bundle_as_markdown
from glassmind.serve.http.asked import Asked
from glassmind.serve.http.replies import Reply, answered, as_markdown, wants_markdown
from glassmind.types.context import Bundle


def post_context(asked: Asked) -> Reply:
    """Answer with what matters for a question, within a budget."""
    given = dict(asked.given)
    query, intent = given.pop("query"), given.pop("intent")
    packed = asked.engine.bundles.pack(
        query,
        budget_tokens=given.pop("budget"),
        intent=None if intent == "balanced" else intent,
        **given,
    )
    return _packed(asked, packed)


def get_hot_context(asked: Asked) -> Reply:
    """Answer with what is alive now, within a budget."""
    given = dict(asked.given)
    packed = asked.engine.bundles.hot(budget_tokens=given.pop("budget"), **given)
    return _packed(asked, packed)


def _packed(asked: Asked, packed: Bundle) -> Reply:
    vault = asked.engine.config.vault
    values = bundle_as_json(packed, vault=vault.name, root=str(vault.path))
    if wants_markdown(asked.accept):
        return as_markdown(bundle_as_markdown(packed), values)
    return answered(values)


def get_brief(asked: Asked) -> Reply:
    """Answer with where work stands."""
    given = dict(asked.given)
    made = asked.engine.bundles.brief(budget_tokens=given.pop("budget"), **given)
    values = briefing_as_json(made, vault=asked.engine.config.vault.name)
    if wants_markdown(asked.accept):
        return as_markdown(briefing_as_markdown(made), values)
    return answered(values)


def get_summary(asked: Asked) -> Reply:
    """Answer with a project in sentences of its notes; nothing is kept."""
    given = dict(asked.given)
    project, budget = given.pop("project"), given.pop("budget")
    made = asked.engine.bundles.summarize(project, budget_tokens=budget, save=False)
    values = summary_as_json(made)
    if wants_markdown(asked.accept):
        return as_markdown(made.text, values)
    return answered(values)
