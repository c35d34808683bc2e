import { describe, expect, it } from '@jest/globals';
import { Query } from 'mingo';
import fc from 'fast-check';
import { ACTIONS } from '@dtplatform/contracts';
import type { Action, Criteria, Grant } from '@dtplatform/contracts';
import { allowedRelated, allows, compileGrants } from '../src/decision.js';
import { matches } from '../src/index.js';

const value = fc.constantFrom('a', 'b', 1, true);
const field = fc.constantFrom('color', 'size', 'constructor');
const criteria: fc.Arbitrary<Criteria> = fc.dictionary(field, value, { maxKeys: 2, noNullPrototype: true });
const fields = fc.dictionary(field, fc.oneof(value, fc.constant(null), fc.array(value, { maxLength: 2 })), {
  maxKeys: 3,
  noNullPrototype: true,
});

describe('criteria', () => {
  it('match what the same MongoDB filter matches', () => {
    fc.assert(
      fc.property(criteria, fields, (wanted, resource) => {
        expect(matches(wanted, resource)).toBe(new Query({ ...wanted }).test(resource));
      }),
      { numRuns: 3000 },
    );
  });

  it('match what is not known yet, and never a resource without the field', () => {
    expect(matches({ color: 'a' }, 'any')).toBe(true);
    expect(matches({ color: 'a' }, undefined)).toBe(false);
    expect(matches({}, undefined)).toBe(true);
  });
});

const irn = fc.constantFrom('itemsvc:nameduseritem:*', 'itemsvc:nameduseritem:1', '*:*:*', 'filesvc:file:*');
const itemCriteria = fc.record({ _itemClass: value, _userType: value }, { requiredKeys: [] });
const grant: fc.Arbitrary<Grant> = fc.record(
  {
    _irn: irn,
    _actions: fc.subarray([...ACTIONS]),
    _criteria: itemCriteria as fc.Arbitrary<NonNullable<Grant['_criteria']>>,
    _subresourceDesc: fc.record({ _type: fc.constant('relateditem' as const), _criteria: criteria }),
  },
  { requiredKeys: ['_irn', '_actions'] },
);
const ITEM = 'itemsvc:nameduseritem:1';

/** The literal rule for one item, or for one of its related items. */
function allowsByTheRule(
  grants: Grant[],
  action: Action,
  item: Record<string, unknown>,
  related?: Record<string, unknown>,
): boolean {
  return grants.some(
    ({ _irn, _actions, _criteria, _subresourceDesc }) =>
      _irn !== 'filesvc:file:*' &&
      _actions.includes(action) &&
      new Query({ ..._criteria }).test(item) &&
      (!_subresourceDesc || (related && new Query({ ..._subresourceDesc._criteria }).test(related))),
  );
}

describe('a decision with criteria', () => {
  it('follows the rule, for items and their related items', () => {
    const grants = fc.array(grant, { maxLength: 5 });
    fc.assert(
      fc.property(grants, fc.constantFrom(...ACTIONS), itemCriteria, fields, (list, action, item, related) => {
        const compiled = compileGrants(list);
        expect(allows(compiled, action, ITEM, { fields: item })).toBe(allowsByTheRule(list, action, item));
        const expected = allowsByTheRule(list, action, item, related);
        expect(allows(compiled, action, ITEM, { fields: item, related })).toBe(expected);
        const allowed = allowedRelated(compiled, action, ITEM, item);
        expect(allowed === 'all' || allowed.some((each) => matches(each, related))).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });

  it('adds up actions that different criteria allow', () => {
    const one = (_actions: Grant['_actions'], _criteria: Grant['_criteria']): Grant => ({
      _irn: ITEM,
      _actions,
      _criteria,
    });
    const compiled = compileGrants([
      one(['READ', 'EDIT', 'CREATE', 'DELETE'], { _itemClass: 'a' }),
      one(['SHARE', 'RUN', 'ASSIGN'], { _userType: 'b' }),
    ]);
    expect(allows(compiled, '*', ITEM, { fields: { _itemClass: 'a', _userType: 'b' } })).toBe(true);
    expect(allows(compiled, '*', ITEM, { fields: { _itemClass: 'a', _userType: 'c' } })).toBe(false);
  });
});
