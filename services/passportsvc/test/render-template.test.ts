import { describe, expect, it } from '@jest/globals';
import { TemplateChange } from '../src/groups/notification_templates/notification-template.js';
import type { NotificationTemplate } from '../src/groups/notification_templates/notification-template.js';
import { bestMatch, missingTemplates } from '../src/groups/notification_templates/notification-templates.js';
import { render } from '../src/groups/notification_templates/render.js';

const [standard] = missingTemplates('app', [], () => '6b01e9fb590ff35d0952a9ce');
const template = (more: Partial<NotificationTemplate>): NotificationTemplate => ({ ...standard!, ...more });
const message = (_message: string, more: Partial<NotificationTemplate> = {}) => template({ _message, ...more });

describe('a rendered template', () => {
  it('contains the values of its references, escaped in HTML only', () => {
    const values = { name: '<b>Tom & "Ann"</b>', n: 2 };
    expect(render(message('<p>${name} $!{n}</p>'), values)).toMatchObject({
      html: '<p>&lt;b&gt;Tom &amp; &quot;Ann&quot;&lt;/b&gt; 2</p>',
      text: '<b>Tom & "Ann"</b> 2',
    });
    expect(render(message('${name}', { _format: 'text/plain' }), values)).toEqual({
      subject: 'Invitation to <b>Tom & "Ann"</b>',
      text: values.name,
    });
  });

  it('keeps references without a value, unless they are quiet', () => {
    const mail = render(message('${a}|$!{a}|${constructor}|$!{__proto__}|$name|$!name|${a.b}'), {});
    expect(mail.html).toBe('${a}||${constructor}|$!{__proto__}|$name|$!name|${a.b}');
  });

  it('does not render values', () => {
    expect(render(message('${a}'), { a: '${b}', b: 'secret' }).html).toBe('${b}');
    expect(render(message('${a}'), { a: "$&$'$1" }).html).toBe('$&amp;$&#39;$1');
  });

  it('has a subject of one line and a bounded length', () => {
    const mail = render(template({ _title: '${name}' }), { name: 'Hello\r\nBcc: eve@example.com\u2028!' });
    expect(mail.subject).toBe('Hello Bcc: eve@example.com !');
    expect(render(template({ _title: '${name}' }), { name: 'x'.repeat(1000) }).subject).toHaveLength(255);
    expect(render(template({ _title: '$!{name}' }), {}).subject).toBe('USER_GROUP_INVITE');
  });

  it('is rejected when it is too large', () => {
    const large = message('${a}'.repeat(100));
    expect(() => render(large, { a: 'x'.repeat(4096) })).toThrow(expect.objectContaining({ status: 400 }));
    expect(() => render(message('${a}'), { a: '<'.repeat(100 * 1024) })).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  });

  it('contains its links in the text as well', () => {
    const invite_link = 'https://twins.example.com/passportsvc/api/v1/invites/token?a=1&b=2';
    const mail = render(standard!, { name: 'Builders', invite_link, hours: 72 });
    expect(mail.subject).toBe('Invitation to Builders');
    expect(mail.text).toContain(invite_link);
    expect(mail.text).toContain('72 hours');
    expect(mail.html).toContain('href="https://twins.example.com/passportsvc/api/v1/invites/token?a=1&amp;b=2"');
    expect(mail.html).not.toContain('$');
  });
});

it('finds the template that fits a language best', () => {
  const templates = ['de', 'en', 'pt-BR', 'pt'].map((_locale) => ({ _locale }));
  const find = (locale: string) => bestMatch(templates, locale)!._locale;
  expect(['pt_BR', 'pt-PT', 'DE-at', 'fr'].map(find)).toEqual(['pt-BR', 'pt', 'de', 'en']);
  expect(bestMatch([{ _locale: 'de' }], 'fr')).toEqual({ _locale: 'de' });
});

describe('a changed template', () => {
  const isValid = (more: object) =>
    TemplateChange.safeParse({ _name: 'USER_GROUP_INVITE', _title: 'Welcome', _message: '<p>Hello</p>', ...more })
      .success;
  const nested = (levels: number) => `${'<div>'.repeat(levels)}\${name}${'</div>'.repeat(levels)}`;

  it.each(['#fafafa', '<a href="#endpoint">', '#iframe', '#settings', '# if', '$name', '#'])(
    'may contain %s',
    (_message) => expect(isValid({ _message })).toBe(true),
  );

  it.each([
    ...['#set($x = 1)', '#if($a)', '#elseif($a)', '#else', '#end', '#foreach($a in $b)', '#macro(a)', '#parse("a")'],
    ...['#include("/etc/passwd")', '#evaluate($a)', '#define($a)', '#break', '#stop', '#{else}', 'a#end', '##set($x)'],
  ])('must not contain the directive %s', (_message) => expect(isValid({ _message })).toBe(false));

  it.each([
    ['a title of two lines', { _title: 'Hello\r\nBcc: eve@example.com' }],
    ['a title of spaces', { _title: '  ' }],
    ['a title with a directive', { _title: '#if($a)' }],
    ['an unknown occasion', { _name: 'PASSWORD_RESET' }],
    ['another format', { _format: 'text/markdown' }],
    ['no language', { _locale: 'e' }],
    ['elements nested more than 100 levels deep', { _message: nested(101) }],
    ['elements nested 5000 levels deep', { _message: nested(5_000) }],
    ['20000 open elements', { _message: '<b>'.repeat(20_000) }],
  ])('must not have %s', (_, change) => expect(isValid(change)).toBe(false));

  it('may nest elements up to 100 levels, not counting void elements', () => {
    expect(isValid({ _message: nested(100) })).toBe(true);
    expect(isValid({ _message: '<p>One<br>'.repeat(500) })).toBe(true);
  });
});
