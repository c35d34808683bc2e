import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Namespace } from '../src/index.js';

describe('Namespace', () => {
  it.each(['tower_1', 'a b', 'Zürich', '塔', '😀', '\u00a0'])('accepts %j', (text) => {
    expect(Namespace.safeParse(text).success).toBe(true);
  });

  it.each(['', 'x'.repeat(129), 'a\0b', 'a\nb', '\u001f', '\u007f', '\u0085', '\ud800', 'a\udc00'])(
    'rejects %j',
    (text) => {
      expect(Namespace.safeParse(text).success).toBe(false);
    },
  );

  it('has a pattern that is valid outside JavaScript', () => {
    expect(z.toJSONSchema(Namespace)).toMatchObject({ pattern: String.raw`^[^\x00-\x1f\x7f-\x9f]*$` });
  });
});
