import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutText, shownText } from '../src/index.js';

describe('cutText', () => {
  it('keeps what fits, and each character whole', () => {
    expect(cutText('ab😀c', 4)).toBe('ab😀');
    expect(cutText('ab😀c', 3)).toBe('ab');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, max) => {
        const cut = cutText(text, max);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut).not.toMatch(/\p{Surrogate}/u);
        expect(max - cut.length).toBeLessThanOrEqual(text.length <= max ? max - text.length : 1);
      }),
    );
  });
});

describe('shownText', () => {
  it('replaces what cannot be stored', () => {
    expect(shownText('a\0b\ud800c😀', 7)).toBe('a\ufffdb\ufffdc😀');
    expect(shownText('a😀', 2)).toBe('a');
  });
});
