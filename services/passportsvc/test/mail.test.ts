import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOutbox } from '@dtplatform/queue';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import type { CuttableProxy } from '@dtplatform/testing';
import { GIVE_UP_AFTER_MS } from '../src/groups/mails/mail.js';
import type { Mail, NewMail } from '../src/groups/mails/mail.js';
import { createMailQueue } from '../src/groups/mails/mails.store.js';
import { mailJobs } from '../src/groups/mails/send-mail.job.js';
import { catchMails } from './mails.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';

const API = '/passportsvc/api/v1/mails';
const SECOND = 1_000;
const PATIENT = { timeoutMs: 40 * SECOND };

const sendMessage = mailJobs.messages['mail.send'];
/** The mail queue on the test's connection, which runs its transactions. */
const queueOf = ({ mongo }: TestApp) => createMailQueue({ mongo, outbox: createOutbox(mongo), sendMessage });

describe('mails', () => {
  let mails: Awaited<ReturnType<typeof catchMails>>;
  let server: CuttableProxy;
  let app: TestApp;
  let trusted: string;
  let worker: Awaited<ReturnType<TestApp['startWorker']>>;

  const send = (mail: NewMail) => app.mongo.transaction((session) => queueOf(app).send(session, mail));
  const deliver = (mailId: string) =>
    app.mongo.transaction((session) => createOutbox(app.mongo).put(session, sendMessage, { mailId }));
  const stored = async (to: string) => (await app.mongo.db.collection<Mail>('mails').findOne({ to }))!;
  /** Waits until a stored mail matches, and returns it. */
  const ending = (to: string, expected: object) =>
    eventually(async () => {
      const found = await stored(to);
      expect(found).toMatchObject(expected);
      return found;
    });
  const delivered = () =>
    eventually(async () => expect(await app.mongo.db.collection('outbox').countDocuments()).toBe(0));
  const list = async (_status: string) =>
    (await app.send('get', API, trusted).query({ _status }).expect(200)).body._list as object[];
  const mail = (to: string): NewMail => ({ to, subject: 'Grüße', text: 'secret-link', html: '<b>secret-link</b>' });

  beforeAll(async () => {
    const rejections: Record<string, number> = { 'gone@example.com': 550 };
    mails = await catchMails({ refuse: (recipient) => rejections[recipient] });
    const { hostname, port } = new URL(mails.environment.SMTP_URL);
    server = await startCuttableProxy({ hostname, port });
    app = await startApp({ ...mails.environment, SMTP_URL: `smtp://127.0.0.1:${server.port}` });
    worker = await app.startWorker();
    trusted = await asApp(app);
  });
  afterAll(async () => {
    await app.stop();
    await server.close();
    await mails.stop();
  });

  it('are sent completely, and then lose their bodies', async () => {
    await send(mail('ann@example.com'));
    const caught = await mails.to('ann@example.com');
    expect(caught).toMatchObject({
      sender: 'no-reply@platform.test',
      recipients: ['ann@example.com'],
      subject: 'Grüße',
      text: expect.stringContaining('secret-link'),
      html: '<b>secret-link</b>',
      headers: { from: ['From: Twins <no-reply@platform.test>'], to: ['To: ann@example.com'] },
    });
    const sent = { status: 'SENT', endedAt: expect.any(Number), expireAt: expect.any(Date) };
    const ended = await ending('ann@example.com', sent);
    expect(JSON.stringify(ended)).not.toContain('secret-link');
    expect(caught.headers['message-id']).toEqual([`Message-ID: <${ended._id}@platform.test>`]);
  });

  it('are not sent when the transaction fails', async () => {
    const failed = app.mongo.transaction(async (session) => {
      await queueOf(app).send(session, mail('never@example.com'));
      throw new Error('The write fails.');
    });
    await expect(failed).rejects.toThrow('The write fails.');
    expect(await app.mongo.db.collection('mails').countDocuments({ to: 'never@example.com' })).toBe(0);
    await send(mail('later@example.com'));
    await mails.to('later@example.com');
    expect(await mails.all('never@example.com')).toEqual([]);
  });

  it('are retried while the mail server is down', async () => {
    server.cut();
    await send(mail('ben@example.com'));
    await eventually(async () => expect((await worker.jobs.workers[0]!.counts()).delayed).toBe(1));
    const listed = await list('QUEUED');
    expect(listed).toMatchObject([{ _to: 'ben@example.com', _reason: expect.any(String) }]);
    expect(JSON.stringify(listed)).not.toContain('secret-link');
    server.mend();
    await eventually(async () => expect(await mails.all('ben@example.com')).toHaveLength(1), PATIENT);
    await ending('ben@example.com', { status: 'SENT' });
    expect(await list('QUEUED')).toEqual([]);
    expect((await list('SENT'))[0]).not.toHaveProperty('_reason');
  });

  it('are abandoned when the mail server permanently rejects the recipient', async () => {
    await send(mail('gone@example.com'));
    const failed = await ending('gone@example.com', { status: 'FAILED', reason: expect.stringContaining('550') });
    expect(JSON.stringify(failed)).not.toContain('secret-link');
    await delivered();
    expect(await list('FAILED')).toMatchObject([{ _to: 'gone@example.com', _reason: expect.stringContaining('550') }]);
  });

  it('are sent as a test, to one address', async () => {
    const sendTest = (_to: string) => app.send('post', API, trusted, { _to });
    const { body } = await sendTest('tess@example.com').expect(201);
    expect(await mails.to('tess@example.com')).toMatchObject({ subject: 'Test mail' });
    await ending('tess@example.com', { status: 'SENT' });
    expect((await list('SENT'))[0]).toMatchObject({ _id: body._id, _to: 'tess@example.com' });
    await sendTest('ann@example.com, eve@example.com').expect(400);
  });

  it('are abandoned after days of failures', async () => {
    server.cut();
    const createdAt = Date.now() - GIVE_UP_AFTER_MS - SECOND;
    const old = { ...mail('old@example.com'), _id: 'old-mail', status: 'QUEUED', createdAt };
    await app.mongo.db.collection('mails').insertOne(old as never);
    await deliver('old-mail');
    await ending('old@example.com', { status: 'FAILED' });
    server.mend();
  });

  it('are sent once, even if their message is delivered twice', async () => {
    await send(mail('once@example.com'));
    await mails.to('once@example.com');
    const { _id } = await ending('once@example.com', { status: 'SENT' });
    await deliver(_id);
    await delivered();
    expect(await mails.all('once@example.com')).toHaveLength(1);
  });

  it.each([
    ['a subject of two lines', { subject: 'Hello\r\nBcc: eve@example.com' }],
    ['a subject with a line separator', { subject: 'Hello\u2028Bcc: eve@example.com' }],
    ['a long subject', { subject: 'x'.repeat(256) }],
    ['two recipients', { to: 'ann@example.com, eve@example.com' }],
    ['a recipient of two lines', { to: 'ann@example.com\r\nBcc: eve@example.com' }],
    ['a recipient with a name', { to: 'Ann <ann@example.com>' }],
    ['no address', { to: 'ann' }],
    ['a large body', { text: 'x'.repeat(256 * 1024 + 1) }],
  ])('are rejected with %s', async (_what, wrong) => {
    const count = () => app.mongo.db.collection('mails').countDocuments();
    const before = await count();
    await expect(send({ ...mail('ann@example.com'), ...wrong })).rejects.toThrow();
    expect(await count()).toBe(before);
  });
});

