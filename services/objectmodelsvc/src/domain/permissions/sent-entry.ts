import { z } from 'zod';
import { PermissionEntry, ResourceDesc } from '@dtplatform/contracts';
import type { Criteria } from '@dtplatform/contracts';

/** One entry of a write as callers send it: `null` stands for no criteria. */
export const SentEntry = PermissionEntry.extend({
  _resourceDesc: ResourceDesc.extend({
    _criteria: ResourceDesc.shape._criteria.nullable(),
    _subresourceDesc: ResourceDesc.shape._subresourceDesc.nullable(),
  })
    .refine(isOfItems, 'criteria are for itemsvc:nameduseritem only')
    .transform(inOrder),
  // Here they would be ignored, and the permission would hold for more than was meant.
  _criteria: z.never('belongs into _resourceDesc').optional(),
  _subresourceDesc: z.never('belongs into _resourceDesc').optional(),
});

interface SentDesc {
  _irn: string;
  _criteria?: Criteria | null | undefined;
  _subresourceDesc?: { _type: 'relateditem'; _criteria?: Criteria | undefined } | null | undefined;
}

function isOfItems({ _irn, _criteria, _subresourceDesc }: SentDesc): boolean {
  const [service, type] = _irn.split(':');
  return (!_criteria && !_subresourceDesc) || (/^(itemsvc|\*)$/.test(service!) && /^(nameduseritem|\*)$/.test(type!));
}

/** The same criteria are the same record, in whatever order their fields are sent. */
function inOrder({ _irn, _criteria, _subresourceDesc }: SentDesc): ResourceDesc {
  return {
    _irn,
    ...(_criteria && { _criteria: sorted(_criteria) }),
    ...(_subresourceDesc && {
      _subresourceDesc: { _type: _subresourceDesc._type, _criteria: sorted(_subresourceDesc._criteria ?? {}) },
    }),
  };
}

const sorted = (criteria: Criteria) =>
  Object.fromEntries(Object.entries(criteria).sort(([one], [other]) => (one < other ? -1 : 1)));

/** A refused entry of a write: its position, the reason, and whatever else the caller sent in it. */
export const RefusedEntry = z.looseObject({ _index: z.number(), code: z.string(), message: z.string() });
export type RefusedEntry = z.infer<typeof RefusedEntry>;
