import path from 'node:path';
import pc from 'picocolors';
import type { DemoUser } from '../demo/seed/people.js';
import type { DevJson } from '../state/dev-settings.js';

type DemoUsers = DemoUser & { colleague: DemoUser };

export function welcome(dev: DevJson, demo: DemoUsers | undefined, stateDir: string, seconds: number): string {
  const { baseUrl, admin, appId } = dev;
  const state = path.relative(process.cwd(), stateDir) || '.';
  const devFile = `./${path.join(state, 'dev.json')}`;
  const row = (name: string, value: string) => `  ${name.padEnd(15)} ${value}`;
  return [
    '',
    pc.bold(`dtplatform runs on ${baseUrl}`) + pc.dim(` (started in ${seconds.toFixed(1)} s)`),
    '',
    row('Console', `${baseUrl}/console/`),
    ...[demo, demo?.colleague].flatMap((user) =>
      user ? [row('', `as ${user.email}, password ${user.password}`)] : [],
    ),
    row('', `as ${admin.email}, password in ${devFile}`),
    row('Documentation', `${baseUrl}/docs/`),
    row('Example app', 'examples/files-and-items/README.md'),
    row('Command line', `npm install --global ${baseUrl}/packages/dt.tgz`),
    row('', `dt login --base-url ${baseUrl} --client-id ${appId}`),
    row('Apps', `${devFile} (ids and secrets)`),
    row('Logs, mails', `${path.join(state, 'logs')}, ${path.join(state, 'mail')} (no mail is delivered)`),
    '',
    'Get a token:',
    `  APP=$(node -p 'const d = require("${devFile}"); d.appId + ":" + d.appSecret')`,
    `  curl -s -u "$APP" -d grant_type=client_credentials ${baseUrl}/passportsvc/api/v2/oauth/token`,
    '',
    pc.dim('Ctrl-C stops everything; the data stays. `npm start -- --fresh` starts over.'),
    '',
  ].join('\n');
}
