import { describe, expect, it } from '@jest/globals';
import { inlineParts } from '@dtplatform/testing';
import { describedBy, operations } from './support/openapi.js';
import { send, SERVICES } from './support/platform.js';

describe('the API reference', () => {
  it.each(SERVICES)('%s serves the committed description', async (service) => {
    const response = await send('GET', `/${service}/api/v1/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(inlineParts(response.body as object)).toEqual(describedBy(service));
  });

  it('is served as a whole at the base URL, with the websocket description', async () => {
    const { body } = await send('GET', '/openapi.json');
    const documented = operations.filter((operation) => operation['x-alias-of'] === undefined);
    const names = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (methods) => Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(names.sort()).toEqual(documented.map(({ service, operationId }) => `${service}.${operationId}`).sort());
    const websockets = await send('GET', '/asyncapi.json');
    expect(websockets.body).toEqual((await send('GET', '/graphicssvc/api/v1/asyncapi.json')).body);
  });
});