it('keeps mails queued while no mail server is configured, until an administrator discards them', async () => {
  const app = await startApp();
  const { jobs } = await app.startWorker();
  const trusted = await asApp(app);
  const queue = '/passportsvc/api/v1/queues/passportsvc.mail';
  const failing = (_attempts: number) =>
    eventually(async () => {
      const { body } = await app.send('get', `${queue}/failing`, trusted).expect(200);
      expect(body._list).toMatchObject([
        { _name: 'mail.send', _attempts, _reason: expect.stringContaining('SMTP_URL') },
      ]);
      return body._list[0];
    });
  const send = { to: 'ann@example.com', subject: 'Hello', text: 'Hello' };
  const { _id } = await queueOf(app).sendAlone(send);
  expect((await failing(1))._payload).toEqual({ mailId: _id });
  expect(await jobs.gauges!.find(({ name }) => name === 'mails_waiting')!.read()).toBe(1);
  const { body: queues } = await app.send('get', '/passportsvc/api/v1/queues', trusted).expect(200);
  expect(queues._list).toContainEqual(expect.objectContaining({ _id: 'passportsvc.mail', _delayed: 1, _failing: 1 }));

  const chosen = { _messageIds: [_id, 'unknown'] };
  const { body: retried } = await app.send('post', `${queue}/retry`, trusted, chosen).expect(200);
  expect(retried).toEqual({ _messageIds: [_id] });
  await failing(2);
  await app.send('post', `${queue}/discard`, trusted, chosen).expect(200, { _messageIds: [_id] });
  const discarded = { _id, _status: 'FAILED', _reason: expect.stringContaining('discarded') };
  await eventually(async () => {
    const { body } = await app.send('get', API, trusted).expect(200);
    expect(body._list).toMatchObject([discarded]);
  });
  await app.send('post', '/passportsvc/api/v1/queues/unknown/retry', trusted, chosen).expect(404);
  await app.stop();
});
