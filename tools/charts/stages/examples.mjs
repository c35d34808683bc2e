/** Each chart has examples, and each example renders. */
export async function examples({ charts, rendered }) {
  const results = (await rendered()).map(({ name, problem }) => ({ name, problem }));
  const without = charts.filter((chart) => !chart.isLibrary && chart.examples.length === 0);
  return [...results, ...without.map(({ name }) => ({ name, problem: 'it has no examples/<case>/values.yaml' }))];
}
