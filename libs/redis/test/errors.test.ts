import { describe, expect, it } from '@jest/globals';
import { redisErrors } from '../src/index.js';

const named = (name: string, message = 'm') => Object.defineProperty(new Error(message), 'name', { value: name });
const coded = (code: string) => Object.assign(new Error(`connect ${code}`), { code });

describe('redisErrors', () => {
  it.each([
    coded('ECONNREFUSED'),
    coded('ENETUNREACH'),
    named('MaxRetriesPerRequestError'),
    named('ClusterAllFailedError'),
    named('ReplyError', 'LOADING Redis is loading the dataset in memory'),
    named('ReplyError', 'READONLY You cannot write against a read only replica.'),
    named('ReplyError', 'MISCONF Errors writing to the AOF file: No space left on device'),
    named('ReplyError', 'NOAUTH Authentication required.'),
    named('ReplyError', 'WRONGPASS invalid username-password pair or user is disabled.'),
    coded('CERT_HAS_EXPIRED'),
    new Error('Connection is closed.'),
    new Error('Command timed out'),
    new AggregateError([coded('ECONNREFUSED')], 'all addresses failed'),
    new Error('wrapped', { cause: coded('ECONNRESET') }),
  ])('maps %s to 503', (error) => {
    expect(redisErrors(error)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });

  it.each([named('ReplyError', 'ERR syntax error'), new Error('m'), new TypeError('m'), 'ECONNREFUSED', undefined])(
    'does not map %s',
    (error) => {
      expect(redisErrors(error)).toBeUndefined();
    },
  );
});
