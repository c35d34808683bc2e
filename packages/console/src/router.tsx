import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from './messages/text';
import { Plain } from './ui/plain';
import { Failure } from './ui/states';
import { Shell } from './ui/shell';
import { WorkspacePage } from './workspaces/workspace-page';
import { WorkspacesPage } from './workspaces/workspaces-page';

/** A page that loads when it is first opened. */
const lazy = <Name extends string>(load: () => Promise<Record<Name, () => ReactNode>>, name: Name): (() => ReactNode) =>
  lazyRouteComponent(load, name) as () => ReactNode;

function NotFound() {
  const { text } = useText();
  return (
    <main className="content">
      <p>
        {text('app.notFound')} <Link to="/">{text('app.home')}</Link>
      </p>
    </main>
  );
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const plain = createRoute({ getParentRoute: () => root, id: 'plain', component: Plain });
const workspace = createRoute({ getParentRoute: () => root, path: '/workspaces/$id', component: WorkspacePage });
const inWorkspace = { getParentRoute: () => workspace };

const orchestrators = lazy(() => import('./orchestrators/orchestrators-page'), 'OrchestratorsPage');
const newOrchestrator = lazy(() => import('./orchestrators/new-orchestrator-page'), 'NewOrchestratorPage');
const orchestrator = lazy(() => import('./orchestrators/orchestrator-page'), 'OrchestratorPage');
const run = lazy(() => import('./orchestrators/run-page'), 'RunPage');
const tasks = lazy(() => import('./tasks/tasks-page'), 'TasksPage');
const files = lazy(() => import('./files/files-page'), 'FilesPage');
const file = lazy(() => import('./files/file-page'), 'FilePage');
const graphics = lazy(() => import('./graphics/graphics-page'), 'GraphicsPage');
const fileSet = lazy(() => import('./graphics/file-set-page'), 'FileSetPage');
const account = lazy(() => import('./account/account-page'), 'AccountPage');
const overview = lazy(() => import('./workspaces/overview'), 'Overview');
const groups = lazy(() => import('./groups/groups-page'), 'GroupsPage');
const group = lazy(() => import('./groups/group-page'), 'GroupPage');
const items = lazy(() => import('./items/items-page'), 'ItemsPage');
const item = lazy(() => import('./items/item-page'), 'ItemPage');
const access = lazy(() => import('./access/access-page'), 'AccessPage');
const telemetry = lazy(() => import('./telemetry/telemetry-page'), 'TelemetryPage');
const telemetryConfig = lazy(() => import('./telemetry/config-page'), 'ConfigPage');
const administration = lazy(() => import('./administration/administration-page'), 'AdministrationPage');
const users = lazy(() => import('./administration/users-page'), 'UsersPage');
const user = lazy(() => import('./administration/user-page'), 'UserPage');
const apps = lazy(() => import('./administration/apps-page'), 'AppsPage');
const app = lazy(() => import('./administration/app-page'), 'AppPage');
const organizations = lazy(() => import('./administration/organizations-page'), 'OrganizationsPage');
const scim = lazy(() => import('./administration/scim-page'), 'ScimPage');
const keys = lazy(() => import('./administration/keys-page'), 'KeysPage');
const mails = lazy(() => import('./administration/mails-page'), 'MailsPage');
const queues = lazy(() => import('./administration/queues-page'), 'QueuesPage');
const queue = lazy(() => import('./administration/queues-page'), 'QueuePage');
const health = lazy(() => import('./administration/health-page'), 'HealthPage');
const audit = lazy(() => import('./administration/audit-page'), 'AuditPage');
const metrics = lazy(() => import('./metrics/metrics-page'), 'MetricsPage');
const administered = createRoute({ getParentRoute: () => root, path: '/administration', component: administration });
const inAdministration = { getParentRoute: () => administered };

export const router = createRouter({
  basepath: '/console',
  defaultPreload: 'intent',
  // A page that breaks, or that an update of the console has removed.
  defaultErrorComponent: ({ error }: { error: Error }) => <Failure error={error} retry={() => location.reload()} />,
  routeTree: root.addChildren([
    plain.addChildren([
      createRoute({ getParentRoute: () => plain, path: '/', component: WorkspacesPage }),
      createRoute({ getParentRoute: () => plain, path: '/account', component: account }),
    ]),
    administered.addChildren([
      createRoute({ ...inAdministration, path: '/users', component: users }),
      createRoute({ ...inAdministration, path: '/users/$userId', component: user }),
      createRoute({ ...inAdministration, path: '/apps', component: apps }),
      createRoute({ ...inAdministration, path: '/apps/$appId', component: app }),
      createRoute({ ...inAdministration, path: '/organizations', component: organizations }),
      createRoute({ ...inAdministration, path: '/scim', component: scim }),
      createRoute({ ...inAdministration, path: '/keys', component: keys }),
      createRoute({ ...inAdministration, path: '/mails', component: mails }),
      createRoute({ ...inAdministration, path: '/queues', component: queues }),
      createRoute({ ...inAdministration, path: '/queues/$queueId', component: queue }),
      createRoute({ ...inAdministration, path: '/health', component: health }),
      createRoute({ ...inAdministration, path: '/audit', component: audit }),
    ]),
    workspace.addChildren([
      createRoute({ ...inWorkspace, path: '/', component: overview }),
      createRoute({ ...inWorkspace, path: '/files', component: files }),
      createRoute({ ...inWorkspace, path: '/files/$fileId', component: file }),
      createRoute({ ...inWorkspace, path: '/graphics', component: graphics }),
      createRoute({ ...inWorkspace, path: '/graphics/$setId', component: fileSet }),
      createRoute({ ...inWorkspace, path: '/groups', component: groups }),
      createRoute({ ...inWorkspace, path: '/groups/$groupId', component: group }),
      createRoute({ ...inWorkspace, path: '/orchestrators', component: orchestrators }),
      createRoute({ ...inWorkspace, path: '/orchestrators/new', component: newOrchestrator }),
      createRoute({ ...inWorkspace, path: '/orchestrators/$orchId', component: orchestrator }),
      createRoute({ ...inWorkspace, path: '/orchestrators/$orchId/runs/$runId', component: run }),
      createRoute({ ...inWorkspace, path: '/tasks', component: tasks }),
      createRoute({ ...inWorkspace, path: '/telemetry', component: telemetry }),
      createRoute({ ...inWorkspace, path: '/telemetry/$configId', component: telemetryConfig }),
      createRoute({ ...inWorkspace, path: '/metrics', component: metrics }),
      createRoute({ ...inWorkspace, path: '/items', component: items }),
      createRoute({ ...inWorkspace, path: '/items/$itemId', component: item }),
      createRoute({ ...inWorkspace, path: '/access', component: access }),
    ]),
  ]),
});
