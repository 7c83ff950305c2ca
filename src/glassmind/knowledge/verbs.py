"""The verbs of knowledge: each finds the notes that are meant and calls one stage."""

from glassmind.knowledge.study import Study


class Knowledge:
    """What a vault's links say, ready to be asked from any number of threads."""

    def __init__(self, study: Study) -> None:
        self._study = study
