import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ACTIONS } from '@dtplatform/contracts';
import type { Action, Grant } from '@dtplatform/contracts';
import { allowedIds, allows, compileGrants } from '../src/index.js';

/** The rule as it is written: a grant counts when each part of its pattern is open or the same; grants add up. */
function allowsByTheRule(grants: Grant[], action: Action | '*', irn: string): boolean {
  const parts = irn.split(':');
  const held = new Set(
    grants
      .filter(({ _irn }) => _irn.split(':').every((part, n) => part === '*' || part === parts[n]))
      .flatMap(({ _actions }) => _actions.flatMap((granted) => (granted === '*' ? ACTIONS : [granted]))),
  );
  return action === '*' ? ACTIONS.every((each) => held.has(each)) : held.has(action);
}

const part = (...names: string[]) => fc.constantFrom('*', ...names);
const irn = fc
  .tuple(part('filesvc', 'itemsvc'), part('file', 'item'), part('1', '2', '3'))
  .map((parts) => parts.join(':'));
const action = fc.constantFrom<Action | '*'>(...ACTIONS, '*');
const grants = fc.array(fc.record({ _irn: irn, _actions: fc.array(action, { maxLength: 4 }) }), { maxLength: 8 });

describe('a decision', () => {
  it('is what the rule says, for any grants and any question', () => {
    fc.assert(
      fc.property(grants, action, irn, (list, asked, name) => {
        expect(allows(compileGrants(list), asked, name)).toBe(allowsByTheRule(list, asked, name));
      }),
      { numRuns: 5000 },
    );
  });

  it('does not depend on what was asked before', () => {
    fc.assert(
      fc.property(grants, fc.array(fc.tuple(action, irn), { minLength: 2, maxLength: 10 }), (list, questions) => {
        const compiled = compileGrants(list);
        for (const [asked, name] of questions) {
          expect(allows(compiled, asked, name)).toBe(allowsByTheRule(list, asked, name));
        }
      }),
    );
  });

  it('is right for more types than are remembered', () => {
    const compiled = compileGrants([{ _irn: 'svc:type7:*', _actions: ['READ'] }]);
    for (let n = 0; n < 1000; n++) {
      expect(allows(compiled, 'READ', `svc:type${n % 500}:1`)).toBe(n % 500 === 7);
    }
  });

  it('is no for an action that there is not', () => {
    const all = compileGrants([{ _irn: '*:*:*', _actions: ['*'] }]);
    expect(allows(all, 'FLY' as Action, 'filesvc:file:1')).toBe(false);
    expect(allows(compileGrants([]), 'READ', 'filesvc:file:1')).toBe(false);
  });

  it('keeps apart ids that are names of what every object has', () => {
    const one = compileGrants([{ _irn: 'filesvc:file:1', _actions: ['READ'] }]);
    for (const id of ['constructor', '__proto__', 'toString'])
      expect(allows(one, 'READ', `filesvc:file:${id}`)).toBe(false);
  });
});

describe('the ids of a type that may be seen', () => {
  const type = fc.constantFrom('filesvc:file', 'itemsvc:item', 'filesvc:item');
  const single = fc.constantFrom<Action>(...ACTIONS);

  it('are exactly those on which a decision is yes', () => {
    fc.assert(
      fc.property(grants, single, type, (list, asked, serviceAndType) => {
        const ids = allowedIds(compileGrants(list), asked, serviceAndType);
        if (ids === '*') expect(allowsByTheRule(list, asked, `${serviceAndType}:*`)).toBe(true);
        else {
          const expected = ['1', '2', '3'].filter((id) => allowsByTheRule(list, asked, `${serviceAndType}:${id}`));
          expect([...ids].sort()).toEqual(expected);
          expect(allowsByTheRule(list, asked, `${serviceAndType}:unheard-of`)).toBe(false);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
