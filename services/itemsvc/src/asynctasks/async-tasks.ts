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
  /** @throws 404 unless the caller may see the task (`requireOwnTask`) */
  get: async (id: string, access: Access): Promise<AsyncTask> =>
    links.shorten(await requireOwnTask(await taskStore.find(id), access)),
  /** The body of the response, as JSON text. @throws 404 unless the link is valid and the task has a response */
  async readResponse(id: string, proof: LinkProof): Promise<string> {
    const found = (await links.isValid(id, proof)) ? await taskStore.find(id) : undefined;
    if (!found?.task._response) throw commonErrors.notFound();
    return found.task._response._body;
  },
});

export type AsyncTasks = ReturnType<typeof createAsyncTasks>;

/** A larger body is not part of the task: callers that poll need not read it each time. */
const MAX_BODY_BYTES = 1_000_000;
const LIFETIME_SEC = 15 * 60;

/** What the query of a link has. */
interface LinkProof {
  /** In seconds since 1970. */
  expires: number;
  signature: string;
}

export type ResponseLinks = ReturnType<typeof createResponseLinks>;

/**
 * Signed URLs at which whoever has them can fetch the body of a response, for a while.
 * @param url of the tasks of this service
 * @param key what signs them, and nothing else
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
    /** The task with a link in place of a large body. */
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
