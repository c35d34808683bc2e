import type { IncomingMessage } from 'node:http';

const TOKEN = /[\w!#$%&'*+.^`|~-]+/.source;
const QUOTED = /"(?:[^"\\]|\\.)*"/.source;
const WORD = `(?:${QUOTED}|${TOKEN})`;
const NAME_AND_VALUE = new RegExp(`^ ?(${TOKEN})(?: ?= ?(${WORD})?)? ?(?:;|$)`);
/** What is between commas that are not quoted. */
const PREFERENCE = new RegExp(`(?:${QUOTED}|[^",])+`, 'g');

/** The patterns take time that is quadratic in the length. */
const MAX_CHARS = 256;

/** Whether a request asks for `handling=strict` (RFC 7240, section 4.4). The first `handling` counts. A longer header is ignored. */
export function prefersStrict({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const sent = headers.prefer;
  if (sent === undefined) return false;
  const all = [sent].flat().join(',');
  if (all.length > MAX_CHARS) return false;
  const text = all.replace(/\s+/g, ' ');
  for (const [preference] of text.matchAll(PREFERENCE)) {
    const [, name = '', value = ''] = NAME_AND_VALUE.exec(preference) ?? [];
    if (name.toLowerCase() === 'handling') return unquoted(value).toLowerCase() === 'strict';
  }
  return false;
}

const unquoted = (word: string) => (word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word);
