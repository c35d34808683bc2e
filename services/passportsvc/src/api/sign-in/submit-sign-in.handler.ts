import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { bodyParameters, single } from '../../oauth/parameters.js';
import { openSignIn } from './open-sign-in.js';
import { showSignIn } from './show-sign-in.js';
import type { SignInParams } from './sign-in.schemas.js';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** One answer for all that can be wrong, so that it does not tell which user names there are. */
const PROBLEM = 'The user name or the password is wrong.';

/** POST /oauth/signin/{uid}: checks name and password and leads back to the authorize endpoint. */
export const submitSignIn =
  (deps: Deps): Handler<{ params: SignInParams }> =>
  async ({ params, req, res }) => {
    const provider = await deps.oauth.provider();
    const interaction = await openSignIn(provider, params.uid, req, res);
    if (!interaction) return ok(undefined);
    const form = await bodyParameters(req);
    const userName = single(form, 'username') ?? '';
    const user = await deps.signIn.verify(userName, single(form, 'password') ?? '');
    if (!user) {
      await showSignIn(deps, interaction, res, { status: 401, userName, problem: PROBLEM });
      return ok(undefined);
    }
    await leaveOtherSession(provider, interaction, user._id, req, res);
    interaction.result = { login: { accountId: user._id } };
    await interaction.persist();
    res.writeHead(303, { location: interaction.returnTo, 'cache-control': 'no-store', 'content-length': 0 }).end();
    return ok(undefined);
  };

/** Somebody else was signed in with this browser: the library would stop to ask; here the new sign-in is the answer. */
async function leaveOtherSession(
  provider: Provider,
  interaction: Interaction,
  userId: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (!interaction.session || interaction.session.accountId === userId) return;
  const session = await provider.Session.get(provider.createContext(req, res));
  await session.destroy();
  interaction.session = undefined;
}
