import type { Paging } from '@dtplatform/http';
import type { Access, Resource } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import type { Components } from '../components/component.js';
import { namespacesOf, ORCHESTRATOR_TYPE, orchestratorIrn, stepsOf } from './orchestrator.js';
import type { CreateOrchestrator, Orchestrator } from './orchestrator.js';
import type { OrchestratorStore } from './ports.js';

export interface Orchestrators {
  /**
   * Creates an orchestrator and grants its creator all actions on it. The route has checked the right to CREATE.
   * @throws 400 for an unknown component or a name that is taken, 403 without ASSIGN on the permission profile
   */
  create(request: CreateOrchestrator, nsfilter: string, access: Access): Promise<Orchestrator>;
  find(id: string): Promise<(Orchestrator & Resource) | undefined>;
  /** The orchestrators of the namespace that the caller may read. */
  list(nsfilter: string, paging: Paging, access: Access): Promise<{ list: Orchestrator[]; total: number }>;
}

interface OrchestratorsDeps {
  store: OrchestratorStore;
  components: Components;
  newId: () => string;
}

export function createOrchestrators({ store, components, newId }: OrchestratorsDeps): Orchestrators {
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

function assertComponents({ _params: { tasks } }: CreateOrchestrator, components: Components): void {
  const message = 'There is no component of this name.';
  const details = tasks.flatMap(({ _orchcomp }, index) =>
    components.has(_orchcomp) ? [] : [{ location: `body._params.tasks.${index}._orchcomp`, message }],
  );
  if (details.length > 0) throw errors.unknownComponent({ details });
}

function newOrchestrator(
  request: CreateOrchestrator,
  nsfilter: string,
  createdById: string,
  newId: () => string,
): Orchestrator {
  const { _name, _description, _userType, _timeout, _permissionprofileid } = request;
  const _id = newId();
  const now = String(Date.now());
  return {
    _id,
    _name,
    _description,
    _namespaces: namespacesOf(request, nsfilter),
    _userType,
    _class: classOf(request),
    _timeout,
    _permissionprofileid,
    _createdby: createdById,
    _updatedby: createdById,
    _createdat: now,
    _updatedat: now,
    orchsteps: stepsOf(request, _id, newId),
  };
}

function classOf({ _class, instant, _instant }: CreateOrchestrator): Orchestrator['_class'] {
  if (_class === 'SCHEDULED') throw errors.schedulesNotSupported();
  return _class ?? ((_instant ?? instant) ? 'INSTANT' : 'NORMAL');
}
