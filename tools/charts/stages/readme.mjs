import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forEach } from '../for-each.mjs';

const shared = new URL('../README.md.gotmpl', import.meta.url).pathname;

/** Each README is generated from the chart's description, the comments in its values, and its own template, if any. */
export async function readme({ charts, go, write }) {
  const { helmDocs } = await go();
  return forEach(
    charts.filter(({ isLibrary }) => !isLibrary),
    async ({ name, dir }) => {
      const templates = [shared, join(dir, 'README.md.gotmpl')].filter(existsSync);
      const options = ['--dry-run', '--log-level=warning', '--sort-values-order=file'];
      const files = templates.map((file) => `--template-files=${file}`);
      const { code, stdout, output } = await helmDocs(`--chart-search-root=${dir}`, ...options, ...files);
      if (code !== 0) return { name, problem: output };
      const text = `${stdout.trim()}\n`;
      const file = join(dir, 'README.md');
      if (write) writeFileSync(file, text);
      const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === text;
      return { name, problem: isCurrent ? undefined : `\`npm run test:charts -- --write\` updates ${file}` };
    },
  );
}
