import { randomBytes } from 'node:crypto';
import { clientCredentials } from '@dtplatform/stack/client';
import { createAccount, enter, openWorkspace, trustedToken } from '../support/people.js';
import { dev, send } from '../support/platform.js';
import { createPermissionProfile, fillNamespace } from '../support/resources.js';

/** The variables of schemathesis.toml: who calls, and what may be changed or deleted. */
export async function createTenant(): Promise<Record<string, string>> {
  const user = await enter();
  const namespace = await openWorkspace(user);
  const resources = await fillNamespace(user, namespace);
  const idOf = (wanted: string) => resources.find(({ service }) => service === wanted)!.id;
  await createPermissionProfile(user, namespace);
  const [other, doomed] = await Promise.all([workspaceOf(user.token), workspaceOf(user.token)]);
  const token = (await clientCredentials({ ...dev, ...dev.second })).access_token;
  const app = await registerApp(token);
  const own = (await clientCredentials({ ...dev, ...app })).access_token;
  return {
    USER_TOKEN: user.token,
    TRUSTED_TOKEN: await trustedToken(),
    APP_TOKEN: own,
    APP_BASIC: Buffer.from(`${app.appId}:${app.appSecret}`).toString('base64'),
    NAMESPACE: namespace,
    FILE: idOf('filesvc'),
    ITEM: idOf('itemsvc'),
    ORCHESTRATOR: idOf('datasourcesvc'),
    OTHER_WORKSPACE: other,
    DOOMED_WORKSPACE: doomed,
    OTHER_USER: (await createAccount({ ...dev, ...dev.second })).id,
    DOOMED_USER: (await createAccount({ ...dev, ...dev.second })).id,
  };
}

/** An untrusted app of the second organization. */
async function registerApp(token: string): Promise<{ appId: string; appSecret: string }> {
  const { email } = await createAccount({ ...dev, ...dev.second });
  const json = { _name: unique(), _appOwner: email, _redirectUris: dev.redirectUri, _orgId: dev.second.orgId };
  const { body } = await send('POST', '/passportsvc/api/v1/apps', { token, json });
  return { appId: body._id as string, appSecret: body._secret as string };
}

async function workspaceOf(token: string): Promise<string> {
  const json = [{ _name: 'Schemathesis', _shortName: unique() }];
  return (await send('POST', '/passportsvc/api/v1/workspaces', { token, json })).body._list[0]._id as string;
}

const unique = (): string => `schemathesis_${randomBytes(4).toString('hex')}`;
