import { expect, it } from '@jest/globals';
import { bearerToken } from '../src/index.js';

it.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['BEARER   a.b-c_d~e+f/g==  ', 'a.b-c_d~e+f/g=='],
])('%j holds the token %j', (authorization, token) => {
  expect(bearerToken({ authorization })).toBe(token);
});

it.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'abc',
  'Basic abc',
  'Bearer a b',
  'Bearer a,b',
  'Bearer "a"',
  'XBearer abc',
  'Bearer =a',
])('%j holds none', (authorization) => {
  expect(bearerToken({ authorization })).toBeUndefined();
});

it('may be in another header', () => {
  expect(bearerToken({ authentication: 'Bearer abc' }, 'authentication')).toBe('abc');
  expect(bearerToken({ authentication: 'Bearer abc' })).toBeUndefined();
});
