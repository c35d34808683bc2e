import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ACTIONS } from '@dtplatform/contracts';
import type { Action, Grant } from '@dtplatform/contracts';
import { allowedIds, allows, compileGrants } from '../src/index.js';

/** The literal rule: a grant applies when each part of its pattern is `*` or equal; grants add up. */
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
  it('follows the rule, for any grants and any question', () => {
    fc.assert(
      fc.property(grants, action, irn, (list, asked, name) => {
        expect(allows(compileGrants(list), asked, name)).toBe(allowsByTheRule(list, asked, name));
      }),
      { numRuns: 5000 },
    );
  });

  it('does not depend on earlier questions', () => {
    fc.assert(
      fc.property(grants, fc.array(fc.tuple(action, irn), { minLength: 2, maxLength: 10 }), (list, questions) => {
        const compiled = compileGrants(list);
        for (const [asked, name] of questions) {
          expect(allows(compiled, asked, name)).toBe(allowsByTheRule(list, asked, name));
        }
      }),
    );
  });

  it('is correct for more types than are cached', () => {
    const compiled = compileGrants([{ _irn: 'svc:type7:*', _actions: ['READ'] }]);
    for (let n = 0; n < 1000; n++) {
      expect(allows(compiled, 'READ', `svc:type${n % 500}:1`)).toBe(n % 500 === 7);
    }
  });

  it('rejects an unknown action', () => {
    const all = compileGrants([{ _irn: '*:*:*', _actions: ['*'] }]);
    expect(allows(all, 'FLY' as Action, 'filesvc:file:1')).toBe(false);
    expect(allows(compileGrants([]), 'READ', 'filesvc:file:1')).toBe(false);
  });

  it('treats ids that are names of built-in properties like any others', () => {
    const one = compileGrants([{ _irn: 'filesvc:file:1', _actions: ['READ'] }]);
    for (const id of ['constructor', '__proto__', 'toString'])
      expect(allows(one, 'READ', `filesvc:file:${id}`)).toBe(false);
  });
});

describe('ids of stored resources', () => {
  const id = fc.oneof(
    fc.stringMatching(/^[0-9a-f]{24}$/),
    fc.constantFrom(
      '0'.repeat(24),
      'f'.repeat(24),
      'F'.repeat(24),
      `${'0'.repeat(23)}g`,
      '0'.repeat(23),
      '0'.repeat(25),
      'é'.repeat(24),
    ),
  );

  it('are distinct, whatever their form', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(id, fc.subarray([...ACTIONS]))), fc.array(id), (granted, others) => {
        const list = granted.map(([each, _actions]) => ({ _irn: `filesvc:file:${each}`, _actions }));
        const compiled = compileGrants(list);
        for (const each of [...granted.map(([one]) => one), ...others]) {
          for (const action of ACTIONS) {
            const irn = `filesvc:file:${each}`;
            expect(allows(compiled, action, irn)).toBe(allowsByTheRule(list, action, irn));
          }
        }
        const readable = new Set(granted.filter(([, actions]) => actions.includes('READ')).map(([one]) => one));
        expect(new Set(allowedIds(compiled, 'READ', 'filesvc:file'))).toEqual(readable);
      }),
    );
  });

  it('are found among very many, and no others are', () => {
    const idOf = (n: number) => (n * 2).toString(16).padStart(24, '0');
    const count = 20_000;
    const compiled = compileGrants(
      Array.from({ length: count }, (_, n) => ({ _irn: `filesvc:file:${idOf(n)}`, _actions: ['READ'] })),
    );
    const found = Array.from({ length: count * 2 }, (_, n) => allows(compiled, 'READ', `filesvc:file:${idOf(n / 2)}`));
    expect(found.every((allowed, n) => allowed === (n % 2 === 0))).toBe(true);
    expect(allowedIds(compiled, 'READ', 'filesvc:file')).toHaveLength(count);
  });
});

describe('the visible ids of a type', () => {
  const type = fc.constantFrom('filesvc:file', 'itemsvc:item', 'filesvc:item');
  const single = fc.constantFrom<Action>(...ACTIONS);

  it('are exactly those that decisions allow', () => {
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
