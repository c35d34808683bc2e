import { nodeImage } from '../context.js';
import type { Options } from '../options.js';
import type { Kubectl } from '../tools/kubectl.js';

/** A mail server and a SCIM server of the test, which accept and discard everything. */
const PROGRAM = `
const { createServer } = require('node:net');
const http = require('node:http');
createServer((socket) => {
  let isData = false;
  socket.on('error', () => undefined).setEncoding('latin1').write('220 receiver\\r\\n');
  socket.on('data', (text) => {
    for (const line of text.split('\\r\\n').slice(0, -1)) {
      if (isData && line !== '.') continue;
      isData = line.toUpperCase() === 'DATA';
      socket.write(isData ? '354 go on\\r\\n' : '250 done\\r\\n');
      if (line.toUpperCase() === 'QUIT') socket.end();
    }
  });
}).listen(2525);
const reply = { id: 'one', access_token: 'token', expires_in: 3600, Resources: [] };
http.createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(reply));
}).listen(8080);
process.once('SIGTERM', () => process.exit());
`;

export const RECEIVER = 'monitors-test-receiver';
const labels = { app: RECEIVER };

/** Values that make passportsvc use the receiver and give up on a user soon. */
export const receiverValues = {
  global: {
    networkPolicy: {
      smtp: { to: [{ podSelector: { matchLabels: labels } }], ports: [2525] },
      internet: { to: [{ podSelector: { matchLabels: labels } }], ports: [8080] },
    },
  },
  passportsvc: {
    smtp: { existingSecret: RECEIVER },
    settings: { mailFrom: 'Test <test@example.com>', egressAllow: RECEIVER, scimDeliveryGiveUpSec: 40 },
  },
};

/** Starts it in the platform's namespace, from an image that the cluster already has. */
export async function startReceiver(kubectl: Kubectl, options: Options): Promise<void> {
  const metadata = { name: RECEIVER };
  const ports = [{ containerPort: 2525 }, { containerPort: 8080 }];
  const container = { name: 'receiver', image: nodeImage(options), command: ['node', '--eval', PROGRAM], ports };
  const pod = { automountServiceAccountToken: false, terminationGracePeriodSeconds: 1, containers: [container] };
  await kubectl.apply(
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { url: `smtp://${RECEIVER}:2525` } },
    {
      ...{ apiVersion: 'v1', kind: 'Service', metadata },
      spec: { selector: labels, ports: [2525, 8080].map((port) => ({ name: `p${port}`, port })) },
    },
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
    },
  );
  await kubectl.run('rollout', 'status', `deployment/${RECEIVER}`, '--timeout=120s');
}

export const removeReceiver = (kubectl: Kubectl): Promise<string> =>
  kubectl.run('delete', 'secret,service,deployment', RECEIVER, '--ignore-not-found');
