import { isDeepStrictEqual } from 'node:util';
import { onlyUsed } from './components.js';
import type { OpenApiDocument } from './describe-api.js';
import type { Operation } from './operation-object.js';
import { inlineParts } from './share-parts.js';

interface Part {
  service: string;
  document: OpenApiDocument;
}

/**
 * The reference of the whole platform: the operations of all services without aliases. Operations and tags are prefixed
 * with the service; components keep their names unless services have different ones of the same name.
 */
export function joinDocuments(parts: Part[], info: { title: string; description: string }): OpenApiDocument {
  const components: Record<string, Record<string, Record<string, unknown>>> = {};
  const paths: OpenApiDocument['paths'] = {};
  const tags: OpenApiDocument['tags'] = [];
  for (const { service, document: shared } of parts) {
    const part = { service, document: inlineParts(shared) };
    const document = renameTaken(part, components);
    for (const [section, entries] of Object.entries(document.components))
      Object.assign((components[section] ??= {}), entries);
    Object.assign(paths, pathsOf(part.service, document));
    tags.push(...document.tags.map((tag) => ({ ...tag, name: `${part.service}.${tag.name}` })));
  }
  const { securitySchemes, ...sections } = components;
  const first = parts[0]!.document;
  return {
    ...first,
    info: { ...first.info, ...info },
    tags: tags.filter(({ name }) => isUsed(name, paths)),
    paths,
    components: { securitySchemes: securitySchemes!, ...onlyUsed(paths, sections) },
  };
}

const isUsed = (tag: string, paths: OpenApiDocument['paths']) =>
  Object.values(paths).some((methods) => Object.values(methods).some(({ tags }) => tags.includes(tag)));

function pathsOf(service: string, { paths }: OpenApiDocument): OpenApiDocument['paths'] {
  const named = ({ operationId, tags, ...rest }: Operation): Operation => ({
    ...rest,
    operationId: `${service}.${operationId}`,
    tags: tags.map((tag) => `${service}.${tag}`),
  });
  const kept = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods)
        .filter(([, operation]) => operation['x-alias-of'] === undefined)
        .map(([method, operation]) => [method, named(operation)]),
    ),
  ]);
  return Object.fromEntries(kept.filter(([, methods]) => Object.keys(methods!).length > 0)) as OpenApiDocument['paths'];
}

/** Renames components whose name stands for something else already. */
function renameTaken({ service, document }: Part, taken: Record<string, Record<string, object>>): OpenApiDocument {
  const renamed = new Map<string, string>();
  // A component that refers to a renamed one differs, too.
  for (let before = -1; before !== renamed.size;) {
    before = renamed.size;
    const current = rename(document, renamed);
    for (const [section, entries] of Object.entries(current.components)) {
      for (const [name, entry] of Object.entries(entries)) {
        const other = taken[section]?.[name];
        if (other && !isDeepStrictEqual(other, entry)) {
          renamed.set(`#/components/${section}/${name}`, `#/components/${section}/${service}.${name}`);
        }
      }
    }
  }
  return rename(document, renamed);
}

function rename(document: OpenApiDocument, renamed: Map<string, string>): OpenApiDocument {
  const copy = JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    key === '$ref' ? (renamed.get(String(value)) ?? value) : value,
  ) as OpenApiDocument;
  for (const [section, entries] of Object.entries(copy.components)) {
    copy.components[section] = Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [
        renamed.get(`#/components/${section}/${name}`)?.split('/').at(-1) ?? name,
        entry,
      ]),
    );
  }
  return copy;
}
