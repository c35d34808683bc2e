import { parse } from 'content-type';
import { z } from 'zod';
import { JsonRejected, NotJson, parseJson, rejectUnstorable } from '@dtplatform/contracts';
import { EgressFailed, EgressRejected } from '@dtplatform/egress';
import type { Egress, EgressAnswer } from '@dtplatform/egress';
import { errors } from '../errors.js';
import { defineComponent } from './component.js';

const MAX_URL = 2048;
const FIRST_ERROR_STATUS = 400;
const JSON_TYPE = /^application\/(.+\+)?json$/;
/** The response headers that are part of a result. */
const KEPT_HEADERS = ['content-type', 'etag', 'last-modified', 'location', 'retry-after'];

interface Deps {
  egress: Egress;
  /** Host names and IP addresses that steps may call. */
  hosts: readonly string[];
}

/**
 * `call_url {url, method, body}`: calls a host of the operator's list, without any token of the platform. Sends a
 * string unchanged and any other body as JSON.
 */
export const callUrlComponent = ({ egress, hosts }: Deps) =>
  defineComponent({
    name: 'call_url',
    description:
      'Calls a URL on a host that the operator allows, and fails if the response has a status of 400 or above.',
    // An interrupted call may have had its effect.
    mayRunAgain: false,
    params: z
      .strictObject({
        url: z
          .string()
          .max(MAX_URL)
          .superRefine(rejectOthers(new Set(hosts.map(comparable)))),
        method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
        body: z.unknown().optional(),
      })
      .refine(({ method, body }) => method !== 'GET' || body === undefined, {
        path: ['body'],
        message: 'is not allowed with GET',
      }),
    async run({ url, method, body }, { signal }) {
      const response = await egress.request({ url, method, ...contentOf(body), signal }).catch((error: unknown) => {
        throw failureOf(error);
      });
      if (response.status >= FIRST_ERROR_STATUS) {
        throw errors.urlAnsweredError({ message: `The URL responded with status ${response.status}.` });
      }
      return { status: response.status, headers: headersOf(response), body: bodyOf(response) };
    },
  });

const comparable = (host: string) => host.toLowerCase().replace(/\.$/, '');
const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

const rejectOthers = (allowed: ReadonlySet<string>) => (url: string, context: z.RefinementCtx) => {
  const target = URL.parse(url);
  const reject = (message: string) => context.addIssue({ code: 'custom', message });
  if (!target || !/^https?:$/.test(target.protocol)) reject('must be a URL that starts with https://');
  else if (!allowed.has(comparable(withoutBrackets(target.hostname))))
    reject("leads to a host that is not on the operator's list (CALL_URL_HOSTS)");
};

function contentOf(body: unknown) {
  if (body === undefined) return {};
  if (typeof body === 'string') return { body, headers: { 'content-type': 'text/plain; charset=utf-8' } };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

function failureOf(error: unknown): unknown {
  if (error instanceof EgressRejected) {
    return errors.urlRefused({
      message: `The platform is not allowed to call the URL: it ${error.message}.`,
      cause: error,
    });
  }
  if (!(error instanceof EgressFailed)) return error;
  return errors.urlNotReached({ message: `The URL could not be called: ${error.message}.`, cause: error });
}

const headersOf = ({ headers }: EgressAnswer) =>
  Object.fromEntries(KEPT_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));

/** Parses JSON; returns anything else as text. @throws urlAnsweredError for a body that cannot be stored unchanged */
function bodyOf({ headers, body, isUtf8 }: EgressAnswer): unknown {
  const isJson = JSON_TYPE.test(parse(String(headers['content-type']), { parameters: false }).type);
  try {
    if (!isUtf8) throw new JsonRejected('is not valid UTF-8');
    if (isJson) return parseJson(body);
    rejectUnstorable(body);
  } catch (error) {
    if (!(error instanceof JsonRejected)) throw error;
    if (!(error instanceof NotJson))
      throw errors.urlAnsweredError({ message: `The response of the URL ${error.message}.` });
  }
  return body;
}
