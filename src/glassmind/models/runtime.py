"""ONNX Runtime, kept from telling its maker about those who use it.

Its official builds, from 1.29 on also those for Linux, note what is run and send it
away, unless this variable is there before the library is loaded. Nothing leaves the
machine: everybody who needs the library imports it from here.
"""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime

onnxruntime.disable_telemetry_events()  # and where somebody else had loaded it before

__all__ = ["onnxruntime"]
