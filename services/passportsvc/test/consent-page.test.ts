import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createBrowser, formOf } from './browser.js';
import { API, ORIGIN, useConsents } from './consent-client.js';
import { REDIRECT_URI } from './start-app.js';
import { codeFor, redeem } from './tokens.js';
import type { Form } from './tokens.js';

describe('the consent page', () => {
  const { test, collection, url, openPage, decide } = useConsents();

  it('works without scripts and cannot be framed', async () => {
    const { reply, html, action } = await openPage();
    expect(html).not.toContain('<script');
    expect(html).toContain('<html lang="en">');
    expect(html.match(/<h1>/g)).toHaveLength(1);
    expect(reply.headers.get('x-frame-options')).toBe('DENY');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const policy = reply.headers.get('content-security-policy')!;
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain(`form-action 'self' ${ORIGIN}`);
    expect(action.origin).toBe(test.app.url);
  });

  it('escapes the names of strangers', async () => {
    const named = (_name: string) => collection('apps').updateOne({ _id: test.second.id }, { $set: { _name } });
    await named('<b>Platform</b>\u202e');
    try {
      await eventually(async () => {
        const { html } = await openPage();
        expect(html).toContain('<bdi>&lt;b&gt;Platform&lt;/b&gt;\u202e</bdi>');
        expect(html).not.toContain('<b>Platform');
      });
    } finally {
      await named('Second organization');
    }
  });

  it('names the scheme of a mobile app, not the host that the app has chosen to write behind it', async () => {
    const redirect_uri = 'com.example.app://www.bank.test/signed-in';
    const apps = collection('apps');
    await apps.updateOne({ _id: test.second.id }, { $set: { _redirectUris: `${REDIRECT_URI},${redirect_uri}` } });
    try {
      const page = await eventually(async () => {
        const opened = await test.browser.open(url({ redirect_uri }), REDIRECT_URI);
        expect(opened.url.pathname).toContain('/oauth/consent/');
        return opened.reply;
      });
      expect(page.headers.get('content-security-policy')).toContain("form-action 'self' com.example.app:;");
      const html = await page.text();
      expect(html).toContain('<bdi>com.example.app:</bdi>');
      expect(html).not.toContain('bank.test');
      const back = await decide('allow', { redirect_uri });
      expect(back.href).toContain(`${redirect_uri}?code=`);
      await redeem(test.app, back.searchParams.get('code')!, { redirect_uri }, test.second).expect(200);
    } finally {
      await apps.updateOne({ _id: test.second.id }, { $set: { _redirectUris: REDIRECT_URI } });
    }
  });

  it('is shown in the app’s theme', async () => {
    const styleOf = (html: string) => /<style>([^<]*)<\/style>/.exec(html)?.[1];
    const plain = styleOf((await openPage()).html);
    await collection('apps').updateOne({ _id: test.second.id }, { $set: { _loginTheme: 'terracotta' } });
    await eventually(async () => expect(styleOf((await openPage()).html)).not.toBe(plain));
    await collection('apps').updateOne({ _id: test.second.id }, { $unset: { _loginTheme: '' } });
  });

  it.each([
    ['without a token', (hidden: Form) => ({ ...hidden, csrf_token: '' })],
    ['with a wrong token', (hidden: Form) => ({ ...hidden, csrf_token: 'x'.repeat(43) })],
    ['without a decision', (hidden: Form) => ({ ...hidden, decision: '' })],
    ['with an unknown decision', (hidden: Form) => ({ ...hidden, decision: 'ALLOW' })],
  ])('is shown again for a form %s', async (_, change) => {
    const { form, action } = await openPage();
    const reply = await test.browser.post(action, change({ decision: 'allow', ...form.hidden }));
    expect(reply.status).toBe(400);
    expect(formOf(await reply.text())!.hidden).toEqual(form.hidden);
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('does not accept the token of another page', async () => {
    const [one, other] = [await openPage(), await openPage({ state: 'another' })];
    const reply = await test.browser.post(other.action, { ...one.form.hidden, decision: 'allow' });
    expect(reply.status).toBe(400);
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('does not accept the form from another browser, nor twice', async () => {
    const { form, action } = await openPage();
    const sent = { ...form.hidden, decision: 'allow' };
    expect((await createBrowser().post(action, sent)).status).toBe(400);
    const stranger = createBrowser();
    await codeFor(test.app, {}, stranger);
    expect((await stranger.post(action, sent)).status).toBe(400);
    expect(await collection('consents').countDocuments()).toBe(0);

    const returnTo = (await test.browser.post(action, sent)).headers.get('location')!;
    expect((await test.browser.get(returnTo)).status).toBe(303);
    expect((await test.browser.post(action, sent)).status).toBe(400);
    expect((await test.browser.get(returnTo)).status).toBe(400);
  });

  it('expires when the user signs out', async () => {
    const { form, action } = await openPage();
    const signOut = new URL(`${test.app.url}${API}/logout`);
    await test.browser.post(signOut, formOf(await (await test.browser.get(signOut)).text())!.hidden);
    expect((await test.browser.post(action, { ...form.hidden, decision: 'allow' })).status).toBe(400);
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('is not a way around the sign-in page, nor the other way round', async () => {
    const { action, form } = await openPage();
    const asSignIn = action.href.replace('/consent/', '/signin/');
    for (const cookie of test.browser.cookies.values()) if (cookie.path === action.pathname) cookie.path = '/';
    const sent = { username: test.app.admin.userName, password: test.app.admin.password, ...form.hidden };
    expect((await test.browser.post(asSignIn, sent)).status).toBe(400);
    expect((await test.browser.get(asSignIn)).status).toBe(400);
  });
});
