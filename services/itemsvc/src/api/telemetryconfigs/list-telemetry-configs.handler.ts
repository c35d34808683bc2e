import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { CONFIG_TYPE } from '../../domain/telemetry/telemetry-config.js';
import { pageReply } from '../replies.js';
import type { ListTelemetryConfigsQuery } from './telemetryconfigs.schemas.js';

/** GET /telemetryconfigs: those in one namespace, or in all of the caller's. */
export const listTelemetryConfigs =
  ({ telemetryConfigStore }: Deps): Handler<{ query: ListTelemetryConfigsQuery }> =>
  async ({ query, access }) => {
    const scope = await access.scope('READ', CONFIG_TYPE, query.nsfilter === undefined ? undefined : [query.nsfilter]);
    const paging = { offset: query._offset, pageSize: query._pageSize };
    return ok(pageReply(await telemetryConfigStore.list(scope, paging), paging));
  };
