import { signInOnPage } from '@dtplatform/sdk';
import { find } from './dom.js';
import { showFiles } from './files.js';
import { showItems } from './items.js';
import { client, session } from './platform.js';
import { attempt, show } from './problems.js';
import { hashOf, placeOf, showScreen } from './screens.js';
import { chooseWorkspace, loadWorkspaces } from './workspaces.js';

const OPEN = { files: showFiles, items: showItems };

/** Aborts the calls of the screen that the user leaves. */
let leave = new AbortController();

async function openPlace(): Promise<void> {
  leave.abort();
  leave = new AbortController();
  const { namespace, screen = 'files', id } = placeOf(location.hash);
  const chosen = chooseWorkspace(namespace);
  if (chosen === undefined) return void showScreen('workspaces');
  for (const name of ['files', 'items'] as const) {
    const link = find(`#to-${name}`, HTMLAnchorElement);
    link.href = hashOf({ namespace: chosen, screen: name });
    link.ariaCurrent = name === screen ? 'page' : null;
  }
  showScreen(screen);
  // An open resource belongs to the previous namespace.
  const open = chosen === namespace ? id : undefined;
  const visit = { client: client.in(chosen), namespace: chosen, id: open, signal: leave.signal };
  await show(() => OPEN[screen](visit), visit.signal);
}

async function start(): Promise<void> {
  showScreen('sign-in');
  // The sign-in page has redirected back, with a code or an error.
  if (new URLSearchParams(location.search).has('state')) await signInOnPage(session);
  if (!(await session.isSignedIn())) return;
  await show(async () => {
    const { _email } = await client.call('passportsvc.users.me');
    find('#user', HTMLElement).textContent = _email;
    await loadWorkspaces();
  });
  window.onhashchange = () => void attempt(openPlace);
  await openPlace();
}

async function begin(): Promise<void> {
  await signInOnPage(session);
  // Another tab may have signed in since, and there is no page to go to.
  await start();
}

find('#begin', HTMLButtonElement).onclick = () => void attempt(begin);
const returnTo = `${location.origin}/`;
find('#sign-out', HTMLButtonElement).onclick = () =>
  void attempt(async () => location.assign(await session.signOut({ returnTo })));
void attempt(start);
