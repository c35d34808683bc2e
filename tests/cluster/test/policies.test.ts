import { describe, expect, it } from '@jest/globals';
import { cellsOf, judge } from '../src/policies/check-flows.js';
import { isListed, PROGRAMS } from '../src/policies/listed-flows.js';
import { PORTS, type Place } from '../src/policies/places.js';
import { shortPods } from '../src/policies/stand-ins.js';
import type { Kubectl } from '../src/tools/kubectl.js';

const place = (name: string, address: string, listens: number[] = []): Place => ({
  ...{ name, address, listens },
  pod: { kubectl: {} as Kubectl, name },
});
const filesvc = place('filesvc', '10.0.0.1', [8080, 9090]);
const mongodb = place('mongodb', '10.0.0.2', [27_017]);
const elsewhere = place('elsewhere', '10.0.1.1', [8080]);
const metadata: Place = { name: 'metadata', address: '169.254.169.254', listens: [80] };
const places = { sources: [filesvc, elsewhere], targets: [filesvc, mongodb, elsewhere, metadata] };

const listed = (source: string, target: string, port: number, peers: 'default' | 'named' = 'default') =>
  isListed({ source, target, port }, peers);

describe('listed flows', () => {
  it('lead from callers to the API of a service, and nowhere else in it', () => {
    expect(listed('datasourcesvc-worker', 'filesvc', 8080)).toBe(true);
    expect(listed('datasourcesvc-worker', 'filesvc', 9090)).toBe(false);
    expect(listed('filesvc', 'datasourcesvc', 8080)).toBe(false);
    expect(listed('filesvc-test', 'filesvc', 8080)).toBe(true);
    expect(listed('filesvc-test', 'itemsvc', 8080)).toBe(false);
    expect(listed('passportsvc-sign-in', 'itemsvc', 8080)).toBe(true);
    expect(listed('gateway', 'site', 8080)).toBe(true);
    expect(listed('passportsvc-sign-in', 'site', 8080)).toBe(false);
  });

  it('lead from strangers to the gateway alone', () => {
    for (const stranger of ['unlabelled', 'elsewhere', 'impostor']) {
      expect(listed(stranger, 'gateway', 8080)).toBe(true);
      for (const target of [...Object.keys(PROGRAMS), 'mongodb', 'redis', 's3'])
        expect(PORTS.filter((port) => listed(stranger, target, port, 'named'))).toEqual([]);
    }
  });

  it('lead to unnamed backends anywhere but at the metadata address', () => {
    expect(listed('filesvc', 'node', 443)).toBe(true);
    expect(listed('filesvc', 'metadata', 443)).toBe(false);
    expect(listed('filesvc', 'node', 443, 'named')).toBe(false);
    expect(listed('itemsvc', 'node', 443)).toBe(false);
    expect(listed('passportsvc-worker', 'public', 443, 'named')).toBe(true);
    expect(listed('passportsvc-worker', 'node', 443, 'named')).toBe(false);
  });

  it('lead to name servers, on another port once it is named', () => {
    expect(listed('filesvc', 'elsewhere', 53)).toBe(true);
    expect(listed('filesvc', 'elsewhere', 5353)).toBe(false);
    expect(listed('filesvc', 'elsewhere', 5353, 'named')).toBe(true);
    expect(listed('redis', 'elsewhere', 5353, 'named')).toBe(false);
  });

  it('let named monitoring read metrics, and named ingress controllers call', () => {
    expect(listed('monitoring', 'filesvc-worker', 9090)).toBe(false);
    expect(listed('monitoring', 'filesvc-worker', 9090, 'named')).toBe(true);
    expect(listed('monitoring', 'filesvc', 8080, 'named')).toBe(false);
    expect(listed('ingress', 'filesvc', 8080, 'named')).toBe(true);
    expect(listed('ingress', 'filesvc', 9090, 'named')).toBe(false);
  });
});

describe('tried flows', () => {
  it('are all ports of other pods, and responding ones of an address', () => {
    const cells = cellsOf(filesvc, { places, refusal: 'dropped' });
    const ofName = (name: string) => cells.filter(({ target }) => target.name === name).map(({ port }) => port);
    expect(ofName('filesvc')).toEqual([]);
    expect(ofName('mongodb')).toEqual(PORTS);
    expect(ofName('elsewhere')).toEqual(PORTS);
    expect(ofName('metadata')).toEqual([80]);
  });

  it('are those with a listener where the cluster rejects what is forbidden', () => {
    const cells = cellsOf(filesvc, { places, refusal: 'rejected' });
    expect(cells.map(({ target, port }) => [target.name, port])).toEqual([
      ['mongodb', 27_017],
      ['elsewhere', 8080],
      ['metadata', 80],
    ]);
  });

  it('lead from strangers only to the platform', () => {
    const names = cellsOf(elsewhere, { places, refusal: 'dropped' }).map(({ target }) => target.name);
    expect(new Set(names)).toEqual(new Set(['filesvc', 'mongodb']));
  });
});

describe('the judgement', () => {
  const cells = [27_017, 6379, 8080].map((port) => ({ target: mongodb, port }));
  const judged = (outcomes: string[], resolved: boolean, refusal: 'dropped' | 'rejected') =>
    judge(filesvc, cells, { outcomes, resolved }, { refusal, peers: 'default' });

  it('counts passed and rejected flows, including DNS', () => {
    const seen = judged(['connected', 'timeout', 'timeout'], true, 'dropped');
    expect(seen).toEqual({ passed: 2, refused: 2, wrong: [] });
  });

  it('names each wrong flow', () => {
    expect(judged(['timeout', 'ECONNREFUSED', 'timeout'], false, 'dropped').wrong).toEqual([
      'filesvc -> mongodb:27017 must pass: timeout',
      'filesvc -> mongodb:6379 must be refused: ECONNREFUSED',
      'filesvc -> DNS must pass: no answer',
    ]);
  });

  it('attributes a refused connection to the cluster if the cluster rejects', () => {
    expect(judged(['connected', 'ECONNREFUSED', 'ECONNREFUSED'], true, 'rejected').wrong).toEqual([]);
  });

  it('expects no DNS of the servers with data', () => {
    const { wrong } = judge(mongodb, [], { outcomes: [], resolved: true }, { refusal: 'dropped', peers: 'default' });
    expect(wrong).toEqual(['mongodb -> DNS must be refused: a name was resolved']);
  });
});

describe('pods that do not run continuously', () => {
  const labels = (component: string) => ({ 'app.kubernetes.io/component': component });

  it('are the migrations and tests among the objects of a release', () => {
    const found = shortPods([
      null,
      { kind: 'Service', metadata: { name: 'filesvc', labels: labels('api') } },
      { kind: 'Job', metadata: { name: 'filesvc-migrate-0123abcd', labels: {} }, spec: ofPod('migration') },
      { kind: 'Pod', metadata: { name: 'filesvc-test', labels: labels('test') } },
      { kind: 'Deployment', metadata: { name: 'filesvc-worker', labels: {} }, spec: ofPod('worker') },
    ]);
    expect([...found]).toEqual([
      ['filesvc-migrate', labels('migration')],
      ['filesvc-test', labels('test')],
    ]);
    function ofPod(component: string) {
      return { template: { metadata: { labels: labels(component) } } };
    }
  });
});
