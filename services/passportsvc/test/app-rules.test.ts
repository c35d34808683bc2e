import { describe, expect, it } from '@jest/globals';
import { App, AppChange, AppConfigs, authorizedOrigins, isRedirectUri } from '../src/directory/apps/app.js';

const words = (text: string) => text.trim().split(/\s+/);

const REDIRECT_URIS = words(`
  https://app.test:8443/a?b=c https://localhost/cb http://localhost http://localhost:3000/cb http://127.0.0.1:9
  http://127.9.9.9/cb http://[::1]:51004/cb com.example.app:/cb com.example.app://host/a%20b net.example-1:cb
  net.example:1cb`);

const OTHER_URIS = [
  ...words(`
    javascript:alert(1) view-source:https://app.test ws://app.test/cb wss://app.test/cb ftp://app.test/cb tel:123
    mailto:a@app.test data:text/html,x blob:https://app.test/1 intent://app.test#Intent;end myapp://signed-in
    localhost:3000/cb https:app.test/cb https:///app.test/cb https:// /relative https://user@app.test/cb
    https://user:pw@app.test/cb https://@app.test/cb com.example.app://user@host/cb http://app.test/cb
    http://localhost.app.test/cb http://127.0.0.1.app.test/cb http://0.0.0.0/cb http://10.0.0.1/cb http://[::2]/cb
    https://app.test/cb# https://app.test/#fragment https://app.test\\@evil.test/cb https://app.test/cb%00
    https://app.test/cb%0d%0aa com.example.app: app.example.com:3000/cb www.example.com:443?a=b app.example.com:3000`),
  ...['https://app.test/c b', 'https://app.test/cb\0', 'https://app.test/\tcb', 'https://app.test/cb\n'],
  'https://app.test/\u00a0cb',
];

describe('isRedirectUri', () => {
  it.each(REDIRECT_URIS)('accepts %j', (uri) => expect(isRedirectUri(uri)).toBe(true));
  it.each(OTHER_URIS)('rejects %j', (uri) => expect(isRedirectUri(uri)).toBe(false));
});

describe('the fields of an app', () => {
  const required = { _name: 'A', _authorizedOrigins: 'https://app.test', _redirectUris: 'https://app.test/cb' };

  it.each([
    {},
    { _authorizedOrigins: '' },
    { _authorizedOrigins: 'https://viewer.test/, http://localhost:4321' },
    { _authorizedGrantTypes: 'authorization_code, implicit', _loginTheme: 'dark', _home: '' },
  ])('accept %j', (change) => expect(AppChange.safeParse({ ...required, ...change }).success).toBe(true));

  it.each([
    ...['https://app.test/path', 'https://user@app.test', 'https://*.test', '*', 'null', 'javascript:alert(1)'].map(
      (_authorizedOrigins) => ({ _authorizedOrigins }),
    ),
    { _authorizedOrigins: 'https://app.test\0' },
    ...['https://app.test/cb, https://user@app.test/cb', 'https://app.test/cb,ws://app.test'].map((_redirectUris) => ({
      _redirectUris,
    })),
    { _trusted: 'true' },
    { _name: ' ' },
    { _userType: 'a\0b' },
    { _loginTheme: '../dark' },
    { _home: 'javascript:alert(1)' },
    { _authorizedGrantTypes: 'password' },
    { _authorizedGrantTypes: '' },
  ])('reject %j', (change) => expect(AppChange.safeParse({ ...required, ...change }).success).toBe(false));

  it('normalizes origins to the form that browsers send', () => {
    expect(authorizedOrigins('https://Viewer.test/, http://localhost:4321')).toEqual([
      'https://viewer.test',
      'http://localhost:4321',
    ]);
    expect(App.shape._authorizedOrigins.safeParse(undefined).success).toBe(true);
  });

  it.each([
    { unknown: '1' },
    ...['many', '-1', '1.5', '', null, '1'.repeat(10)].map((limit) => ({ 'workspaces.limit': limit })),
  ])('reject the configuration %j', (configs) => expect(AppConfigs.safeParse(configs).success).toBe(false));
});
