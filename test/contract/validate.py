"""Checks OpenAPI documents: validate.py FILE... Prints a line for each thing that is wrong; fails when there is one."""

import json
import sys

from openapi_spec_validator import OpenAPIV31SpecValidator

wrong = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    for error in OpenAPIV31SpecValidator(document).iter_errors():
        wrong += 1
        print(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
sys.exit(1 if wrong else 0)
