import { z } from 'zod';
import { MAX_NAMESPACES, Namespace, ResourceId } from '@dtplatform/contracts';
import type { Resource } from '@dtplatform/permissions';
import { Timeout } from './duration.js';
import { OrchSchedule } from './schedule.js';

const MAX_NAME = 256;
const MAX_DESCRIPTION = 4096;
export const MAX_STEPS = 500;

const Name = z.string().min(1).max(MAX_NAME);
/** The parameters of a step. Their types depend on its component. */
export const StepParameters = z.record(z.string(), z.unknown());

/** A step: a component with its parameters. */
export const OrchStep = z
  .object({
    id: ResourceId.describe('The id of the step.'),
    _compid: Name.describe('The id of its component: its name.'),
    _orchid: ResourceId.describe('The id of the orchestrator.'),
    _actualparams: z.string().describe('The parameters as JSON text.'),
    _sequenceno: z
      .int()
      .describe('The position of the step: steps run in ascending order. Unique in the orchestrator.'),
    _name: Name.describe('The name of the step; the name of its component by default.'),
    _orchcomp: Name.describe('The name of its component.'),
  })
  .meta({ id: 'OrchestratorStep', description: 'A step of an orchestrator: a component with its parameters.' });
export type OrchStep = z.infer<typeof OrchStep>;

/** The scheduler's state. All times are milliseconds since 1970. */
export const ScheduleState = z.object({
  /** The next due time. Identifies the run that starts then. */
  dueAt: z.number(),
  /** When to start it: later than `dueAt` after a failed attempt. */
  tryAt: z.number(),
  statusmsg: z.string().optional().describe('Why the last run could not be started; absent if it could.'),
  /** The last attempt to start it failed, other than by a rejection: it has been overdue since `dueAt`. */
  isFailing: z.boolean().optional(),
  /** The namespace of the runs. */
  namespace: Namespace,
  /** The schedule owner: who last changed what the schedule runs. Its runs have the owner's permissions. */
  ownerId: z.string(),
  ownerType: z.enum(['user', 'app', 'permprofile']),
});
export type ScheduleState = z.infer<typeof ScheduleState>;

export const ownerOf = ({ ownerId: id, ownerType: type }: ScheduleState) => ({ id, type });

/** An ordered list of steps (docs/contract.md, "Orchestrators"). */
export const Orchestrator = z.object({
  _id: ResourceId.describe('The id of the orchestrator.'),
  _name: Name.describe('The name, which is unique in each of the namespaces.'),
  _description: z.string().max(MAX_DESCRIPTION).optional().describe('A description.'),
  _namespaces: z
    .array(Namespace)
    .min(1)
    .max(MAX_NAMESPACES)
    .describe(
      'The namespaces that it belongs to. `nsfilter` of a call that creates or changes it must be one of them.',
    ),
  /** Hidden from callers (`homeOf` of libs/permissions). */
  _home: Namespace,
  _userType: z.string().max(MAX_NAME).optional().describe('A type chosen by its authors.'),
  _class: z
    .enum(['NORMAL', 'INSTANT', 'SCHEDULED'])
    .describe('`INSTANT` runs within the call instead of the queue; `SCHEDULED` also runs on a schedule.'),
  /** Only for class SCHEDULED. */
  _orchschedule: OrchSchedule.optional(),
  _schedule: ScheduleState.optional(),
  _timeout: Timeout.optional().describe(
    'The time limit of its runs: hours (1 to 24), minutes (1 to 59) and seconds (30 to 59), separated by spaces, `*` for none; they add up. 24 hours by default.',
  ),
  _permissionprofileid: ResourceId.optional().describe(
    'The id of the permission profile whose permissions its steps have; by default, they have those of the user or app that starts the run.',
  ),
  _createdby: z.string().describe('The id of the user or app that created it.'),
  _updatedby: z.string().describe('The id of the user or app that last changed it.'),
  _createdat: z.string().describe('When it was created, in milliseconds since 1970, as text.'),
  _updatedat: z.string().describe('When it was last changed, in milliseconds since 1970, as text.'),
  orchsteps: z.array(OrchStep).min(1).max(MAX_STEPS).describe('The steps, in the order in which they run.'),
  _revision: z.int().min(0),
});
export type Orchestrator = z.infer<typeof Orchestrator>;
/** An orchestrator of class SCHEDULED. */
export type Scheduled = Orchestrator & { _orchschedule: object; _schedule: ScheduleState };

export const ShownOrchestrator = z
  .object({
    id: Orchestrator.shape._id,
    ...Orchestrator.omit({ _id: true, _home: true, _schedule: true, _revision: true }).shape,
    _orchschedule: z
      .object({
        ...OrchSchedule.shape,
        next_scheduled_time: z.string().describe('When it runs next, in milliseconds since 1970, as text.'),
        statusmsg: ScheduleState.shape.statusmsg,
      })
      .meta({ id: 'ShownSchedule', description: 'The schedule of an orchestrator of class `SCHEDULED`.' })
      .optional(),
  })
  .meta({ id: 'Orchestrator', description: 'An ordered list of steps.' });
export function showOrchestrator(orchestrator: Orchestrator & Partial<Resource>): z.infer<typeof ShownOrchestrator> {
  const { _id, _irn, _home, _revision, _schedule, _orchschedule, ...fields } = orchestrator;
  const { dueAt, statusmsg } = _schedule ?? {};
  const shown = {
    ..._orchschedule,
    next_scheduled_time: String(dueAt),
    ...(statusmsg !== undefined && { statusmsg }),
  };
  return { id: _id, ...fields, ...(_schedule && { _orchschedule: shown }) };
}

