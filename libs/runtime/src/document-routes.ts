import { existsSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { route, routes, streamed } from '@dtplatform/http';
import type { Route, RouteTable } from '@dtplatform/http';

/** The API descriptions of a service: operations, and websocket messages. */
const DOCUMENTS = ['openapi.json', 'asyncapi.json'] as const;

/** Serves the descriptions in a folder, without authentication. */
export const documentTables = (folder: URL): RouteTable[] =>
  DOCUMENTS.map((name) => ({ name, file: new URL(name, folder) }))
    .filter(({ file }) => existsSync(file))
    .map(({ name, file }) => routes(`/${name}`, [documentRoute(name, file)]));

function documentRoute(name: (typeof DOCUMENTS)[number], file: URL): Route {
  const bytes = readFileSync(file);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'public, max-age=300',
  };
  return route.get('/', {
    operation: name.replace('.json', '.get'),
    summary: 'Read the OpenAPI document of this service.',
    auth: 'none',
    responses: { 200: { contentType: 'application/json', description: 'The description.' } },
    handler: async () => streamed(200, Readable.from(bytes, { objectMode: false }), headers),
  });
}
