import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, REFUSED_JSON } from '@dtplatform/testing';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { openStream } from './stream-client.js';

describe('text', () => {
  let app: TestApp;
  let authorization: string;
  beforeAll(async () => {
    app = await startApp();
    authorization = await app.as('olga');
  });
  afterAll(() => app.stop());

  it('that cannot be kept is refused in a message of a stream', async () => {
    const stream = await openStream(app.url, { authorization });
    for (const value of REFUSED_JSON) stream.socket.send(`{"type": "open", "requestId": 1, "fileSetId": ${value}}`);
    await eventually(() => expect(stream.messages).toHaveLength(REFUSED_JSON.length));
    for (const message of stream.messages) {
      expect(message).toMatchObject({ type: 'error', message: expect.stringMatching(/^The message has /) });
    }
    stream.close();
  });
});
