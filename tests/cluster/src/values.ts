import { SERVICES, type DevSettings } from '@dtplatform/stack';
import { DEV_BACKENDS, DEV_TAG } from './images/dev-backends.js';
import type { NodePorts } from './options.js';

const WITHOUT_WORKER = ['objectmodelsvc'];

export interface ValuesOptions {
  host: string;
  registry: string;
  tag: string;
  local: boolean;
  replicas: number;
  nodePorts: NodePorts;
  settings: DevSettings;
}

/**
 * Values of charts/platform for the test: development backends, known secrets, resource requests for a small cluster.
 */
export function platformValues({ host, registry, tag, local, replicas, nodePorts, settings }: ValuesOptions) {
  const backends = { existingSecret: 'dev-backends' };
  return {
    global: {
      baseUrl: `http://${host}:${nodePorts.http}`,
      corsOrigins: ['http://localhost:*'],
      image: { registry, tag },
      mongodb: { ...backends, urlKey: 'mongodb-url' },
      redis: { ...backends, urlKey: 'redis-url' },
      s3: { ...backends, endpoint: 'http://s3:9000', publicEndpoint: `http://${host}:${nodePorts.s3}` },
      serviceClient: backends,
    },
    ...Object.fromEntries(SERVICES.map(({ name }) => [name, serviceValues(name, replicas)])),
    passportsvc: { ...serviceValues('passportsvc', replicas), ...passportValues(settings) },
    site: { replicas, resources },
    'dev-backends': devBackendValues({ registry, local, nodePorts, settings }),
  };
}

/** Values for one worker of each service that has workers. */
export const oneWorkerEach = () =>
  Object.fromEntries(
    SERVICES.filter(({ name }) => !WITHOUT_WORKER.includes(name)).map(({ name }) => [
      name,
      { worker: { replicas: 1 } },
    ]),
  );

const resources = { requests: { cpu: '10m', memory: '96Mi' }, limits: { memory: '512Mi' } };

const serviceValues = (name: string, replicas: number) => ({
  replicas,
  resources,
  ...(WITHOUT_WORKER.includes(name) ? {} : { worker: { replicas: 2, resources } }),
});

const passportValues = ({ orgId, appId, admin, redirectUri }: DevSettings) => ({
  keyEncryption: { existingSecret: 'dev-backends' },
  bootstrap: {
    ...{ existingSecret: 'dev-backends', devKey: 'dev', orgId, appId },
    ...{ adminEmail: admin.email, redirectUris: [redirectUri] },
  },
});

type BackendOptions = Pick<ValuesOptions, 'registry' | 'local' | 'nodePorts' | 'settings'>;

function devBackendValues({ registry, local, nodePorts, settings }: BackendOptions) {
  const { serviceClient, keyEncryptionKey, admin, appSecret, second, shortLived } = settings;
  const images = local ? localImages(registry) : {};
  return {
    enabled: true,
    secrets: {
      clientId: serviceClient.id,
      clientSecret: serviceClient.secret,
      keyEncryptionKey,
      adminPassword: admin.password,
      appSecret,
      dev: { second, shortLived },
    },
    ...images,
    gateway: { ...images.gateway, service: { type: 'NodePort', nodePorts } },
  };
}

/** The images of docker/dev-backends.Dockerfile. Its S3 server is versitygw, from the Go module proxy. */
function localImages(registry: string): Record<string, object> {
  const image = (name: string) => ({ image: { registry, repository: `dtplatform/dev-${name}`, tag: DEV_TAG } });
  const images = Object.fromEntries(DEV_BACKENDS.map((name) => [name, image(name)]));
  return { ...images, s3: { ...images.s3, server: 'versitygw' } };
}
