import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendPage } from './page.js';
import type { Route } from './routes.js';

const CARDS: [href: string, name: string, what: string][] = [
  ['/console/', 'Console', 'Sign in, and see, search and change what the platform holds.'],
  ['/docs/', 'Documentation', 'Guides, and the reference of the API.'],
  ['/passportsvc/api/v1/account', 'Account', 'Your sessions, consents and password.'],
  ['/docs/guides/first-app', 'Example app', 'Build an app with files and items, step by step.'],
  ['/mails', 'Caught mails', 'Invites and other mails, which the local stack does not deliver.'],
];

export function sendHomePage(req: IncomingMessage, res: ServerResponse, routes: readonly Route[]): void {
  const services = routes.filter(({ openApi }) => openApi !== undefined);
  sendPage(
    req,
    res,
    'dtplatform',
    `<ul class="cards">
${CARDS.map(([href, name, what]) => `<li><a href="${href}">${name}</a>${what}`).join('\n')}
</ul>
<p>The administrator, the bootstrap application and their secrets are in <code>.dtplatform/dev.json</code>.</p>
<table>
${services.map(row).join('\n')}
</table>`,
  );
}

const row = ({ prefix, service, openApi, upstreamPort }: Route): string =>
  `<tr><td><code>${prefix}</code><td>${service}<td>${upstreamPort() === undefined ? 'is starting' : `<a href="${openApi}">openapi.json</a>`}`;
