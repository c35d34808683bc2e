import { createBrowser, formOf } from './browser.js';
import { setQuickPassword } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';
import type { Form } from './tokens.js';

export const API = '/passportsvc/api/v1';
export const ACCOUNT = `${API}/account`;
export const RESET = `${API}/password-reset`;

const formsOf = (html: string) =>
  [...html.matchAll(/<form[^>]*action="[^"]+"[^>]*>.*?<\/form>/gs)].map(([form]) => formOf(form)!);

/** A user with a password and an address, created by SCIM. @param by an `Authorization` header; the trusted app's by default */
export async function newUser(app: TestApp, more: object = {}, by?: string) {
  const user = { userName: `user-${Math.random().toString(36).slice(2)}@platform.test`, ...more };
  const password = 'the first password';
  const { body } = await app.send('post', `${API}/scim/Users`, by ?? (await asApp(app)), user).expect(201);
  const { id, userName } = body as { id: string; userName: string };
  await setQuickPassword(app, { _id: id }, password);
  return { userName, password, id };
}

/** A browser and its open page. */
export function openPages(app: TestApp, browser = createBrowser()) {
  const urlOf = (path: string) => new URL(path, app.url);

  async function open(path: string) {
    const { reply, url } = await browser.open(urlOf(path), 'none');
    const html = await reply.text();
    return { status: reply.status, html, url, headers: reply.headers, forms: formsOf(html) };
  }

  /** Submits the form of a page with this action, and follows redirects. */
  async function submit(path: string, action: string, fields: Form) {
    const form = (await open(path)).forms.find((candidate) => candidate.action.startsWith(action));
    if (!form) throw new Error(`no form for ${action} at ${path}`);
    return send(form.action, { ...form.hidden, ...fields });
  }

  async function send(path: string, fields: Form) {
    const response = await browser.post(urlOf(path), fields);
    const location = response.headers.get('location');
    if (location !== null) return { ...(await open(location)), sentStatus: response.status };
    const html = await response.text();
    const { status, headers } = response;
    return { status, sentStatus: status, html, url: urlOf(path), headers, forms: formsOf(html) };
  }

  return {
    browser,
    open,
    submit,
    send,
    signIn: ({ userName, password }: { userName: string; password: string }) =>
      submit(`${ACCOUNT}/sign-in`, `${ACCOUNT}/sign-in`, { username: userName, password }),
  };
}