/** A step of a new orchestrator; `name` is an alias of `_name`. */
const Task = OrchStep.pick({ _orchcomp: true, _sequenceno: true, _name: true })
  .partial({ _name: true })
  .extend({
    name: OrchStep.shape._name.optional().describe('The same as `_name`, which takes precedence if both are sent.'),
    _actualparams: StepParameters.optional().describe(
      'The parameters of the component. Required ones may also be sent with each run.',
    ),
  })
  .meta({ id: 'OrchestratorTask', description: 'A step of an orchestrator to create or change.' });
type Task = z.infer<typeof Task>;

const Tasks = z
  .array(Task)
  .min(1)
  .max(MAX_STEPS)
  .superRefine((tasks, context) => {
    const seen = new Set<number>();
    for (const [index, { _sequenceno }] of tasks.entries()) {
      if (seen.has(_sequenceno)) {
        context.addIssue({
          code: 'custom',
          path: [index, '_sequenceno'],
          message: 'must be unique among the tasks',
        });
      }
      seen.add(_sequenceno);
    }
  });

/** The body that creates an orchestrator; `instant` and `_instant` are aliases of class INSTANT. */
export const CreateOrchestrator = Orchestrator.pick({
  _name: true,
  _description: true,
  _namespaces: true,
  _userType: true,
  _timeout: true,
  _permissionprofileid: true,
})
  .partial({ _namespaces: true })
  .extend({
    _params: z
      .object({ tasks: Tasks.describe('The steps, which run in the order of `_sequenceno`.') })
      .describe('The steps.'),
    _class: Orchestrator.shape._class
      .optional()
      .describe(
        '`INSTANT` runs within the call instead of the queue; `SCHEDULED` also runs on a schedule; `NORMAL` by default.',
      ),
    instant: z.boolean().optional().describe('Whether the class is `INSTANT`; ignored if `_class` is sent.'),
    _instant: z.boolean().optional().describe('The same as `instant`; takes precedence if both are sent.'),
    _orchschedule: OrchSchedule.nullable()
      .optional()
      .describe('The schedule: required for class `SCHEDULED`, rejected for others; null means none.'),
  })
  .meta({ id: 'NewOrchestrator', description: 'An orchestrator to create.' });
export type CreateOrchestrator = z.infer<typeof CreateOrchestrator>;

/** The body that changes an orchestrator: missing fields stay unchanged; `null` removes. */
export const ChangeOrchestrator = CreateOrchestrator.partial()
  .extend({
    _params: z
      .object({
        tasks: Tasks.optional().describe('The new steps, which replace all existing ones; unchanged by default.'),
      })
      .describe('The new steps; `{}` leaves them unchanged.'),
    _class: Orchestrator.shape._class
      .optional()
      .describe('The new class; any class but `SCHEDULED` removes the schedule.'),
    _timeout: Timeout.nullable()
      .optional()
      .describe(
        'The time limit of its runs, in the same format as for a new orchestrator; null resets it to 24 hours.',
      ),
    _permissionprofileid: ResourceId.nullable()
      .optional()
      .describe('The id of the permission profile whose permissions its steps have; null removes it.'),
  })
  .meta({
    id: 'OrchestratorChange',
    description: 'New values of an orchestrator. Omitted fields do not change.',
  });
export type ChangeOrchestrator = z.infer<typeof ChangeOrchestrator>;

export const ORCHESTRATOR_TYPE = 'datasourcesvc:orchestrator';
/** The actions of permissions on an orchestrator, besides SHARE. */
export const ORCHESTRATOR_ACTIONS = ['READ', 'EDIT', 'DELETE', 'RUN'] as const;
export const orchestratorIrn = (id: string): string => `${ORCHESTRATOR_TYPE}:${id}`;

/** The namespaces of a new orchestrator. Defaults to the namespace of the call. */
export const namespacesOf = ({ _namespaces }: CreateOrchestrator, nsfilter: string): string[] => [
  ...new Set(_namespaces ?? [nsfilter]),
];

/** The class that an orchestrator gets. `instant: false` only ends class INSTANT. */
export function classOf(
  { _class, instant, _instant }: Pick<ChangeOrchestrator, '_class' | 'instant' | '_instant'>,
  before: Orchestrator['_class'] = 'NORMAL',
): Orchestrator['_class'] {
  const isInstant = _instant ?? instant;
  if (_class !== undefined || isInstant === undefined) return _class ?? before;
  if (isInstant) return 'INSTANT';
  return before === 'INSTANT' ? 'NORMAL' : before;
}

/** Orders steps by `_sequenceno`, as they run. */
export const stepsOf = (tasks: readonly Task[], orchestratorId: string, newId: () => string): OrchStep[] =>
  tasks
    .toSorted((a, b) => a._sequenceno - b._sequenceno)
    .map(({ _orchcomp, _sequenceno, _name, name, _actualparams = {} }) => ({
      id: newId(),
      _compid: _orchcomp,
      _orchid: orchestratorId,
      _actualparams: JSON.stringify(_actualparams),
      _sequenceno,
      _name: _name ?? name ?? _orchcomp,
      _orchcomp,
    }));
