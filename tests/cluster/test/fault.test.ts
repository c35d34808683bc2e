import { describe, expect, it } from '@jest/globals';
import { orUndo } from '../src/monitors/fault.js';

describe('a fault with several steps', () => {
  it('is undone if a later step fails, with the error of that step', async () => {
    const done: string[] = [];
    const goOn = async () => {
      done.push('step');
      throw new Error('the step failed');
    };
    await expect(orUndo(() => void done.push('undone'), goOn)).rejects.toThrow('the step failed');
    expect(done).toEqual(['step', 'undone']);
  });

  it('stays if every step succeeds', async () => {
    const done: string[] = [];
    expect(
      await orUndo(
        () => void done.push('undone'),
        () => Promise.resolve('made'),
      ),
    ).toBe('made');
    expect(done).toEqual([]);
  });
});
