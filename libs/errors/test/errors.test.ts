import { describe, expect, it } from '@jest/globals';
import { AppError, commonErrors, defineErrors } from '../src/index.js';

describe('a catalogue of errors', () => {
  const errors = defineErrors({
    nameIsTaken: { status: 400, message: 'The name is taken.' },
    gone: { status: 410, code: 'LONG_GONE', message: 'It is gone.' },
  });

  it('makes errors whose code is their name, or the one that it gives', () => {
    expect(errors.nameIsTaken()).toMatchObject({ status: 400, code: 'NAME_IS_TAKEN', message: 'The name is taken.' });
    expect(errors.gone().code).toBe('LONG_GONE');
    expect(errors.gone()).toBeInstanceOf(AppError);
  });

  it('takes another sentence, details, headers and a cause', () => {
    const cause = new Error('why');
    const details = [{ location: 'body.a', message: 'is wrong' }];
    const error = errors.gone({ message: 'Really gone.', details, headers: { 'x-a': '1' }, cause });
    expect(error).toMatchObject({ message: 'Really gone.', details, headers: { 'x-a': '1' }, cause });
  });
});

describe('errors that every service has', () => {
  it('of authentication carry the challenge of RFC 6750', () => {
    expect(commonErrors.unauthorized().headers).toEqual({ 'www-authenticate': 'Bearer' });
    const refused = commonErrors.unauthorized({ tokenSent: true, message: 'It has expired.' });
    expect(refused).toMatchObject({ status: 401, message: 'It has expired.' });
    expect(refused.headers).toEqual({ 'www-authenticate': 'Bearer error="invalid_token"' });
  });

  it('that pass say when to come back', () => {
    expect(commonErrors.unavailable()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(commonErrors.tooManyRequests({ retryAfterSec: 30 })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '30' },
    });
  });
});
