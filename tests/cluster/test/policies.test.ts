import { describe, expect, it } from '@jest/globals';
import { cellsOf, judge } from '../src/policies/check-flows.js';
import { PORTS, type Place } from '../src/policies/places.js';
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
