import { describe, expect, it } from '@jest/globals';
import { readSkaffoldOptions } from '../src/skaffold/options.js';

describe('options of the Skaffold test', () => {
  it('reject an unknown phase', () => {
    expect(() => readSkaffoldOptions(['develop'])).toThrow('unknown phase "develop"; the phases are dev, debug');
  });

  it('select both phases by default, and named phases in their fixed order', () => {
    expect(readSkaffoldOptions([])).toMatchObject({ phases: ['dev', 'debug'], namespace: 'dtplatform-skaffold' });
    expect(readSkaffoldOptions(['debug', 'dev'])).toMatchObject({ phases: ['dev', 'debug'] });
    expect(readSkaffoldOptions(['debug'])).toMatchObject({ phases: ['debug'] });
  });
});
