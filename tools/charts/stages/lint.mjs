import { forEach } from '../for-each.mjs';
import { newest } from '../kubernetes.mjs';

/** `helm lint` with the values of each example, and with the default values for charts without examples. */
export async function lint({ charts, go }) {
  const { helm } = await go();
  const cases = charts.flatMap(({ name, dir, examples }) =>
    examples.length === 0 ? [{ name, dir }] : examples.map((example) => ({ ...example, dir })),
  );
  return forEach(cases, async ({ name, dir, values }) => {
    const withValues = values === undefined ? [] : ['--values', values];
    const { code, output } = await helm('lint', '--strict', '--quiet', '--kube-version', newest, dir, ...withValues);
    return { name, problem: code === 0 ? undefined : output };
  });
}
