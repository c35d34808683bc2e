import { z } from 'zod';
import { PermissionEntry, ResourceDesc } from '@dtplatform/contracts';
import type { Criteria } from '@dtplatform/contracts';
import type { PermissionFailure } from '@dtplatform/permissions';

const { _criteria, _subresourceDesc } = ResourceDesc.shape;
const SentDesc = ResourceDesc.extend({
  _criteria: _criteria
    .nullable()
    .describe('What the items must be, for permissions on named items; null means no criteria.'),
  _subresourceDesc: _subresourceDesc
    .nullable()
    .describe('Limits the permission to related items of these items; null means no limit.'),
}).meta({ id: 'SentResourceDesc', description: 'The resources that a permission is for.' });

/** What callers send, for the reference. */
export const ShownEntry = PermissionEntry.extend({ _resourceDesc: SentDesc }).meta({
  id: 'SentPermission',
  description: 'A permission to grant; it replaces the one with the same namespace, subject and resources.',
});

/** One entry of a write as callers send it. */
export const SentEntry = PermissionEntry.extend({
  _resourceDesc: SentDesc.refine(isOfItems, 'criteria are for itemsvc:nameduseritem only').transform(inOrder),
  // Here they would be ignored, and the permission would hold for more than was meant.
  _criteria: z.never('belongs into _resourceDesc').optional(),
  _subresourceDesc: z.never('belongs into _resourceDesc').optional(),
});

interface Desc {
  _irn: string;
  _criteria?: Criteria | null | undefined;
  _subresourceDesc?: { _type: 'relateditem'; _criteria?: Criteria | undefined } | null | undefined;
}

function isOfItems({ _irn, _criteria, _subresourceDesc }: Desc): boolean {
  const [service, type] = _irn.split(':');
  return (!_criteria && !_subresourceDesc) || (/^(itemsvc|\*)$/.test(service!) && /^(nameduseritem|\*)$/.test(type!));
}

/** The same criteria are the same record, in whatever order their fields are sent. */
function inOrder({ _irn, _criteria, _subresourceDesc }: Desc): ResourceDesc {
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
export type RefusedEntry = z.infer<typeof PermissionFailure>;
