import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from '../../deps.js';
import { bodyParameters, single } from '../parameters.js';
import { TOKEN_FIELD } from './form-tokens.js';
import { formSession } from './form-session.js';

/** For a form that came from another site, from a page that is too old, or without the browser's cookie. */
export const STALE_FORM = 'The form was too old, or your browser does not keep cookies. Please try again.';

/** A form of somebody who need not be signed in. */
export interface SentForm {
  /** The token for showing the form again. */
  token: string;
  /** Whether it was sent from our page in this browser. */
  isOurs: boolean;
  /** The value of a field, or an empty text. */
  read: (name: string) => string;
}

type Tools = Pick<Deps, 'formTokens' | 'oauthProvider'>;

/** The token of a form in this browser. @param purpose the name of the form */
export const anonymousToken = (
  { formTokens, oauthProvider }: Tools,
  purpose: string,
  { req, res }: { req: IncomingMessage; res: ServerResponse },
): string => formTokens.tokenFor([purpose, formSession(req, res, oauthProvider.issuer)]);

/** Reads such a form. @throws invalidRequest, payloadTooLarge, unsupportedMediaType */
export async function readForm(
  tools: Tools,
  purpose: string,
  exchange: { req: IncomingMessage; res: ServerResponse },
): Promise<SentForm> {
  const form = await bodyParameters(exchange.req);
  const session = formSession(exchange.req, exchange.res, tools.oauthProvider.issuer);
  const read = (name: string) => single(form, name) ?? '';
  return {
    token: tools.formTokens.tokenFor([purpose, session]),
    isOurs: tools.formTokens.isValid(read(TOKEN_FIELD), [purpose, session]),
    read,
  };
}
