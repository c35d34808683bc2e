import { Registry } from 'prom-client';
import { z } from 'zod';
import { httpSettings, loadConfig, processSettings } from '@dtplatform/config';
import { adminListener, createReadiness, listen, portOf } from '@dtplatform/http';
import { runProcess } from '@dtplatform/lifecycle';
import { createSiteApp } from './site-app.js';

const { PORT, BASE_URL, SHUTDOWN_DRAIN_MS, KEEP_ALIVE_MS } = httpSettings;
const Config = z.object({ ...processSettings, PORT, BASE_URL, SHUTDOWN_DRAIN_MS, KEEP_ALIVE_MS });

await runProcess(
  'site',
  () => loadConfig(Config),
  async (config, { log, lifecycle }) => {
    const registry = new Registry();
    const app = createSiteApp({ content: new URL('./', import.meta.url), log, registry, baseUrl: config.BASE_URL });
    const common = { host: config.HOST, lifecycle };
    const readiness = createReadiness({ lifecycle, checks: {}, log });
    const adminAt = { ...common, name: 'admin', port: config.ADMIN_PORT };
    const admin = await listen(adminListener({ readiness, registry }), adminAt);
    const site = await listen(app, {
      ...common,
      name: 'site',
      port: config.PORT,
      drainMs: config.SHUTDOWN_DRAIN_MS,
      keepAliveMs: config.KEEP_ALIVE_MS,
    });
    log.info({ adminPort: portOf(admin), port: portOf(site) }, 'listening');
  },
);
