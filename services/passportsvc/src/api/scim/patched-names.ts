import { inAnyCase, knownNames, reportUnknown, withShown } from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { SentUserShown } from './shown-bodies.schemas.js';
import { ShownUser } from './shown-user.schemas.js';
import type { PatchBody } from './users.schemas.js';

const attributes = inAnyCase(withShown(knownNames(SentUserShown), knownNames(ShownUser)))!;
/** A name may also be a path, which the patch resolves: `name.givenName`. */
const isKnown = (name: string) => attributes.isKnown!(name) || /[.:[]/.test(name);
const value = { ...attributes, isKnown };
const ofPatch = { fields: new Map([['Operations', { each: { fields: new Map([['value', value]]) } }]]) };

/** Reports unknown attributes in the values of operations without a path: they are ignored, or refused if the caller prefers. */
export function reportUnknownAttributes(
  exchange: Pick<RequestContext, 'req' | 'res'>,
  { Operations }: PatchBody,
): void {
  const values = Operations.map(({ path, value }) => (path === undefined ? { value } : {}));
  reportUnknown(exchange, ofPatch, { Operations: values }, 'body');
}
