import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AsyncTask } from '@dtplatform/contracts';

/** A larger body is not part of the task: callers that poll need not read it each time. */
const MAX_BODY_BYTES = 1_000_000;
const LIFETIME_SEC = 15 * 60;

/** What the query of a link has. */
export interface LinkProof {
  /** In seconds since 1970. */
  expires: number;
  signature: string;
}

export type ResponseLinks = ReturnType<typeof createResponseLinks>;

/** Signed URLs at which whoever has them can fetch the body of a response, for a while. @param url of the tasks of this service */
export function createResponseLinks({ url, secret }: { url: string; secret: string }) {
  const signatureOf = (id: string, expires: number) =>
    createHmac('sha256', secret).update(`response of task ${id} until ${expires}`).digest();

  function linkTo(id: string): string {
    const expires = Math.floor(Date.now() / 1000) + LIFETIME_SEC;
    return `${url}/${id}/response?expires=${expires}&signature=${signatureOf(id, expires).toString('base64url')}`;
  }

  return {
    linkTo,
    /** The task with a link in place of a large body. */
    shorten(task: AsyncTask): AsyncTask {
      const { _id, _response } = task;
      if (!_response || Buffer.byteLength(_response._body) <= MAX_BODY_BYTES) return task;
      return { ...task, _response: { ..._response, externalStorage: true, _body: linkTo(_id) } };
    },
    isValid(id: string, { expires, signature }: LinkProof): boolean {
      const [expected, sent] = [signatureOf(id, expires), Buffer.from(signature, 'base64url')];
      return sent.length === expected.length && timingSafeEqual(sent, expected) && Date.now() < expires * 1000;
    },
  };
}
