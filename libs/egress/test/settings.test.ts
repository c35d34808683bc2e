import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { loadConfig } from '@dtplatform/config';
import { egressSettings } from '../src/index.js';

const load = (EGRESS_ALLOW?: string) => loadConfig(z.object(egressSettings), { EGRESS_ALLOW }).EGRESS_ALLOW;

describe('EGRESS_ALLOW', () => {
  it('is empty by default', () => expect(load()).toEqual([]));

  it('accepts addresses, networks and names', () => {
    const entries = ['127.0.0.1', '::1', '10.1.0.0/16', 'fd00::/8', 'scim.internal', 'localhost'];
    expect(load(entries.join(', '))).toEqual(entries);
  });

  it.each(['10.0.0.0/33', '10.0.0', '2130706433', 'https://scim.internal', 'a b', '*.internal', '-x'])(
    'rejects %s',
    (entry) => {
      expect(() => load(entry)).toThrow('EGRESS_ALLOW: must contain IP addresses');
    },
  );
});
