import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startConnectProxy } from '../../testing/src/connect-proxy.js';
import { createEgress, EgressFailed, EgressRejected } from '../src/index.js';
import type { Egress, EgressOptions, Lookup } from '../src/index.js';

const PUBLIC = '93.184.215.14';

/** A name server that returns each name's responses in turn, and then repeats the last one. */
function nameServer(answers: Record<string, string[][]>) {
  const asked: string[] = [];
  const lookup: Lookup = async (name) => {
    asked.push(name);
    const mine = answers[name];
    if (!mine) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
    const addresses = mine.length > 1 ? mine.shift()! : mine[0]!;
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, lookup };
}

describe('egress', () => {
  let answer: (req: IncomingMessage, res: ServerResponse) => void;
  const received: string[] = [];
  const server = createServer((req, res) => {
    received.push(`${req.method} ${req.headers.host} ${req.url}`);
    answer(req, res);
  });
  let port: number;
  const egresses: Egress[] = [];
  const open = (options: Partial<EgressOptions> = {}) => {
    const egress = createEgress({ allow: [], ...options });
    egresses.push(egress);
    return egress;
  };
  const get = (egress: Egress, url: string) => egress.request({ url, method: 'GET' });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    received.length = 0;
    answer = (_req, res) => res.end('hello');
  });
  afterEach(() => Promise.all(egresses.splice(0).map((egress) => egress.close())));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it("allows addresses, networks and names on the operator's list", async () => {
    const { lookup } = nameServer({ 'scim.test': [['127.0.0.1']] });
    for (const allow of ['127.0.0.1', '127.0.0.0/8', 'SCIM.test.'])
      await expect(get(open({ allow: [allow], lookup }), `http://scim.test:${port}/Users?a=b`)).resolves.toMatchObject({
        status: 200,
        body: 'hello',
      });
    expect(received).toEqual(Array(3).fill(`GET scim.test:${port} /Users?a=b`));
  });

  describe('through a proxy', () => {
    let proxy: Awaited<ReturnType<typeof startConnectProxy>>;
    beforeAll(async () => {
      proxy = await startConnectProxy({ host: '127.0.0.1', port });
    });
    beforeEach(() => {
      proxy.hosts.length = 0;
      process.env.HTTPS_PROXY = proxy.url;
      process.env.HTTP_PROXY = proxy.url;
    });
    afterEach(() => {
      for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']) delete process.env[name];
    });
    afterAll(() => proxy.close());
    const { lookup } = nameServer({ 'inside.test': [['10.0.0.1']] });

    it('leaves names that are unknown here to the proxy', async () => {
      await expect(get(open({ allow: ['scim.test'], lookup }), 'http://scim.test/Users')).resolves.toMatchObject({
        body: 'hello',
      });
      await get(open({ lookup }), 'https://public.test/').catch(() => undefined);
      expect(proxy.hosts).toEqual(['scim.test:80', 'public.test:443']);
    });

    it('does not ask the proxy for private addresses', async () => {
      for (const url of ['https://inside.test/', 'https://127.0.0.1/'])
        await expect(get(open({ lookup }), url)).rejects.toThrow(EgressRejected);
      expect(proxy.hosts).toEqual([]);
    });

    it('connects directly to hosts of NO_PROXY, and checks their addresses', async () => {
      process.env.NO_PROXY = 'direct.test';
      const names = nameServer({ 'direct.test': [[PUBLIC], ['127.0.0.1']] });
      await expect(get(open({ lookup: names.lookup }), 'https://direct.test/')).rejects.toThrow(EgressRejected);
      expect(proxy.hosts).toEqual([]);
    });
  });

  it('sends method, headers and body', async () => {
    let sent = '';
    answer = (req, res) => {
      req.on('data', (part: Buffer) => (sent += part.toString())).on('end', () => res.writeHead(201).end(req.method));
    };
    const egress = open({ allow: ['127.0.0.1'] });
    const url = `http://127.0.0.1:${port}/`;
    const response = await egress.request({ url, method: 'POST', headers: { 'content-type': 'text/x' }, body: 'abc' });
    expect([response.status, response.body, sent]).toEqual([201, 'POST', 'abc']);
  });

  it.each([
    ['this network', '0.0.0.0'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['a private network', '10.0.0.1'],
    ['a private network', '172.16.0.1'],
    ['a private network', '192.168.1.1'],
    ['a metadata service', '169.254.169.254'],
    ['the metadata service of Azure', '168.63.129.16'],
    ['the metadata service of Alibaba, in shared space', '100.100.100.200'],
    ['shared space (CGNAT)', '100.64.0.1'],
    ['benchmarks', '198.18.0.1'],
    ['documentation', '203.0.113.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['link-local', 'fe80::1'],
    ['site-local', 'fec0::1'],
    ['unique local', 'fd00:ec2::254'],
    ['multicast', 'ff02::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped', '::ffff:93.184.215.14'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:1::1'],
    ['ORCHID', '2001:10::1'],
    ['documentation', '2001:db8::1'],
    ['discard only', '100::1'],
  ])('never calls %s: %s', async (_what, address) => {
    const literal = address.includes(':') ? `[${address}]` : address;
    await expect(open().check(`https://${literal}/`)).rejects.toThrow(EgressRejected);
    await expect(get(open(), `https://${literal}/`)).rejects.toThrow(EgressRejected);
    const { lookup } = nameServer({ 'evil.test': [[address]] });
    await expect(open({ lookup }).check('https://evil.test/')).rejects.toThrow(EgressRejected);
    await expect(get(open({ lookup }), 'https://evil.test/')).rejects.toThrow(EgressRejected);
  });

  it.each(['93.184.215.14', '8.8.8.8', '2606:2800:220:1::1'])('may call the public address %s', async (address) => {
    const { lookup } = nameServer({ 'good.test': [[address]] });
    await expect(open({ lookup }).check('https://good.test/')).resolves.toBeUndefined();
  });

  it.each([
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0/',
    'https://①②⑦.0.0.1/',
    'https://127.0.0.1./',
    'https://[0:0:0:0:0:ffff:7f00:1]/',
  ])('sees through %s', async (url) => {
    await expect(open().check(url)).rejects.toThrow('private or reserved');
    await expect(get(open(), url)).rejects.toThrow('private or reserved');
  });

  it.each([
    ['another protocol', 'ftp://good.test/', 'https://'],
    ['no URL', 'good.test', 'https://'],
    ['user information', 'https://user:password@good.test/', 'credentials'],
    ['a user', 'https://user@good.test/', 'credentials'],
    ['plain HTTP', 'http://good.test/', 'HTTPS'],
    ['the port of mail', 'https://good.test:25/', 'port'],
    ['the port of HTTP', 'https://good.test:80/', 'port'],
  ])('rejects %s', async (_what, url, message) => {
    const { lookup } = nameServer({ 'good.test': [[PUBLIC]] });
    await expect(open({ lookup }).check(url)).rejects.toThrow(message);
    await expect(get(open({ lookup }), url)).rejects.toThrow(message);
    await expect(open({ lookup }).check(url)).rejects.toThrow(EgressRejected);
  });

  it('rejects a name if any of its addresses is forbidden', async () => {
    const { lookup } = nameServer({ 'mixed.test': [[PUBLIC, '10.0.0.1']] });
    await expect(get(open({ lookup }), 'https://mixed.test/')).rejects.toThrow('private or reserved');
  });

  it('rejects a name that resolves to another address after the check', async () => {
    const { lookup, asked } = nameServer({ 'rebind.test': [[PUBLIC], ['127.0.0.1']] });
    const egress = open({ lookup });
    await egress.check(`https://rebind.test:${port}/`);
    await expect(get(egress, `https://rebind.test:${port}/`)).rejects.toThrow('private or reserved');
    expect(asked).toEqual(['rebind.test', 'rebind.test']);
    expect(received).toEqual([]);
  });

  it('connects to the checked address, with one lookup per connection', async () => {
    const { lookup, asked } = nameServer({ 'once.test': [['127.0.0.1'], ['10.0.0.1']] });
    const egress = open({ allow: ['127.0.0.1'], lookup });
    await get(egress, `http://once.test:${port}/`);
    expect(asked).toEqual(['once.test']);
  });

  it('allows nothing beyond the list', async () => {
    const { lookup } = nameServer({ 'other.test': [['127.0.0.2']] });
    const egress = open({ allow: ['127.0.0.1', 'scim.test'], lookup });
    await expect(get(egress, `http://other.test:${port}/`)).rejects.toThrow(EgressRejected);
    await expect(get(egress, `https://127.0.0.2:${port}/`)).rejects.toThrow(EgressRejected);
  });

  it('does not follow redirects', async () => {
    answer = (_req, res) => res.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end();
    const egress = open({ allow: ['127.0.0.1'] });
    await expect(get(egress, `http://127.0.0.1:${port}/`)).rejects.toThrow('redirect');
    expect(received).toHaveLength(1);
  });

  it('reads at most 64 KiB, whether or not the length is announced', async () => {
    const egress = open({ allow: ['127.0.0.1'] });
    const url = `http://127.0.0.1:${port}/`;
    answer = (_req, res) => res.end('x'.repeat(64 * 1024));
    expect((await get(egress, url)).body).toHaveLength(64 * 1024);
    answer = (_req, res) => res.end('x'.repeat(64 * 1024 + 1));
    await expect(get(egress, url)).rejects.toThrow('64 KiB');
    answer = (_req, res) => {
      const write = (): void => void (res.destroyed || res.write('x'.repeat(1024), () => setImmediate(write)));
      write();
    };
    await expect(get(egress, url)).rejects.toThrow('64 KiB');
  });

  it('accepts a response of any length if only its status matters', async () => {
    const egress = open({ allow: ['127.0.0.1'] });
    answer = (_req, res) => res.end('x'.repeat(256 * 1024));
    const call = { url: `http://127.0.0.1:${port}/`, method: 'PUT' as const, statusOnly: true };
    for (let n = 0; n < 2; n++) await expect(egress.request(call)).resolves.toMatchObject({ status: 200, body: '' });
  });

  it.each([
    ['never answers', () => undefined],
    ['sends its headers only', (_req: unknown, res: ServerResponse) => void res.writeHead(200).flushHeaders()],
  ])('ends in time when the host %s', async (_what, behaviour) => {
    answer = behaviour;
    const egress = open({ allow: ['127.0.0.1'], timeoutMs: 200 });
    await expect(get(egress, `http://127.0.0.1:${port}/`)).rejects.toThrow('no response in time');
  });

  it('ends in time when the name server never responds', async () => {
    const egress = open({ lookup: () => new Promise(() => undefined), timeoutMs: 200 });
    await expect(get(egress, 'https://slow.test/')).rejects.toThrow('no response in time');
  });

  it('ends when its signal aborts', async () => {
    answer = () => stop.abort(new Error('stopping'));
    const stop = new AbortController();
    const egress = open({ allow: ['127.0.0.1'] });
    const call = egress.request({ url: `http://127.0.0.1:${port}/`, method: 'GET', signal: stop.signal });
    await expect(call).rejects.toThrow('stopping');
  });

  it('reports an unreachable host without its address', async () => {
    const egress = open({ allow: ['127.0.0.1'], lookup: nameServer({}).lookup });
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port: free } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const rejected = get(egress, `http://127.0.0.1:${free}/`);
    await expect(rejected).rejects.toThrow(EgressFailed);
    await expect(rejected).rejects.toThrow(/^the host refused the connection$/);
    await expect(get(egress, 'https://nowhere.test/')).rejects.toThrow(/^the host name was not found$/);
  });

  it('accepts an address whose name does not resolve yet, unless it needs the allow-list', async () => {
    const egress = open({ lookup: nameServer({}).lookup });
    await expect(egress.check('https://later.test/')).resolves.toBeUndefined();
    await expect(egress.check('http://later.test/')).rejects.toThrow('HTTPS');
  });
});
