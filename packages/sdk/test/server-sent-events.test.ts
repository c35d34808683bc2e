import { describe, expect, it } from '@jest/globals';
import { createEventParser } from '../src/server-sent-events.js';

const STREAM =
  'retry: 1000\n\n: still here\n\nevent: run\nid: 1\ndata: {"a":1}\n\nid: 2\r\ndata: b\r\ndata:c\r\n\r\ndata: no end';
const EVENTS = [
  { event: 'run', id: '1', data: '{"a":1}' },
  { event: 'message', id: '2', data: 'b\nc' },
];

describe('the parser of server-sent events', () => {
  it('returns complete events', () => {
    expect(createEventParser()(STREAM)).toEqual(EVENTS);
  });

  it('accepts a stream in pieces of any size', () => {
    for (let at = 1; at < STREAM.length; at++) {
      const parse = createEventParser();
      expect([...parse(STREAM.slice(0, at)), ...parse(STREAM.slice(at))]).toEqual(EVENTS);
    }
  });
});
