import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AsyncTask } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { requireOwnTask } from '@dtplatform/permissions';
import type { Access } from '@dtplatform/permissions';
import type { AsyncTaskStore } from './async-tasks.store.js';

interface Deps {
  taskStore: AsyncTaskStore;
  links: ResponseLinks;
}

export const createAsyncTasks = ({ taskStore, links }: Deps) => ({
  /** @throws 404 unless the caller may see the task */
  get: async (id: string, access: Access): Promise<AsyncTask> =>
    links.shorten(await requireOwnTask(await taskStore.find(id), access)),
  /** The response body as JSON. @throws 404 if the link is invalid or the task has no response */
  async readResponse(id: string, proof: LinkProof): Promise<string> {
    const found = (await links.isValid(id, proof)) ? await taskStore.find(id) : undefined;
    if (!found?.task._response) throw commonErrors.notFound();
    return found.task._response._body;
  },
});

export type AsyncTasks = ReturnType<typeof createAsyncTasks>;

/** Larger bodies are replaced by a link, so that polling stays cheap. */
const MAX_BODY_BYTES = 1_000_000;
const LIFETIME_SEC = 15 * 60;

/** The query parameters of a signed link. */
interface LinkProof {
  /** Seconds since 1970. */
  expires: number;
  signature: string;
}

export type ResponseLinks = ReturnType<typeof createResponseLinks>;

/**
 * Signed, expiring URLs of large response bodies. Anyone who has such a URL can read the body.
 * @param url of the task resource
 * @param key signs these links and nothing else
 */
export function createResponseLinks({ url, key }: { url: string; key: () => Promise<string> }) {
  const signatureOf = async (id: string, expires: number) =>
    createHmac('sha256', await key())
      .update(`response of task ${id} until ${expires}`)
      .digest();

  async function linkTo(id: string): Promise<string> {
    const expires = Math.floor(Date.now() / 1000) + LIFETIME_SEC;
    const signature = (await signatureOf(id, expires)).toString('base64url');
    return `${url}/${id}/response?expires=${expires}&signature=${signature}`;
  }

  return {
    linkTo,
    /** Replaces a large response body by a link. */
    async shorten(task: AsyncTask): Promise<AsyncTask> {
      const { _id, _response } = task;
      if (!_response || Buffer.byteLength(_response._body) <= MAX_BODY_BYTES) return task;
      return { ...task, _response: { ..._response, externalStorage: true, _body: await linkTo(_id) } };
    },
    async isValid(id: string, { expires, signature }: LinkProof): Promise<boolean> {
      const [expected, sent] = [await signatureOf(id, expires), Buffer.from(signature, 'base64url')];
      return sent.length === expected.length && timingSafeEqual(sent, expected) && Date.now() < expires * 1000;
    },
  };
}
