"""Checks files of Kubernetes manifests against the schemas of several versions.

Takes {"versions": [...], "kindsOfOthers": [...], "files": [...]} and prints {file: {version: [problem, ...]}}.
"""

import functools
import json
import sys

import yaml
from kubernetes_validate import SchemaNotFoundError, ValidationError, utils

# Without the cache, each schema is read again for every manifest.
utils.schema_contents = functools.lru_cache(maxsize=None)(utils.schema_contents)


class Loader(yaml.CSafeLoader):
    """Refuses duplicate keys, of which PyYAML keeps only the last."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"duplicate key {key}", node.start_mark)
        return super().construct_mapping(node, deep)


def problems_of(manifests, version, kinds_of_others):
    for manifest in manifests:
        kind = f"{manifest['apiVersion']} {manifest['kind']}"
        name = f"{manifest['kind']} {manifest['metadata']['name']}"
        try:
            utils.validate(manifest, version, strict=True)
        except ValidationError as error:
            path = ".".join(str(part) for part in error.absolute_path)
            yield f"{name}: {path}: {error.message}"
        except SchemaNotFoundError:
            if kind not in kinds_of_others:
                yield f"{name}: Kubernetes has no {kind}"


def check(file, versions, kinds_of_others):
    try:
        with open(file, encoding="utf-8") as stream:
            manifests = [manifest for manifest in yaml.load_all(stream, Loader) if manifest is not None]
    except yaml.YAMLError as error:
        return {version: [str(error)] for version in versions}
    return {version: list(problems_of(manifests, version, kinds_of_others)) for version in versions}


order = json.loads(sys.argv[1])
json.dump({file: check(file, order["versions"], order["kindsOfOthers"]) for file in order["files"]}, sys.stdout)
