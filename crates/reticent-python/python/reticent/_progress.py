"""Progress of long calls, and warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any, Iterator, TypeAlias

from .errors import ReticentWarning, _hint_text

# `True` shows a progress bar of tqdm; a function gets the stage, the completed and the total amount of work.
Progress: TypeAlias = "bool | Callable[[str, int, int], object]"


class _Bars:
    """A bar of tqdm for each stage."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage or self._bar is None:
            self.close()
            self._stage = stage
            self._bar = self._tqdm(total=total or None, desc=stage, leave=False)
        self._bar.total = total or None
        self._bar.update(max(0, done - self._bar.n))

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


@contextmanager
def receiver(progress: Progress) -> Iterator[Callable[[str, int, int], object] | None]:
    """Returns the receiver of progress events; ``None`` without one."""
    if progress is False:
        yield None
    elif progress is True:
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped]  # tqdm has no types
        except ImportError as error:
            raise ImportError("progress=True needs tqdm: pip install tqdm; or pass a function") from error
        bars = _Bars(tqdm)
        try:
            yield bars
        finally:
            bars.close()
    else:
        yield progress


def warn(text: str, hint: str | None) -> None:
    """Passes a warning of the library to Python."""
    advice = f" ({_hint_text(hint)})" if hint else ""
    warnings.warn(text + advice, ReticentWarning, stacklevel=4)
