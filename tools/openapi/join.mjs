/** Part of the build: joins the services' descriptions into `dist/reference`, the reference of the whole platform. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { joinDocuments } from '@dtplatform/openapi/join-documents';

const services = new URL('../../services/', import.meta.url);
const target = new URL('dist/reference/', import.meta.url);
const INFO = {
  title: 'dtplatform',
  description:
    'The operations of all services. Calls act in a namespace (`nsfilter`) and need a token, except where they say otherwise. ' +
    'An intermediary may answer with a 502 or 504 of its own, with `Retry-After`.',
};

const parts = readdirSync(services).map((service) => ({
  service,
  document: JSON.parse(readFileSync(new URL(`${service}/openapi.json`, services), 'utf8')),
}));
mkdirSync(target, { recursive: true });
writeFileSync(new URL('openapi.json', target), `${JSON.stringify(joinDocuments(parts, INFO), null, 2)}\n`);
// The only service with websockets so far; a second description would have to be joined.
const asyncApi = readFileSync(new URL('graphicssvc/asyncapi.json', services));
writeFileSync(new URL('asyncapi.json', target), asyncApi);
