"""The OpenAPI document, from which `web/` makes its types."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from runvitals.view.schemas.judgement import SeriesAnswer


def described_by(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the header of binary answers among its schemas."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        header = SeriesAnswer.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas = made.setdefault("components", {}).setdefault("schemas", {})
        schemas |= header.pop("$defs", {}) | {SeriesAnswer.__name__: header}
        app.openapi_schema = made
    return app.openapi_schema
