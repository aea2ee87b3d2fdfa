"""The packages of the extra that sweeps need."""

from __future__ import annotations

from ...errors import InvalidValue


def require(stored: bool) -> None:
    """E801 where a package of the extra is missing."""
    try:
        import xarray  # noqa: F401

        if stored:
            import dask.array  # noqa: F401
            import zarr  # noqa: F401
    except ImportError as error:
        fact = f"sweeps need {error.name}, which is not installed"
        raise InvalidValue("E801", fact, "pip install 'dalembert[sweep]'") from None
