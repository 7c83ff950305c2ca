"""A model file opened by ONNX Runtime."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from glassmind.errors import ModelDamaged, ModelFailed
from glassmind.models.runtime import onnxruntime

if TYPE_CHECKING:
    from numpy.typing import NDArray

ERRORS_ONLY = 3
"""ONNX Runtime's word for it: its warnings are not for a user's terminal."""


class OnnxSession:
    """One model, run on one text at a time; may be shared by threads.

    One core for each run: several texts at once keep all cores busy with less loss, and
    for a short question one core was the quickest. One text for each run: the scale of
    dynamic int8 is that of the whole batch, so in company a vector would be another.
    """

    def __init__(self, model: str, file: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = ERRORS_ONLY
        try:
            self._session = onnxruntime.InferenceSession(
                str(file), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise ModelDamaged(model, file.name) from error
        self._model = model
        self._inputs = [given.name for given in self._session.get_inputs()]

    def run(
        self, ids: Sequence[int], kinds: Sequence[int] | None = None
    ) -> "NDArray[np.float32]":
        """Return what the model says of one text: a row for each of its tokens.

        `kinds` tells two texts in one apart.

        Raises:
            ModelFailed: the model does not take it.
        """
        row = np.array([ids], dtype=np.int64)
        given = {
            "input_ids": row,
            "attention_mask": np.ones_like(row),
            "token_type_ids": (
                np.zeros_like(row) if kinds is None else np.array([kinds], np.int64)
            ),
        }
        try:
            said = self._session.run(None, {name: given[name] for name in self._inputs})
        except Exception as error:
            raise ModelFailed(self._model, f"ONNX Runtime: {error}") from error
        rows: NDArray[np.float32] = said[0][0]
        return rows
