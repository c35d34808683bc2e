import { ALL, allBut, SENDERS, WITH_OUTBOX, type Fault } from './fault.js';
import { mongodbIsLocked, mongodbIsStopped, redisIsFull, redisIsStopped } from './faults/backends.js';
import { bucketIsForeign } from './faults/bucket.js';
import { passwordsAreGuessed, runsAreTooMany, uploadsAreSlow, uploadsCompete } from './faults/callers.js';
import { metricsAreUnreachable, migrationsFail } from './faults/objects.js';
import {
  appsCannotBeRead,
  epochsAreEvicted,
  permissionsAreUnavailable,
  permissionsCannotBeRead,
} from './faults/permissions.js';
import { containerCrashes, memoryIsFull, processesStandStill } from './faults/processes.js';
import { receiversAreStopped } from './faults/receivers.js';
import { websocketsAreSlow } from './faults/slow-clients.js';
import {
  comparisonFails,
  comparisonHangs,
  messagesAreInvalid,
  usageCannotBeStored,
  usageDiffers,
  usageIsUnknown,
} from './faults/usage.js';

/** Rounds run one by one. The faults of a round are independent and are injected together. */
export const ROUNDS: readonly (readonly Fault[])[] = [
  [passwordsAreGuessed, uploadsCompete, receiversAreStopped, runsAreTooMany, comparisonHangs, bucketIsForeign],
  [websocketsAreSlow, uploadsAreSlow, usageIsUnknown, messagesAreInvalid, usageDiffers, epochsAreEvicted],
  [permissionsCannotBeRead, appsCannotBeRead, usageCannotBeStored],
  [permissionsAreUnavailable, migrationsFail],
  [comparisonFails, memoryIsFull, containerCrashes],
  [processesStandStill],
  [redisIsFull],
  [redisIsStopped],
  [mongodbIsLocked],
  [mongodbIsStopped],
  [metricsAreUnreachable],
];

/** Why an alert that every service has is observed for only some services. */
export const NOT_MADE: readonly { alert: string; services: readonly string[]; reason: string }[] = [
  {
    alert: 'OutboxIsStuck',
    services: ALL.filter((name) => !WITH_OUTBOX.includes(name)),
    reason: 'the service has no outbox, so this cannot happen',
  },
  {
    alert: 'MessagesFail',
    services: allBut(...SENDERS),
    reason: 'the service waits for no receipt of its messages, so this cannot happen',
  },
  {
    alert: 'MessagesWait',
    services: allBut('filesvc'),
    reason: 'ten thousand messages of each service would take minutes; the rule and its metric are the same for all',
  },
  {
    alert: 'JobsFail',
    services: allBut('metricsvc'),
    reason:
      'other jobs fail permanently after eight attempts or more, in eleven minutes or more; the rule is the same for all',
  },
  {
    alert: 'QueueGrows',
    services: allBut('metricsvc', 'datasourcesvc'),
    reason: 'other queues empty faster than one client fills them; the rule is the same for all',
  },
  {
    alert: 'MongodbPoolIsExhausted',
    services: allBut('objectmodelsvc'),
    reason:
      'it takes hundreds of calls at the same time, more than a small node serves for each; the rule is the same for all',
  },
  {
    alert: 'RequestsWaitForMemory',
    services: allBut('filesvc'),
    reason: 'the other budgets need hundreds of large bodies at the same time; npm run test:pressure sends them',
  },
  {
    alert: 'ContainerRestarts',
    services: allBut('metricsvc'),
    reason: 'Kubernetes restarts every container alike, and three restarts of each would overload a small node',
  },
  {
    alert: 'MemoryIsNearItsLimit',
    services: allBut('datasourcesvc'),
    reason: 'filling the memory of each container needs more than a small node has',
  },
];
