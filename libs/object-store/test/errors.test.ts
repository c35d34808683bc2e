import { describe, expect, it } from '@jest/globals';
import { s3Errors } from '../src/index.js';

const named = (name: string, httpStatusCode?: number) =>
  Object.assign(Object.defineProperty(new Error('m'), 'name', { value: name }), { $metadata: { httpStatusCode } });
const coded = (code: string) => Object.assign(new Error('m'), { code });

describe('s3Errors', () => {
  it.each([
    coded('ECONNREFUSED'),
    coded('ENETUNREACH'),
    named('TimeoutError'),
    named('SlowDown', 503),
    named('InternalError', 500),
    named('TooManyRequests', 429),
    named('BadGateway', 502),
    coded('CERT_HAS_EXPIRED'),
    coded('ERR_TLS_CERT_ALTNAME_INVALID'),
    named('InvalidAccessKeyId', 403),
    named('SignatureDoesNotMatch', 403),
    new Error('wrapped', { cause: coded('ECONNRESET') }),
    new AggregateError([coded('ECONNREFUSED')], 'all addresses failed'),
  ])('maps %s to 503', (error) => {
    expect(s3Errors(error)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });

  it.each([named('NoSuchKey', 404), named('AccessDenied', 403), named('AbortError'), new Error('m'), 'SlowDown'])(
    'does not map %s',
    (error) => {
      expect(s3Errors(error)).toBeUndefined();
    },
  );
});
