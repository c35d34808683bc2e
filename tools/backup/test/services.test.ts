import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { repoRoot } from '@dtplatform/stack';
import { SERVICES } from '../src/services.js';

describe('a backup', () => {
  it('contains the databases of all services', () => {
    expect([...SERVICES].sort()).toEqual(readdirSync(`${repoRoot}/services`).sort());
  });
});
