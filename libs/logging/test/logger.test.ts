import { Writable } from 'node:stream';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { runInCall } from '@dtplatform/telemetry';
import { createLogger, silentLogger } from '../src/index.js';

const lines: string[] = [];
const stream = new Writable({
  write(line: Buffer, _encoding, done) {
    lines.push(line.toString());
    done();
  },
});
beforeEach(() => {
  lines.length = 0;
});
const logger = (level = 'info') => createLogger({ service: 'filesvc', level, stream });

describe('logger', () => {
  it("writes one JSON line with the service, the level's name and the time in ISO 8601", () => {
    logger().info({ file: 1 }, 'stored');
    expect(lines).toHaveLength(1);
    const line = JSON.parse(lines[0]!) as { time: string };
    expect(line).toMatchObject({ service: 'filesvc', level: 'info', file: 1, msg: 'stored' });
    expect(new Date(line.time).toISOString()).toBe(line.time);
  });

  it('omits entries below its level', () => {
    logger('warn').info('quiet');
    expect(lines).toEqual([]);
  });

  it('writes the ids of the current call', () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const log = logger().child({ jobId: 'j-1' });
    runInCall({ requestId: 'r-1', traceparent: `00-${traceId}-00f067aa0ba902b7-01` }, () => log.info('inside'));
    log.info('outside');
    const [inside, outside] = lines.map((line) => JSON.parse(line) as object);
    expect(inside).toMatchObject({ requestId: 'r-1', traceId, jobId: 'j-1', msg: 'inside' });
    expect(outside).not.toHaveProperty('requestId');
    expect(outside).not.toHaveProperty('traceId');
  });

  it.each([
    [{ password: 'hidden' }],
    [{ user: { password: 'hidden' } }],
    [{ app: { _secret: 'hidden' } }],
    [{ headers: { authorization: 'hidden', cookie: 'hidden' } }],
    [{ req: { headers: { authorization: 'hidden' } } }],
    [{ clientSecret: 'hidden', token: 'hidden', access_token: 'hidden' }],
    [{ refresh_token: 'hidden', client_secret: 'hidden' }],
    [{ code_verifier: 'hidden', list: [{ deep: { Password: 'hidden' } }] }],
    [{ err: Object.assign(new Error('broken'), { request: { headers: { Authorization: 'hidden' } } }) }],
  ])('never writes secrets: %j', (entry) => {
    logger().info(entry, 'a request');
    expect(lines[0]).toContain('a request');
    expect(lines[0]).not.toContain('hidden');
  });

  it('does not modify logged objects, and handles circular ones', () => {
    const entry = { user: { password: 'kept' }, self: undefined as unknown };
    entry.self = entry;
    logger().info(entry, 'once');
    expect(entry.user.password).toBe('kept');
    expect(lines).toHaveLength(1);
  });

  it('logs errors with their stack and cause', () => {
    logger().error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed');
    const line = JSON.parse(lines[0]!) as { err: { message: string; stack: string } };
    expect(line.err.message).toContain('outer');
    expect(line.err.stack).toContain('inner');
    logger().error({ err: 'only text' }, 'failed');
    expect(JSON.parse(lines[1]!)).toMatchObject({ err: 'only text' });
  });
});

it('writes nothing if silent', () => {
  const write = jest.spyOn(process.stdout, 'write');
  silentLogger().fatal('nothing');
  expect(write).not.toHaveBeenCalled();
  write.mockRestore();
});
