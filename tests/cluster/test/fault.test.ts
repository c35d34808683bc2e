import { expect, it } from '@jest/globals';
import { orUndo } from '../src/monitors/fault.js';

it('a fault with several steps is undone if a later one fails, with the error of that step, and stays otherwise', async () => {
  const done: string[] = [];
  const undo = () => void done.push('undone');
  expect(await orUndo(undo, () => Promise.resolve('made'))).toBe('made');
  expect(done).toEqual([]);
  const goOn = async () => {
    done.push('step');
    throw new Error('the step failed');
  };
  await expect(orUndo(undo, goOn)).rejects.toThrow('the step failed');
  expect(done).toEqual(['step', 'undone']);
});
