import type { Paging } from '@dtplatform/http';
import type { Access, Resource } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import type { Components } from './component.js';
import { namespacesOf, ORCHESTRATOR_TYPE, orchestratorIrn, stepsOf } from './orchestrator.js';
import type { Orchestrator, OrchestratorClass, OrchestratorRequest } from './orchestrator.js';
import type { OrchestratorStore } from './ports.js';

export interface Orchestrators {
  /**
   * Creates an orchestrator, whose creator then holds everything on it. The right to CREATE is the caller's to check.
   * @throws 400 for an unknown component or a name that is taken, 403 without ASSIGN on the permission profile
   */
  create(request: OrchestratorRequest, nsfilter: string, access: Access): Promise<Orchestrator>;
  find(id: string): Promise<(Orchestrator & Resource) | undefined>;
  /** Those of the namespace that the caller may read. */
  list(nsfilter: string, paging: Paging, access: Access): Promise<{ list: Orchestrator[]; total: number }>;
}

export function createOrchestrators(deps: {
  store: OrchestratorStore;
  components: Components;
  newId: () => string;
}): Orchestrators {
  const { store, components, newId } = deps;
  return {
    async create(request, nsfilter, access) {
      assertComponents(request, components);
      const orchestrator = newOrchestrator(request, nsfilter, access.principal.id, newId);
      const { _id, _namespaces, _permissionprofileid } = orchestrator;
      if (!_namespaces.includes(nsfilter)) throw errors.namespaceNotListed();
      if (_permissionprofileid !== undefined) {
        await access.requireIn('ASSIGN', `passportsvc:permissionprofile:${_permissionprofileid}`, _namespaces);
      }
      await access.own({ _irn: orchestratorIrn(_id), _namespaces });
      await store.insert(orchestrator);
      return orchestrator;
    },
    async find(id) {
      const orchestrator = await store.find(id);
      return orchestrator && { ...orchestrator, _irn: orchestratorIrn(id) };
    },
    list: async (nsfilter, paging, access) =>
      store.list(await access.scope('READ', ORCHESTRATOR_TYPE, [nsfilter]), paging),
  };
}

function assertComponents({ _params: { tasks } }: OrchestratorRequest, components: Components): void {
  const unknown = tasks.flatMap(({ _orchcomp }, index) => (components.has(_orchcomp) ? [] : [index]));
  if (unknown.length === 0) return;
  const message = 'There is no component of this name.';
  throw errors.unknownComponent({
    details: unknown.map((index) => ({ location: `body._params.tasks.${index}._orchcomp`, message })),
  });
}

function newOrchestrator(
  request: OrchestratorRequest,
  nsfilter: string,
  createdById: string,
  newId: () => string,
): Orchestrator {
  const _id = newId();
  const now = String(Date.now());
  return {
    _id,
    _name: request._name,
    _description: request._description,
    _namespaces: namespacesOf(request, nsfilter),
    _userType: request._userType,
    _class: classOf(request),
    _timeout: request._timeout,
    _permissionprofileid: request._permissionprofileid,
    _createdby: createdById,
    _updatedby: createdById,
    _createdat: now,
    _updatedat: now,
    orchsteps: stepsOf(request._params.tasks, _id, newId),
  };
}

function classOf({ _class, instant, _instant }: OrchestratorRequest): OrchestratorClass {
  if (_class === 'SCHEDULED') throw errors.schedulesNotSupported();
  return _class ?? ((_instant ?? instant) ? 'INSTANT' : 'NORMAL');
}
