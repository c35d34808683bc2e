import { lastRevision, noContent } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import { revisionOf } from '@dtplatform/resource';
import type { Deps } from '../../deps.js';
import type { RunSummary } from '../../domain/orchrun/ports.js';
import { hasEnded } from '../../domain/orchrun/run.js';
import { showRun } from '../../domain/orchrun/shown-run.js';

/** A run takes several times its stored bytes while it is read and sent. */
const BYTES_PER_STORED_BYTE = 3;

/** Streams the state of a run: now, unless the client knows it, and whenever it has changed, until it has ended. */
export const watchRun =
  ({ runs, authenticate, eventStreams }: Deps): Handler<{ resource: RunSummary }> =>
  async ({ resource, access, req, res }) => {
    const { _id } = resource;
    let sent = lastRevision(req);
    // To a client of server-sent events, 204 says that there is nothing to reconnect for.
    if (hasEnded(resource) && sent === revisionOf(resource)) return noContent();

    return eventStreams.open({ req, res, caller: access.principal.id }, async (reserve) => {
      const summary = await runs.summaries.find(_id, '');
      const isNew = summary !== undefined && revisionOf(summary) !== sent;
      if (isNew) await reserve(BYTES_PER_STORED_BYTE * summary.bytes);
      const now = await authenticate(req);
      await now.require('READ', summary);
      if (!isNew) return {};
      const run = await now.require('READ', await runs.find(_id, ''));
      sent = revisionOf(run);
      return { event: { event: 'run', id: String(sent), data: showRun(run) }, isLast: hasEnded(run) };
    });
  };
