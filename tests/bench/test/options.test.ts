import { expect, it } from '@jest/globals';
import { readOptions } from '../src/options.js';
import type { Operation } from '../src/counts/operations/operation.js';
import type { Row } from '../src/row.js';

const prepare = () => Promise.reject(new Error('not asked for'));
const rows = ['token', 'upload', 'upload-16'].map((row): Row => ({ row, unit: '', reach: 1, about: '', prepare }));
const operations = ['item-created', 'item-version', 'run'].map((name): Operation => ({ name, service: '', prepare }));
const names = (...args: string[]) => readOptions(args, rows, operations).rows.map(({ row }) => row);

it('measures all rows, or the named ones with their variants', () => {
  expect(names()).toEqual(['token', 'upload', 'upload-16']);
  expect(names('--only', 'token')).toEqual(['token']);
  expect(names('--only', 'upload')).toEqual(['upload', 'upload-16']);
  expect(names('--only', 'upload-16', '--only', 'token')).toEqual(['token', 'upload-16']);
  expect(() => names('--only', 'tokens')).toThrow('unknown row tokens; the rows are token, upload, upload-16');
  expect(readOptions(['--json', 'out.json'], rows, operations).json).toBe('out.json');
});

it('counts all operations, or the named ones', () => {
  const counted = (...args: string[]) => readOptions(args, rows, operations).operations?.map(({ name }) => name);
  expect(counted('--counts')).toEqual(['item-created', 'item-version', 'run']);
  expect(counted('--counts', 'run', 'item-created')).toEqual(['item-created', 'run']);
  expect(counted()).toBeUndefined();
  expect(() => counted('--counts', 'items')).toThrow('unknown operation items; the operations are item-created');
  expect(() => counted('run')).toThrow('run is an operation: use --counts');
});
