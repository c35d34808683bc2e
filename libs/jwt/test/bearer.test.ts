import { expect, it } from '@jest/globals';
import { bearerToken } from '../src/index.js';

it.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['BEARER   a.b-c_d~e+f/g==  ', 'a.b-c_d~e+f/g=='],
])('finds in %j the token %j', (authorization, token) => {
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
])('finds no token in %j', (authorization) => {
  expect(bearerToken({ authorization })).toBeUndefined();
});
