/**
 * Registers the app with a platform started by `npm start`, and prints the app's settings. Usage: node register.mjs
 * [FOLDER OF dev.json] [ORIGIN OF THE APP]
 */
import { readFileSync } from 'node:fs';
import { clientCredentials, createClient } from '@dtplatform/sdk';

const [folder = '../../.dtplatform', origin = 'http://localhost:5173'] = process.argv.slice(2);
const { baseUrl, appId, appSecret, orgId, admin } = JSON.parse(readFileSync(`${folder}/dev.json`, 'utf8'));
const auth = clientCredentials({ baseUrl, clientId: appId, clientSecret: appSecret });

const app = await createClient({ baseUrl, auth }).call('passportsvc.apps.create', {
  body: {
    _name: `files-and-items-${Date.now()}`,
    _appOwner: admin.email,
    _orgId: orgId,
    _redirectUris: `${origin}/`,
    _authorizedOrigins: origin,
    _authorizedGrantTypes: 'authorization_code,refresh_token',
  },
});
process.stdout.write(`VITE_BASE_URL=${baseUrl}\nVITE_CLIENT_ID=${app._id}\n`);
