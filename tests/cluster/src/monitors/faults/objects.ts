import { ALL, type Fault, type Lab } from '../fault.js';

interface Deployment {
  spec: { template: { metadata: { labels: object }; spec: { containers: object[]; volumes: object[] } } };
}

const NOWHERE = 'mongodb://127.0.0.1:1/?directConnection=true&serverSelectionTimeoutMS=1000';
const jobOf = (service: string) => `${service}-migrate-monitors-test`;

/** The migration of a service's image, with the address of a MongoDB that does not exist. */
async function wrongMigration({ kubectl }: Lab, service: string): Promise<object> {
  const found = await kubectl.run('get', `deployment/${service}`, '--output=json');
  const { template } = (JSON.parse(found) as Deployment).spec;
  const [container] = template.spec.containers as { image: string; securityContext: object }[];
  const { image, securityContext } = container!;
  const env = Object.entries({ MONGO_URL: NOWHERE, MIGRATION_WAIT_MS: '1000' }).map(([name, value]) => ({
    name,
    value,
  }));
  const migration = { name: 'migration', image, env, securityContext, command: ['node', 'dist/migrate.js'] };
  return {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: jobOf(service) } },
    spec: {
      backoffLimit: 0,
      template: { spec: { restartPolicy: 'Never', automountServiceAccountToken: false, containers: [migration] } },
    },
  };
}

export const migrationsFail: Fault = {
  what: 'The migrations have the address of a MongoDB that is not there',
  fires: { MigrationFailed: ALL },
  async make(lab) {
    const { kubectl } = lab;
    await kubectl.apply(...(await Promise.all(ALL.map((service) => wrongMigration(lab, service)))));
    return () => kubectl.run('delete', 'jobs', ...ALL.map(jobOf), '--wait');
  },
};

/** The metrics port is wrong, so scrapes fail. */
export const metricsAreUnreachable: Fault = {
  what: 'The metrics of all services are looked for at a wrong port',
  fires: { MetricsAreMissing: ALL },
  async make({ kubectl }) {
    const setPort = async (targetPort: string | number) => {
      const patch = JSON.stringify([{ op: 'replace', path: '/spec/ports/0/targetPort', value: targetPort }]);
      for (const service of ALL)
        await kubectl.run('patch', 'service', `${service}-metrics`, '--type=json', `--patch=${patch}`);
    };
    await setPort(9);
    return () => setPort('admin');
  },
};
