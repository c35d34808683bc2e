import { startServer } from '../child.js';
import { httpSide } from '../http-side.js';
import type { Row } from '../row.js';

const QUESTIONS = 1000;

export const batchCheck: Row = {
  row: 'batch-check',
  unit: 'request',
  reach: 0.8,
  about: `${QUESTIONS} checks in one request; beside node:http parsing and writing the same JSON, without tokens, validation and permissions`,
  async prepare({ serviceOf, token, namespace }) {
    const { url, pid } = serviceOf('objectmodelsvc');
    const bare = await startServer('references/bare-checks', undefined);
    const request = { method: 'POST', body: JSON.stringify(questionsAbout(subjectOf(token), namespace)) } as const;
    const headers = { 'content-type': 'application/json' };
    return {
      ours: httpSide({
        ...{ ...request, pid, urls: [`${url}/objectmodelsvc/api/v1/permissions/check`] },
        headers: { ...headers, authorization: `Bearer ${token}` },
      }),
      reference: httpSide({ ...request, headers, pid: bare.pid, urls: [`${bare.url}/`] }),
      close: bare.stop,
    };
  },
};

const questionsAbout = (userId: string, namespace: string) =>
  Array.from({ length: QUESTIONS }, (_, n) => ({
    _user: { _type: 'user', _id: userId },
    _action: 'READ',
    _irn: `itemsvc:nameduseritem:${n.toString(16).padStart(24, '0')}`,
    _namespace: namespace,
  }));

/** The user of a JWT. */
const subjectOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sub: string }).sub;
