import { httpSide } from '../http-side.js';
import type { Row } from '../row.js';

const QUESTIONS = 1000;

export const batchCheck: Row = {
  row: 'batch-check',
  unit: 'request',
  reach: 0.8,
  about: `${QUESTIONS} checks in one request; beside node:http parsing and writing the same JSON, without tokens, validation and permissions`,
  async prepare({ serve, serviceOf, token, user, namespace }) {
    const { url, pid } = serviceOf('objectmodelsvc');
    const bare = await serve('references/bare-checks');
    const json = questionsAbout(user.id, namespace);
    return {
      ours: httpSide({ pid, urls: [`${url}/objectmodelsvc/api/v1/permissions/check`], json, token }),
      reference: httpSide({ pid: bare.pid, urls: [`${bare.url}/`], json }),
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
