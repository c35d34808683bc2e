import { expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace } from './support/people.js';
import { must, uploadFile } from './support/resources.js';

const FILES = '/filesvc/api/v1/files';
const soon = { timeoutMs: 60_000 };

it('previews are created by the worker, downloaded from S3 and counted by metricsvc', async () => {
  const owner = await enter();
  const query = { nsfilter: await openWorkspace(owner) };
  const get = async (path: string) => (await must(200, 'GET', path, { token: owner.token, query })).body;
  const bytesOf = async (dimensions: Record<string, string>): Promise<number | undefined> => {
    const path = '/metricsvc/api/v1/metrics/dtplatform.filesvc.PreviewImageFileSize';
    const asked = { token: owner.token, query: { namespace: query.nsfilter, ...dimensions } };
    return (await must(200, 'GET', path, asked)).body.metrics[0]?.value;
  };

  const content = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="600"><circle r="200" fill="red"/></svg>';
  const id = await uploadFile(owner, query.nsfilter, { content });
  const file = await eventually(async () => {
    const shown = await get(`${FILES}/${id}`);
    expect(shown._previews).toMatchObject([
      { _width: 128, _height: 256 },
      { _width: 300, _height: 600 },
    ]);
    return shown;
  }, soon);

  let stored = 0;
  for (const preview of file._previews as { _id: string }[]) {
    const { _url } = await get(`${FILES}/${id}/previews/${preview._id}/url`);
    const response = await fetch(_url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
    stored += (await response.arrayBuffer()).byteLength;
  }
  await eventually(async () => {
    for (const dimensions of [{}, { file_id: id }, { file_id: id, version: '1' }] as Record<string, string>[])
      expect(await bytesOf(dimensions)).toBe(stored);
  }, soon);

  await must(204, 'DELETE', `${FILES}/${id}`, { token: owner.token, query });
  await eventually(async () => expect(await bytesOf({})).toBe(0), soon);
});
