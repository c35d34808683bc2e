import { describe, expect, it } from '@jest/globals';
import { createSlowScripts } from '../src/messages/slow-scripts.js';

describe('groups of a configuration', () => {
  it('do not wait while its script is fast', () => {
    const scripts = createSlowScripts();
    const turn = scripts.begin('a');
    turn.took(20);
    expect([scripts.waitMs('a'), turn.waitMs()]).toEqual([undefined, undefined]);
  });

  it('wait for each other, increasingly long, while its script is slow', () => {
    const scripts = createSlowScripts();
    const [first, second] = [scripts.begin('a'), scripts.begin('a')];
    first.took(1500);
    expect(second.waitMs()).toBe(1000);
    second.end();
    expect(first.waitMs()).toBeUndefined();
    expect([scripts.waitMs('a'), scripts.waitMs('a'), scripts.waitMs('b')]).toEqual([1000, 2000, undefined]);
    first.end();
    expect(scripts.waitMs('a')).toBeUndefined();
  });
});
