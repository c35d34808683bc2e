import { describe, expect, it } from '@jest/globals';
import { AppError, commonErrors, defineErrors } from '../src/index.js';

describe('error catalogue', () => {
  const errors = defineErrors({
    nameIsTaken: { status: 400, message: 'The name is taken.', remedy: 'Choose another.' },
    gone: { status: 410, code: 'LONG_GONE', message: 'It is gone.', remedy: 'Forget it.' },
  });

  it('derives codes from names unless they are explicit', () => {
    expect(errors.nameIsTaken()).toMatchObject({ status: 400, code: 'NAME_IS_TAKEN', message: 'The name is taken.' });
    expect(errors.gone().code).toBe('LONG_GONE');
    expect(errors.gone()).toBeInstanceOf(AppError);
  });

  it('accepts another message, details, headers and a cause', () => {
    const cause = new Error('why');
    const details = [{ location: 'body.a', message: 'is wrong' }];
    const error = errors.gone({ message: 'Really gone.', details, headers: { 'x-a': '1' }, cause });
    expect(error).toMatchObject({ message: 'Really gone.', details, headers: { 'x-a': '1' }, cause });
  });
});

describe('common errors', () => {
  it('carry the challenge of RFC 6750 when authentication fails', () => {
    expect(commonErrors.unauthorized().headers).toEqual({ 'www-authenticate': 'Bearer' });
    const rejected = commonErrors.unauthorized({ tokenSent: true, message: 'It has expired.' });
    expect(rejected).toMatchObject({ status: 401, message: 'It has expired.' });
    expect(rejected.headers).toEqual({
      'www-authenticate': 'Bearer error="invalid_token", error_description="It has expired."',
    });
  });

  it('have Retry-After if they are temporary', () => {
    expect(commonErrors.unavailable()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(commonErrors.tooManyRequests({ retryAfterSec: 30 })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '30' },
    });
  });
});
