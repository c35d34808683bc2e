import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '@dtplatform/mongo';

export interface Call {
  method: string;
  url: string;
  authorization: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

const TOKEN_PATH = '/passportsvc/token';
const FILES_PATH = '/filesvc/api/v1/files?';
const PROFILES_PATH = '/passportsvc/api/v1/permissionprofiles/';

/** The token endpoint's response to a token exchange. */
type Exchange = 'token' | 'inactive' | 'unavailable';

/**
 * A fake of graphicssvc (others with `answerWith`), and of passportsvc's token endpoint and permission profiles, with
 * responses set by the test.
 */
export async function startOtherServices() {
  const calls: Call[] = [];
  const exchanges: Record<string, string>[] = [];
  /** The namespaces of permission profiles, by id. */
  const profiles = new Map<string, string[]>();
  const rejectedTokens = new Set<string>();
  let answerCall: ((call: Call, res: ServerResponse) => boolean) | undefined;
  let exchange: Exchange = 'token';
  let ownToken = 'own';
  let putStatus = 200;
  let loadStatuses: string[] = [];

  const server = createServer((req, res) => {
    const answer = (status: number, body?: object) => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body));
    };
    void readJson(req).then((body) => {
      if (req.url === TOKEN_PATH) {
        const form = Object.fromEntries(new URLSearchParams(String(body)));
        if (form.grant_type === 'client_credentials') return answer(200, { access_token: ownToken, expires_in: 300 });
        exchanges.push(form);
        if (exchange === 'inactive') return answer(400, { error: 'invalid_grant' });
        if (exchange === 'unavailable') return answer(503);
        return answer(200, { access_token: `token-${exchanges.length}-of-${form.subject}`, expires_in: 300 });
      }
      const { authorization = '' } = req.headers;
      if (req.url!.startsWith(PROFILES_PATH)) {
        const _namespaces =
          authorization === `Bearer ${ownToken}` && profiles.get(req.url!.slice(PROFILES_PATH.length));
        return _namespaces ? answer(200, { _namespaces }) : answer(404);
      }
      if (req.url!.startsWith(FILES_PATH)) return answer(200, filesOf(new URL(req.url!, 'http://files')));
      const call = { method: req.method!, url: req.url!, authorization, headers: req.headers, body };
      calls.push(call);
      if (rejectedTokens.has(authorization.replace('Bearer ', ''))) return answer(401);
      if (answerCall?.(call, res)) return undefined;
      if (req.method === 'PUT') return answer(putStatus);
      const _fileId = new URL(req.url!, 'http://graphics').pathname.split('/').at(-1);
      return answer(200, { _fileId, _status: loadStatuses.length > 1 ? loadStatuses.shift() : loadStatuses[0] });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    calls,
    /** Requests to the token endpoint. */
    exchanges,
    /** @returns the id of a permission profile of these namespaces */
    profileIn: (...namespaces: string[]) => {
      const profile = newId();
      profiles.set(profile, namespaces);
      return profile;
    },
    /** Tokens that get a 401. */
    rejectedTokens,
    url,
    environment: { GRAPHICSSVC_URL: url, FILESVC_URL: url, ITEMSVC_URL: url, TOKEN_URL: `${url}${TOKEN_PATH}` },
    /** Sets the status of the response to PUT and the successive statuses of a load. */
    will(answers: { put: number; statuses: string[]; exchange?: Exchange }) {
      putStatus = answers.put;
      loadStatuses = answers.statuses;
      exchange = answers.exchange ?? 'token';
      calls.length = 0;
      exchanges.length = 0;
    },
    /** Sets the token that clients get for themselves. */
    giveOwnToken(token: string) {
      ownToken = token;
    },
    /** Responds to calls in place of the fake when it returns true. */
    answerWith(answerer: typeof answerCall) {
      answerCall = answerer;
      calls.length = 0;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page of files whose versions are named after them. */
function filesOf({ searchParams }: URL) {
  const ids = searchParams.get('_ids')!.split(',');
  const fileOf = (_id: string) => ({ _id, _name: _id, _type: 'file', _namespaces: [], _tipId: `tip-of-${_id}` });
  return { _list: ids.map(fileOf), _total: ids.length };
}

async function readJson(req: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of req) text += String(chunk);
  return text.startsWith('[') || text.startsWith('{') ? JSON.parse(text) : text;
}
