import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutText, shownText } from '../src/index.js';

describe('cutText', () => {
  it('counts code points and never splits one', () => {
    expect(cutText('ab😀c', 3)).toBe('ab😀');
    expect(cutText('ab😀', 2)).toBe('ab');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, max) => {
        expect(Array.from(cutText(text, max))).toEqual(Array.from(text).slice(0, max));
      }),
    );
  });
});

describe('shownText', () => {
  it('replaces characters that cannot be stored', () => {
    expect(shownText('a\0b\ud800c😀', 6)).toBe('a\ufffdb\ufffdc😀');
    expect(shownText('a😀b', 2)).toBe('a😀');
  });
});
