/**
 * Writes a change note for each service whose API breaks programs written for the last release:
 * `node tools/release/note-breaks.mjs`. The note becomes a part of the change log, and makes the version a major one.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { breakingChanges, isReleased } from '../openapi/breaking-changes.mjs';

const NOTES = join(import.meta.dirname, '../../.changeset');
/** Their types are those of the API. */
const CLIENTS = ['sdk', 'sdk-python'];
/** The level of changes that break programs. */
const ERROR = 3;

// Before the first release, there is nothing to break.
if (isReleased()) {
  const output = await breakingChanges({ format: 'json', withAccepted: true });
  const changes = (output ? JSON.parse(output) : []).filter(({ level }) => level === ERROR);
  for (const service of new Set(changes.map(serviceOf))) {
    const own = changes.filter((change) => serviceOf(change) === service);
    writeFileSync(join(NOTES, `breaks-of-${service}.md`), noteOf(service, own));
  }
}

/** Security schemes are those of all services, which only the clients contain. */
function serviceOf({ path = '' }) {
  return /^\/(\w+svc)\//.exec(path)?.[1] ?? 'clients';
}

function noteOf(service, changes) {
  const packages = service === 'clients' ? CLIENTS : [service, ...CLIENTS];
  return [
    '---',
    ...packages.map((name) => `'@dtplatform/${name}': major`),
    '---',
    '',
    'Breaking changes of the API:',
    '',
    ...changes.map(({ operation = '', path = '', text }) => `- \`${`${operation} ${path}`.trim()}\`: ${text}`),
    '',
  ].join('\n');
}
