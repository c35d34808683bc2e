import { z } from 'zod';
import { ok, route, routes } from '@dtplatform/http';
import type { Health, ProcessHealth, ServiceTraffic } from '@dtplatform/runtime';

const ShownMinute = z
  .object({
    _at: z.int().describe('The start of the minute, as Unix milliseconds.'),
    _count: z.int().describe('The number of requests, or of attempts at jobs.'),
    _errors: z.int().describe('Of these, the responses with a status of 500 or above, or the failed attempts.'),
    _medianMs: z.number().optional().describe('Half of them took at most this many milliseconds.'),
    _p95Ms: z.number().optional().describe('95 % of them took at most this many milliseconds.'),
  })
  .meta({
    id: 'TrafficMinute',
    description:
      'One minute of a service. Times are bounds of the buckets of its metrics, in its slowest process; above the last bucket they are left out.',
  });

const ShownProcess = z
  .object({
    _id: z.string().describe('The name of the process, its host and its process id.'),
    _name: z.string().describe('The name of its service, with `-worker` for a worker.'),
    _host: z.string().describe('Its host: in Kubernetes, the name of its pod.'),
    _state: z
      .enum(['READY', 'NOT_READY', 'STOPPING', 'LOST'])
      .describe('Its readiness; `LOST` if it has sent no heartbeat for 45 seconds without having shut down.'),
    _checks: z
      .record(z.string(), z.enum(['ok', 'failing']))
      .describe('The checks of `/readyz`: its backends, migrations and keys.'),
    _startedAt: z.int().describe('When it started, as Unix milliseconds.'),
    _seenAt: z.int().describe('When it sent its last heartbeat, as Unix milliseconds.'),
  })
  .meta({ id: 'ProcessHealth', description: 'A process of a service, and its readiness at its last heartbeat.' });

const ShownService = z
  .object({
    _name: z.string().describe('The name of the service.'),
    _requests: z.array(ShownMinute).describe('Its requests by minute. Minutes without any are left out.'),
    _jobs: z.array(ShownMinute).describe('Its attempts at jobs by minute. Minutes without any are left out.'),
  })
  .meta({ id: 'ServiceTraffic', description: 'The last hour of a service, over its listed processes.' });

const ShownHealth = z
  .object({
    _processes: z.array(ShownProcess).describe('The processes by name.'),
    _services: z.array(ShownService).describe('The services by name.'),
  })
  .meta({ id: 'Health', description: 'The health of all services.' });

const showProcess = ({ id, name, host, state, checks, startedAt, seenAt }: ProcessHealth) => ({
  ...{ _id: id, _name: name, _host: host, _state: state },
  ...{ _checks: checks, _startedAt: startedAt, _seenAt: seenAt },
});

const showMinute = ({ at, count, errors, medianMs, p95Ms }: ServiceTraffic['jobs'][number]) => ({
  ...{ _at: at, _count: count, _errors: errors, _medianMs: medianMs, _p95Ms: p95Ms },
});

const showService = ({ name, requests, jobs }: ServiceTraffic) => ({
  ...{ _name: name, _requests: requests.map(showMinute), _jobs: jobs.map(showMinute) },
});

export const healthRoutes = ({ health }: { health: Health }) =>
  routes('/health', [
    route.get('/', {
      operation: 'health.read',
      summary: 'Read the health of all services and their last hour. For administrators and trusted clients.',
      description:
        'Each process sends a heartbeat every 15 seconds. A process that did not shut down cleanly is listed for an hour.',
      callers: ['admin', 'trusted'],
      responses: { 200: ShownHealth },
      handler: async () => {
        const { processes, services } = await health.read();
        return ok({ _processes: processes.map(showProcess), _services: services.map(showService) });
      },
    }),
  ]);
