import path from 'node:path';
import pc from 'picocolors';
import type { DevJson } from '../state/dev-settings.js';

export function welcome({ baseUrl, admin }: DevJson, stateDir: string, seconds: number): string {
  const state = path.relative(process.cwd(), stateDir) || '.';
  const dev = `./${path.join(state, 'dev.json')}`;
  const row = (name: string, value: string) => `  ${name.padEnd(15)} ${value}`;
  return [
    '',
    pc.bold(`dtplatform runs on ${baseUrl}`) + pc.dim(` (started in ${seconds.toFixed(1)} s)`),
    '',
    row('documentation', `${baseUrl}/docs/`),
    row('Administrator', `${admin.email}, password in ${dev}`),
    row('Applications', `${dev} (ids and secrets)`),
    row('Logs', path.join(state, 'logs')),
    row('Mails', `${path.join(state, 'mail')} (caught; none is delivered)`),
    '',
    'Try:',
    `  APP=$(node -p 'const d = require("${dev}"); d.appId + ":" + d.appSecret')`,
    `  curl -s -u "$APP" -d grant_type=client_credentials ${baseUrl}/passportsvc/api/v1/oauth/token`,
    '',
    pc.dim('Ctrl-C stops everything; the data stays. `npm start -- --fresh` starts over.'),
    '',
  ].join('\n');
}
