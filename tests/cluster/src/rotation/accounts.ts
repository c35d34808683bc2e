import { randomBytes } from 'node:crypto';
import { readFromPod, runInPod } from '../tools/in-pod.js';
import type { Kubectl } from '../tools/kubectl.js';

export interface Account {
  name: string;
  password: string;
}

/** The accounts of a backend. */
export interface Accounts {
  add: (account: Account) => Promise<unknown>;
  remove: (account: Account) => Promise<unknown>;
  /** Whether a new connection may use the account. */
  accepts: (account: Account) => Promise<boolean>;
}

export const newAccount = (name: string): Account => ({
  name: `${name}-${randomBytes(4).toString('hex')}`,
  password: randomBytes(16).toString('hex'),
});

/** MongoDB and Redis of the development backends admit anyone, but check the credentials of those who send some. */
export const backendAccounts = (kubectl: Kubectl) => ({
  mongodb: accountsWith(kubectl, {
    pod: 'deployment/mongodb-replica-set',
    head: `import { MongoClient } from 'mongodb';
const connect = (options) => MongoClient.connect('mongodb://mongodb:27017/?directConnection=true', options);
const admin = async (command) => (await connect()).db('admin').command(command);`,
    add: `await admin({ createUser: name, pwd: password, roles: ['readWriteAnyDatabase'] })`,
    remove: `await admin({ dropUser: name })`,
    use: `await connect({ auth: { username: name, password } })`,
    rejection: 'AuthenticationFailed',
  }),
  redis: accountsWith(kubectl, {
    pod: 'deployment/objectmodelsvc',
    head: `import { Redis } from 'ioredis';\nconst redis = new Redis('redis://redis:6379');`,
    add: `await redis.acl('SETUSER', name, 'on', '>' + password, '~*', '&*', '+@all')`,
    remove: `await redis.acl('DELUSER', name)`,
    use: `await redis.auth(name, password)`,
    rejection: 'WRONGPASS',
  }),
});

/** Values of charts/dev-backends with which versitygw has accounts besides that of its environment. */
export const S3_WITH_ACCOUNTS = { s3: { command: ['versitygw', '--iam-dir', '/tmp', '--iam-cache-disable'] } };

/** Accounts of versitygw, which its own program manages. */
export function s3Accounts(kubectl: Kubectl): Accounts {
  const login = '--access "$ROOT_ACCESS_KEY" --secret "$ROOT_SECRET_KEY" --endpoint-url http://127.0.0.1:9000';
  const admin = (...args: string[]) =>
    kubectl.run('exec', 's3-0', '--', 'sh', '-c', `versitygw admin ${login} "$@"`, 'sh', ...args);
  const { accepts } = accountsWith(kubectl, {
    pod: 'deployment/filesvc',
    head: `import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';`,
    use: `await new S3Client({ endpoint: 'http://s3:9000', region: 'us-east-1', forcePathStyle: true,
  credentials: { accessKeyId: name, secretAccessKey: password } }).send(new ListBucketsCommand())`,
    rejection: 'InvalidAccessKeyId',
  });
  return {
    add: ({ name, password }) => admin('create-user', '--access', name, '--secret', password, '--role', 'admin'),
    remove: ({ name }) => admin('delete-user', '--access', name),
    accepts,
  };
}

/** Programs for a pod, which know `name` and `password`. */
interface Programs {
  pod: string;
  head: string;
  add?: string;
  remove?: string;
  use: string;
  /** Part of the error that `use` throws for rejected credentials. */
  rejection: string;
}

function accountsWith(kubectl: Kubectl, { pod, head, add = '', remove = '', use, rejection }: Programs): Accounts {
  const program = (account: Account, body: string) =>
    `${head}\nconst { name, password } = ${JSON.stringify(account)};\n${body}\nprocess.exit();`;
  const attempt = `const failure = await (async () => { ${use} })().then(() => '', (error) => error.name + error.codeName + error.message);
if (failure && !failure.includes('${rejection}')) throw new Error(failure);
console.log(failure === '');`;
  return {
    add: (account) => runInPod(kubectl, pod, program(account, add)),
    remove: (account) => runInPod(kubectl, pod, program(account, remove)),
    accepts: (account) => readFromPod(kubectl, pod, program(account, attempt)),
  };
}
