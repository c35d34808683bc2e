import { expect, it } from '@jest/globals';
import { bearerToken } from '../src/index.js';

it.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['BEARER   a.b-c_d~e+f/g==  ', 'a.b-c_d~e+f/g=='],
])('%j contains the token %j', (authorization, token) => {
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
])('%j contains no token', (authorization) => {
  expect(bearerToken({ authorization })).toBeUndefined();
});

it('a token can be in another header', () => {
  expect(bearerToken({ authentication: 'Bearer abc' }, 'authentication')).toBe('abc');
  expect(bearerToken({ authentication: 'Bearer abc' })).toBeUndefined();
});
