import { randomBytes } from 'node:crypto';
import { facadeImage, until } from '@dtplatform/stack';
import { createCaller, FILES, FILESTORE, ITEMS, METRICS, type Page, signIn } from '@dtplatform/stack/client';
import { createLoadUser, type LoadUser, storeFile } from '@dtplatform/bench/callers';
import type { TestRun } from '../test-run.js';

const TIMEOUT_MS = 180_000;
const ITEM_COUNT = 25;

interface File {
  _id: string;
  _previews: { _id: string }[];
}

/** Data that does not change during the test, and its state as callers see it. */
export interface QuietData {
  /** Rejects with the differences. */
  verify(): Promise<string>;
}

/** A user with items, an image with previews in the graphics file store, and metrics. */
export async function createQuietData({ dev, signal }: TestRun): Promise<QuietData> {
  const user = await createLoadUser(dev, signal);
  const query = { nsfilter: user.namespace };
  const image = await storeFile(user, Buffer.from(facadeImage()), { name: 'facade.png', graphics: true });
  const names = Array.from({ length: ITEM_COUNT }, () => `quiet_${randomBytes(5).toString('hex')}`);
  const json = names.map((name) => ({
    ...{ _name: name, _shortName: name, _description: '', _namespaces: [user.namespace] },
    ...{ _userType: 'quiet', _itemClass: 'NamedUserCollection' },
  }));
  await user.caller.call('POST', ITEMS, { query, json, expect: 201 });
  await user.caller.call('PUT', FILESTORE, { query, json: [{ _fileId: image }] });

  const looks = async () => JSON.stringify(await look(user, image));
  let before = '';
  await until(
    'the metrics of the quiet data stand still',
    async () => isSettled((before = await looks())),
    waiting(signal),
  );

  return {
    async verify() {
      const { access_token: token } = await signIn(dev, user.credentials);
      const again = { ...user, caller: createCaller({ baseUrl: dev.baseUrl, token, signal }) };
      let after = '';
      const isSame = async () => (after = JSON.stringify(await look(again, image))) === before;
      await until('the quiet data are as before', isSame, waiting(signal)).catch((error: unknown) => {
        throw new Error(`the restored data differ: ${after}, before: ${before}`, { cause: error });
      });
      return before;
    },
  };
}

const waiting = (signal: AbortSignal) => ({ timeoutMs: TIMEOUT_MS, everyMs: 1000, signal });

/**
 * What a caller sees: totals, metrics, sizes of content and previews, the state of the file in the graphics file store.
 */
async function look({ caller, namespace }: LoadUser, image: string) {
  const query = { nsfilter: namespace };
  const items = (await caller.call<Page<unknown>>('GET', ITEMS, { query: { ...query, _pageSize: 1 } })).body._total;
  const file = (await caller.call<Page<File>>('GET', FILES, { query: { ...query, _ids: image } })).body._list[0]!;
  const bytes = (await (await caller.open('GET', `${FILES}/${image}/content`, { query })).arrayBuffer()).byteLength;
  const previews: number[] = [];
  for (const { _id } of file._previews) {
    const path = `${FILES}/${image}/previews/${_id}/url`;
    const { _url } = (await caller.call<{ _url: string }>('GET', path, { query })).body;
    previews.push((await (await fetch(_url)).arrayBuffer()).byteLength);
  }
  const metrics: Record<string, number | undefined> = {};
  for (const name of ['dtplatform.filesvc.FileCount.graphics', 'dtplatform.filesvc.FileVersionSize.graphics'])
    metrics[name] = await lastValue(caller, namespace, name);
  return { items, bytes, previews, metrics, graphics: await loadState(caller, namespace, image) };
}

async function lastValue(caller: LoadUser['caller'], namespace: string, name: string): Promise<number | undefined> {
  const { body } = await caller.call<{ metrics: { value: number }[] }>('GET', `${METRICS}/${name}`, {
    query: { namespace },
  });
  return body.metrics.at(-1)?.value;
}

async function loadState(caller: LoadUser['caller'], namespace: string, image: string): Promise<string> {
  const path = `/graphicssvc/api/v1/filestore/${image}`;
  return (await caller.call<{ _status: string }>('GET', path, { query: { nsfilter: namespace } })).body._status;
}

const isSettled = (looks: string): boolean => {
  const { previews, metrics, graphics } = JSON.parse(looks) as Awaited<ReturnType<typeof look>>;
  return (
    previews.length > 0 &&
    Object.values(metrics).every((value) => value !== undefined && value > 0) &&
    graphics === 'LOADED'
  );
};
