import path from 'node:path';
import pc from 'picocolors';
import type { DevJson } from '../state/dev-settings.js';

export function welcome({ baseUrl, admin, appId }: DevJson, stateDir: string, seconds: number): string {
  const state = path.relative(process.cwd(), stateDir) || '.';
  const dev = `./${path.join(state, 'dev.json')}`;
  const row = (name: string, value: string) => `  ${name.padEnd(15)} ${value}`;
  return [
    '',
    pc.bold(`dtplatform runs on ${baseUrl}`) + pc.dim(` (started in ${seconds.toFixed(1)} s)`),
    '',
    row('Sign in', `${baseUrl}/passportsvc/api/v1/account`),
    row('', `as ${admin.email}, password in ${dev}`),
    row('Documentation', `${baseUrl}/docs/`),
    row('Example app', 'examples/files-and-items/README.md'),
    row('Command line', `npm install --global ${baseUrl}/packages/dt.tgz`),
    row('', `dt login --base-url ${baseUrl} --client-id ${appId}`),
    row('Apps', `${dev} (ids and secrets)`),
    row('Logs, mails', `${path.join(state, 'logs')}, ${path.join(state, 'mail')} (no mail is delivered)`),
    '',
    'Get a token:',
    `  APP=$(node -p 'const d = require("${dev}"); d.appId + ":" + d.appSecret')`,
    `  curl -s -u "$APP" -d grant_type=client_credentials ${baseUrl}/passportsvc/api/v2/oauth/token`,
    '',
    pc.dim('Ctrl-C stops everything; the data stays. `npm start -- --fresh` starts over.'),
    '',
  ].join('\n');
}
