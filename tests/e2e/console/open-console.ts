import axe from 'axe-core';
import type { Browser, Page } from 'puppeteer-core';
import { launchChromium } from '../support/chromium.js';
import { enter } from '../support/people.js';
import type { Person } from '../support/people.js';
import { dev } from '../support/platform.js';
import { must } from '../support/resources.js';

export const CONSOLE = `${dev.baseUrl}/console`;
const TIMEOUT_MS = 40_000;
/** Colors in the middle of a transition may lack contrast. */
const STILL = { name: 'prefers-reduced-motion', value: 'reduce' };

type Credentials = Pick<Person, 'email' | 'password'>;

/** A user's tab with the console. */
export interface Console {
  user: Person;
  page: Page;
  /** Exceptions of the page, and violations of its content security policy. */
  faults: string[];
  open(path: string): Promise<void>;
  /** Waits until the page shows a text. */
  shows(text: string): Promise<void>;
  click(name: string, role?: string): Promise<void>;
  /** Presses a button of the open dialog, and waits until the dialog closes. */
  confirm(name: string): Promise<void>;
  fill(label: string, value: string, role?: string): Promise<void>;
  choose(label: string, value: string): Promise<void>;
  /** Accessibility problems of the page, in light and dark, on a desktop and on a phone. */
  barriers(): Promise<string[]>;
  close(): Promise<void>;
}

export interface WorkspaceConsole extends Console {
  namespace: string;
  /** The path of the workspace in the console. */
  pages: string;
}

/** Opens the console at a path, and signs a user in, by default a new one. */
export async function openConsole(path = '/', as?: Credentials): Promise<Console> {
  const [person, browser] = await Promise.all([as ? undefined : enter(), launchChromium()]);
  const user = { token: '', id: '', ...person, ...as } as Person;
  const page = await browser.newPage();
  await page.emulateMediaFeatures([STILL]);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load')) faults.push(message.text());
  });
  await page.goto(`${CONSOLE}${path}`);
  await signIn(page, user);
  return { ...actionsOf(page, browser), user, page, faults };
}

/** Fills in the sign-in page, which the console has opened. */
export async function signIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.waitForSelector('input[name=username]');
  await page.type('input[name=username]', email);
  await page.type('input[name=password]', password);
  await Promise.all([page.waitForNavigation(), page.click('form button')]);
  await page.waitForSelector('h2');
}

function actionsOf(page: Page, browser: Browser) {
  const byName = (name: string, role: string) => page.locator(`::-p-aria([name="${name}"][role="${role}"])`);
  return {
    open: async (path: string) => void (await page.goto(`${CONSOLE}${path}`)),
    shows: async (text: string) => {
      const isShown = `document.body.innerText.includes(${JSON.stringify(text)})`;
      await page.waitForFunction(isShown, { timeout: TIMEOUT_MS }).catch(async () => {
        throw new Error(
          `The page does not show "${text}": ${String(await page.evaluate('document.body.innerText.slice(0, 2000)'))}`,
        );
      });
    },
    click: (name: string, role = 'button') => byName(name, role).setTimeout(TIMEOUT_MS).click(),
    fill: (label: string, value: string, role = 'textbox') => byName(label, role).setTimeout(TIMEOUT_MS).fill(value),
    confirm: async (name: string) => {
      await page.locator(`[role=dialog] ::-p-aria([name="${name}"][role="button"])`).setTimeout(TIMEOUT_MS).click();
      await page.waitForSelector('[role=dialog]', { hidden: true });
    },
    choose: async (label: string, value: string) => {
      const select = await byName(label, 'combobox').setTimeout(TIMEOUT_MS).waitHandle();
      await select.select(value);
    },
    barriers: () => barriersOf(page),
    close: () => browser.close(),
  };
}

async function barriersOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const value of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }, STILL]);
    for (const width of [1200, 380]) {
      await page.setViewport({ width, height: 800 });
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
      found.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${value} ${width} ${id}: ${html}`)));
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      if (isWide) found.push(`${value} ${width}: scrolls sideways`);
    }
  }
  await page.setViewport({ width: 1200, height: 800 });
  return found;
}

/** Opens the console of a new user with a workspace. */
export async function openWorkspace(): Promise<WorkspaceConsole> {
  const console = await openConsole();
  const { id, namespace } = await createWorkspace(console.user);
  return { ...console, namespace, pages: `/workspaces/${id}` };
}

/** Creates a workspace as the user. */
export async function createWorkspace(
  { token }: Person,
  name = 'Harbour Tower',
): Promise<{ id: string; namespace: string }> {
  const json = [{ _name: name, _shortName: 'tower' }];
  const { body } = await must(201, 'POST', '/passportsvc/api/v1/workspaces', { token, json });
  const { _id, _namespaces } = body._list[0] as { _id: string; _namespaces: [string] };
  return { id: _id, namespace: _namespaces[0] };
}
