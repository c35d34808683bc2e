/** Which part may import which. Checked by `npm run dependency-rules`. */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'services-stand-alone',
      comment: 'Services meet over HTTP, queues and libs/contracts only.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'libs-know-no-service',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(services|tools)/' },
    },
    {
      name: 'domain-is-pure',
      comment: 'The domain decides and knows neither HTTP nor a database.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/domain/' },
      to: { path: '^services/[^/]+/src/(api|store|jobs|app|deps|main|worker)' },
    },
    {
      name: 'store-knows-no-http',
      severity: 'error',
      from: { path: '^services/[^/]+/src/store/' },
      to: { path: '^services/[^/]+/src/(api|jobs|app|main|worker)' },
    },
    {
      name: 'testing-only-in-tests',
      severity: 'error',
      from: { path: '^(services|libs)/[^/]+/src/', pathNot: '^libs/testing/' },
      to: { path: '^libs/testing/' },
    },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, path: '/src/', pathNot: '\\.d\\.ts$' }, to: {} },
    { name: 'declared-dependencies', severity: 'error', from: {}, to: { dependencyTypes: ['npm-no-pkg', 'unknown'] } },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|node_modules|\\.dtplatform)/' },
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['source', 'import', 'node', 'default'] },
  },
};
