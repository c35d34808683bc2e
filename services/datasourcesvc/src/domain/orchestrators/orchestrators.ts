import { permissionProfileIrn } from '@dtplatform/contracts';
import type { Access, Resource, Resources } from '@dtplatform/permissions';
import type { Listing, Paging } from '@dtplatform/resource';
import { errors } from '../../errors.js';
import type { Components } from '../components/component.js';
import { namespacesOf, ORCHESTRATOR_TYPE, orchestratorIrn, stepsOf } from './orchestrator.js';
import type { CreateOrchestrator, Orchestrator } from './orchestrator.js';
import type { OrchestratorStore, Profiles } from './ports.js';

export interface Orchestrators extends Resources<Orchestrator & Resource> {
  /**
   * Creates an orchestrator and grants its creator all actions on it. The route has checked the right to CREATE.
   * @throws 400 for an unknown component, an unknown permission profile or a name that is taken, 403 without ASSIGN on
   * the permission profile
   */
  create(request: CreateOrchestrator, nsfilter: string, access: Access): Promise<Orchestrator>;
  /** The orchestrators of the namespace that the caller may read. */
  list(nsfilter: string, paging: Paging, access: Access): Promise<Listing<Orchestrator>>;
}

interface OrchestratorsDeps {
  orchestratorStore: OrchestratorStore;
  components: Components;
  profiles: Profiles;
  newId: () => string;
}

export function createOrchestrators(deps: OrchestratorsDeps): Orchestrators {
  const { orchestratorStore, components, profiles, newId } = deps;

  /**
   * Whoever holds ASSIGN on every id in an own namespace must not assign a profile of another one: it must belong to all
   * namespaces in which ASSIGN is required. @throws unknownProfile, forbidden
   */
  async function assertMayAssign({ _permissionprofileid: id, _namespaces }: Orchestrator, access: Access) {
    if (id === undefined) return;
    await access.requireIn('ASSIGN', permissionProfileIrn(id), _namespaces);
    const known = new Set(await profiles.namespacesOf(id));
    if (!_namespaces.every((namespace) => known.has(namespace))) throw errors.unknownProfile();
  }

  return {
    async create(request, nsfilter, access) {
      assertComponents(request, components);
      const orchestrator = newOrchestrator(request, nsfilter, access.principal.id, newId);
      const { _id, _namespaces } = orchestrator;
      if (!_namespaces.includes(nsfilter)) throw errors.namespaceNotListed();
      await assertMayAssign(orchestrator, access);
      await access.own({ _irn: orchestratorIrn(_id), _namespaces });
      await orchestratorStore.insert(orchestrator);
      return orchestrator;
    },
    async find(id) {
      const orchestrator = await orchestratorStore.find(id);
      return orchestrator && { ...orchestrator, _irn: orchestratorIrn(id) };
    },
    list: async (nsfilter, paging, access) =>
      orchestratorStore.list(await access.scope('READ', ORCHESTRATOR_TYPE, [nsfilter]), paging),
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
  const { _params, instant, _instant, ...given } = request;
  const _id = newId();
  const now = String(Date.now());
  return {
    ...given,
    _id,
    _namespaces: namespacesOf(request, nsfilter),
    _class: classOf(request),
    _createdby: createdById,
    _updatedby: createdById,
    _createdat: now,
    _updatedat: now,
    orchsteps: stepsOf(request, _id, newId),
    _revision: 0,
  };
}

function classOf({ _class, instant, _instant }: CreateOrchestrator): Orchestrator['_class'] {
  if (_class === 'SCHEDULED') throw errors.schedulesNotSupported();
  return _class ?? ((_instant ?? instant) ? 'INSTANT' : 'NORMAL');
}
