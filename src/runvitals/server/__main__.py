"""`python -m runvitals.server` prints the OpenAPI document."""

import orjson

from runvitals.server.app import create_app

if __name__ == "__main__":
    print(orjson.dumps(create_app([]).openapi(), option=orjson.OPT_INDENT_2).decode())
