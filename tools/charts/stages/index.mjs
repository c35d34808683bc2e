import { alerts } from './alerts.mjs';
import { dashboards } from './dashboards.mjs';
import { dependencies } from './dependencies.mjs';
import { examples } from './examples.mjs';
import { findings } from './findings.mjs';
import { lint } from './lint.mjs';
import { manifests } from './manifests.mjs';
import { readme } from './readme.mjs';
import { shared } from './shared.mjs';
import { suites } from './suites.mjs';

/** In the order of execution. Each resolves with `[{ name, problem? }]`, one entry per check. */
export const stages = { shared, dependencies, lint, suites, examples, readme, manifests, findings, alerts, dashboards };

export const needPython = ['manifests', 'findings'];

export const needPromtool = ['alerts', 'dashboards'];
