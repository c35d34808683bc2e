/**
 * Which part may import which. Checked by `npm run dependency-rules`. eslint.config.mjs checks what it cannot see, such
 * as single names of a module.
 */

/** The files of a package in node_modules, wherever npm has put it. */
const packages = (...names) => `(^|/)node_modules/(${names.join('|')})/`;
const SERVICE_SRC = '^services/[^/]+/src';
/** The suffix of a resource's file tells what it does. Files without one hold entities and use cases. */
const HTTP = '\\.(routes|handler|page|http)\\.ts$';
const STORE = '\\.(store|model|client)\\.ts$';
const JOB = '\\.job\\.ts$';
/** Constructs parts, or declares what a resource consists of. */
const ASSEMBLY = `\\.module\\.ts$|${SERVICE_SRC}/(service|stores|main|worker|migrate|admin)\\.ts$`;
const USE_CASE = `${SERVICE_SRC}/.+/[^/.]+\\.ts$`;
/** The command line for operators, which calls use cases and stores as `service.ts` does. */
const COMMAND_LINE = `${SERVICE_SRC}/admin/`;

/** Packages that one library wraps. Its configuration and its errors are then the same in every service. */
const WRAPPED = [
  {
    name: 'mongoose-behind-libs',
    comment:
      'libs/mongo sets Mongoose up: sanitized filters, revisions, strict documents. libs/lease writes its updates.',
    to: packages('mongoose'),
    owners: '^libs/(mongo|lease)/',
  },
  {
    name: 'ioredis-behind-libs',
    comment: 'libs/redis connects with the retries and time limits that suit each use.',
    to: packages('ioredis'),
    owners: '^libs/redis/|^tests/bench/|^tools/stack/|/test/',
    // Importing the type of a connection is not a second way of connecting.
    typesToo: false,
  },
  {
    name: 'bullmq-behind-libs',
    comment:
      'libs/queue adds to a queue only what an outbox or a task has recorded, and validates what comes out of it.',
    to: packages('bullmq'),
    owners: '^libs/queue/|^tests/bench/',
  },
  {
    name: 'aws-sdk-behind-libs',
    comment: 'libs/object-store knows which S3 servers differ in what, and maps their errors.',
    to: packages('@aws-sdk'),
    owners: '^libs/object-store/|^tests/bench/|^tools/stack/',
  },
  {
    name: 'express-behind-libs',
    comment: 'Routes are declared with libs/http, so that each is validated, authorized, measured and described alike.',
    to: packages('express', 'cors', 'raw-body'),
    owners: '^libs/(http|runtime)/',
    // Importing the type of an app or a handler is not a second way of serving requests.
    typesToo: false,
  },
];

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A use case and its store may name types of each other: that is no cycle when the program runs.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'services-stand-alone',
      comment: 'Services meet over HTTP, queues and libs/contracts only.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'libs-know-no-service',
      comment: 'A library serves all services. What only one needs belongs into that service.',
      severity: 'error',
      from: { path: '^libs/' },
      // Tests start backends with it.
      to: { path: '^(packages|services|tests|tools)/', pathNot: '^tools/stack/src/backends/redis-topology' },
    },
    {
      name: 'routes-call-use-cases',
      comment: 'Use cases check permissions. A route with a store would bypass them.',
      severity: 'error',
      from: { path: `${SERVICE_SRC}/.+${HTTP}`, pathNot: COMMAND_LINE },
      to: { path: `${STORE}|${JOB}|${ASSEMBLY}|^libs/(mongo|redis|queue|lease)/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'use-cases-are-pure',
      comment: 'They decide, and know stores by their types alone. They can be read and tested on their own.',
      severity: 'error',
      from: { path: USE_CASE, pathNot: COMMAND_LINE },
      to: { path: `${HTTP}|${STORE}|${JOB}|${ASSEMBLY}`, pathNot: COMMAND_LINE, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'use-cases-know-no-technology',
      comment: 'What needs a server, a database, a queue or an object store is in a file with the suffix for it.',
      severity: 'error',
      from: { path: USE_CASE, pathNot: COMMAND_LINE },
      to: {
        path: `^libs/|${packages('express', 'multer', 'oidc-provider', 'undici')}`,
        pathNot: '^libs/(contracts|errors|jwt|lease|lifecycle|logging|permissions|resource)/',
      },
    },
    {
      name: 'use-cases-name-only-types-of-their-context',
      comment: 'A use case may take a caller, a log or settings as parameters, but does not create them.',
      severity: 'error',
      from: { path: USE_CASE, pathNot: COMMAND_LINE },
      to: { path: `^libs/(jwt|logging)/|${SERVICE_SRC}/config`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'stores-know-no-http',
      comment: 'Stores serve requests and jobs alike.',
      severity: 'error',
      from: { path: `${SERVICE_SRC}/.+${STORE}`, pathNot: COMMAND_LINE },
      to: { path: `${HTTP}|${JOB}|${ASSEMBLY}|^libs/http/` },
    },
    {
      name: 'jobs-and-modules-know-no-http',
      comment: 'Jobs run in workers, which serve no API. A module only names the route tables of its resource.',
      severity: 'error',
      from: { path: `${JOB}|\\.module\\.ts$` },
      to: { path: '^libs/http/' },
    },
    {
      name: 'jobs-know-no-routes',
      severity: 'error',
      from: { path: JOB, pathNot: COMMAND_LINE },
      to: { path: `${HTTP}|${ASSEMBLY}` },
    },
    {
      name: 'modules-of-passportsvc',
      comment:
        'A module uses the entities and use cases of another; its HTTP is its own. Stores share models with others, for transactions.',
      severity: 'error',
      from: { path: '^services/passportsvc/src/(oauth|scim|directory|groups)/' },
      to: {
        path: '^services/passportsvc/src/(oauth|scim|directory|groups)/.+\\.(routes|handler|http|job|module)\\.ts$',
        pathNot: '^services/passportsvc/src/$1/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'packages-stand-alone',
      comment:
        'They are published for programs of others, which have nothing else of this repository. component-worker is not ' +
        'published: it is built with libs, and other teams use it in a checkout.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: '^packages/component-worker/' },
      to: { path: '^(libs|services|tests|tools)/' },
    },
    {
      name: 'component-worker-uses-only-libs',
      comment: 'It meets datasourcesvc over HTTP and a queue, as services do.',
      severity: 'error',
      from: { path: '^packages/component-worker/src/' },
      to: { path: '^(examples|packages|services|tests|tools)/', pathNot: '^packages/component-worker/' },
    },
    {
      name: 'examples-stand-alone',
      comment: 'People copy them, and then have nothing else of this repository but the packages that are published.',
      severity: 'error',
      from: { path: '^examples/([^/]+)/' },
      to: {
        path: '^(examples|libs|packages|services|tests|tools)/',
        pathNot: '^examples/$1/|^packages/sdk/src/index\\.ts$',
      },
    },
    {
      name: 'sdk-runs-in-browsers',
      comment: 'What needs Node.js is in the entry `./node` of the SDK.',
      severity: 'error',
      from: { path: '^packages/sdk/src/', pathNot: '^packages/sdk/src/node/' },
      to: { path: '^packages/sdk/src/node/' },
    },
    {
      name: 'sdk-uses-no-builtins',
      comment: 'Browsers have none.',
      severity: 'error',
      from: { path: '^packages/sdk/src/', pathNot: '^packages/sdk/src/node/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'testing-only-in-tests',
      comment: 'libs/testing starts servers and makes tokens that every key check accepts.',
      severity: 'error',
      from: { path: '^(libs|packages|services)/[^/]+/src/', pathNot: '^libs/testing/' },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'mongoose-brings-the-driver',
      comment: 'A second driver in the tree could differ in its version, and with it in its errors and types.',
      severity: 'error',
      from: { path: '^(libs|services)/' },
      to: { path: packages('mongodb') },
    },
    ...WRAPPED.map(({ name, comment, to, owners, typesToo = true }) => ({
      name,
      comment,
      severity: 'error',
      from: { path: '^(libs|packages|services|tests|tools)/', pathNot: owners },
      to: { path: to, ...(typesToo ? {} : { dependencyTypesNot: ['type-only'] }) },
    })),
    {
      name: 'no-orphans',
      comment: 'A file that nobody imports is left over.',
      severity: 'error',
      from: { orphan: true, path: '/src/', pathNot: '\\.d\\.ts$' },
      to: {},
    },
    {
      name: 'declared-dependencies',
      comment:
        'The image of a service holds only what its package.json declares. Tests run with the packages of the root.',
      severity: 'error',
      // The console is a bundle, and React's types are a package of their own.
      from: { path: '^(examples|libs|packages|services)/[^/]+/src/', pathNot: '^packages/console/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-dev', 'unknown'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Packages are not excluded: rules refer to them.
    exclude: { path: '^(examples|libs|packages|services|tests|tools)/[^/]+/dist/|(^|/)\\.dtplatform/' },
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'dtplatform-source', 'import', 'node', 'default'],
    },
  },
};
