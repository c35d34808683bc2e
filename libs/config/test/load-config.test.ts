import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  authSettings,
  commaSeparated,
  ConfigError,
  flag,
  httpSettings,
  loadConfig,
  mongoSettings,
  processSettings,
  redisSettings,
  s3Settings,
  wholeNumber,
} from '../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const Service = z.object({
  ...processSettings,
  ...httpSettings,
  ...authSettings,
  ...mongoSettings,
  ...redisSettings,
  ...s3Settings,
});
const good = {
  BASE_URL: 'https://platform.example.com/',
  OAUTH_ISSUER: 'https://platform.example.com/passportsvc/api/v1/oauth',
  JWKS_URL: 'http://passportsvc/jwks',
  TOKEN_URL: 'http://passportsvc/token',
  SERVICE_CLIENT_ID: 'client',
  SERVICE_CLIENT_SECRET: 'secret-of-16-chars',
  OBJECTMODELSVC_URL: 'http://objectmodelsvc',
  MONGO_URL: 'mongodb://localhost:27017',
  MONGO_DB: 'dtplatform_test',
  REDIS_URL: 'redis://localhost',
  S3_ENDPOINT: 'http://localhost:9000',
  S3_ACCESS_KEY: 'access',
  S3_SECRET_KEY: 'secret',
  S3_BUCKET: 'bucket',
};

function problemsOf(env: NodeJS.ProcessEnv, schema: z.ZodObject = Service): string[] {
  try {
    loadConfig(schema, env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const [first, ...problems] = (error as Error).message.split('\n');
    expect(first).toBe('The configuration is not valid:');
    return problems.map((line) => line.trim());
  }
  return [];
}

describe('loadConfig with valid settings', () => {
  it('returns typed values, defaults for missing settings, and nothing else', () => {
    const config = loadConfig(Service, { ...good, PORT: '8081', CORS_ORIGINS: ' a , ,b', PATH: '/bin' });
    expect(config).toMatchObject({
      PORT: 8081,
      ADMIN_PORT: 9090,
      NODE_ENV: 'production',
      LOG_LEVEL: 'info',
      CORS_ORIGINS: ['a', 'b'],
      BASE_URL: 'https://platform.example.com',
      S3_REGION: 'us-east-1',
    });
    expect(config).not.toHaveProperty('PATH');
  });

  it('completes URLs with credentials of any character and with client certificates', () => {
    const password = 'p@ss:/?#[]%&w ör=d';
    const mongo = {
      ...good,
      MONGO_URL: 'mongodb://old:secret@one:27017,two:27018',
      MONGO_USERNAME: 'us@r:/',
      MONGO_PASSWORD_FILE: file('mongo-password', `${password}\n`),
      MONGO_CLIENT_CERTIFICATE_FILE: '/etc/tls/both.pem',
    };
    expect(loadConfig(Service, mongo).MONGO_URL).toBe(
      `mongodb://us%40r%3A%2F:${encodeURIComponent(password)}@one:27017,two:27018/?tlsCertificateKeyFile=%2Fetc%2Ftls%2Fboth.pem`,
    );

    const of = (url: string, more: object) => loadConfig(Service, { ...good, MONGO_URL: url, ...more }).MONGO_URL;
    expect(of('mongodb://app@db/?w=1', { MONGO_PASSWORD: 'a/b' })).toBe('mongodb://app:a%2Fb@db/?w=1');
    expect(of('mongodb://app:secret@db', { MONGO_USERNAME: 'other' })).toBe('mongodb://other:secret@db');

    const redis = { ...good, REDIS_URL: 'rediss://cache:6380/2?family=6', REDIS_PASSWORD: password };
    const url = new URL(loadConfig(Service, { ...redis, REDIS_CLIENT_CERTIFICATE_FILE: '/a b' }).REDIS_URL);
    expect(url).toMatchObject({ username: '', host: 'cache:6380', pathname: '/2' });
    expect(decodeURIComponent(url.password)).toBe(password);
    expect(Object.fromEntries(url.searchParams)).toEqual({ family: '6', tlsCertificateKeyFile: '/a b' });
  });

  it('reads values from files and trims white space around them', () => {
    const { SERVICE_CLIENT_SECRET: secret, ...rest } = good;
    const path = file('secret', `${secret}\n`);
    expect(loadConfig(Service, { ...rest, SERVICE_CLIENT_SECRET_FILE: path }).SERVICE_CLIENT_SECRET).toBe(secret);
  });

  it('prefers a value over a file', () => {
    const path = file('other', 'mongodb://other');
    expect(loadConfig(Service, { ...good, MONGO_URL_FILE: path }).MONGO_URL).toBe(good.MONGO_URL);
  });
});

describe('loadConfig with invalid settings', () => {
  it('names each missing setting on its own line', () => {
    const lines = problemsOf({});
    expect(lines.sort()).toEqual(
      Object.keys(good)
        .filter((name) => !name.endsWith('_KEY'))
        .map((name) => `${name}: is required`)
        .sort(),
    );
  });

  it('treats an empty value and an empty file as missing', () => {
    const { S3_BUCKET: _, ...rest } = good;
    expect(problemsOf({ ...rest, S3_BUCKET: '' })).toEqual(['S3_BUCKET: is required']);
    expect(problemsOf({ ...rest, S3_BUCKET_FILE: file('empty', ' \n') })).toEqual(['S3_BUCKET: is required']);
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '1e3'],
    ['SHUTDOWN_GRACE_MS', '0'],
    ['LOG_LEVEL', 'loud-value'],
    ['NODE_ENV', 'staging-value'],
    ['BASE_URL', 'ftp://platform.example.com'],
    ['JWKS_URL', 'javascript:alert(1)'],
    ['TOKEN_URL', 'file:///etc/passwd'],
    ['OBJECTMODELSVC_URL', 'objectmodelsvc:8080'],
    ['OAUTH_ISSUER', 'not a url'],
    ['MONGO_URL', 'postgres://user:pass@host'],
    ['MONGO_DB', 'a/b$c'],
    ['REDIS_URL', 'http://user:pass@host'],
    ['S3_ENDPOINT', 's3.local'],
    ['SERVICE_CLIENT_SECRET', 'short-secret'],
  ])('names %s when it is %j, on one line, without the value', (name, value) => {
    const lines = problemsOf({ ...good, [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name}: \\S`));
    expect(lines[0]).not.toContain(value);
  });

  it('describes the problem of each setting', () => {
    const Limits = z.object({ SIZE: z.enum(['small', 'large']), KEY: z.string().min(3), COUNT: wholeNumber(1, 9) });
    expect(problemsOf({ SIZE: 'huge', KEY: 'ab', COUNT: '10' }, Limits)).toEqual([
      'SIZE: must be one of "small", "large"',
      'KEY: must have at least 3 characters',
      'COUNT: must be at most 9',
    ]);
  });

  it('names an unreadable file on one line, without its path', () => {
    const { S3_SECRET_KEY: _, ...rest } = good;
    const lines = problemsOf({ ...rest, S3_SECRET_KEY_FILE: '/nowhere/hidden' });
    expect(lines).toEqual(['S3_SECRET_KEY_FILE: the file cannot be read']);
  });

  it('never shows an invalid value from a file', () => {
    const { S3_ENDPOINT: _, ...rest } = good;
    const lines = problemsOf({ ...rest, S3_ENDPOINT_FILE: file('endpoint', 'hidden-value') });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^S3_ENDPOINT: /);
    expect(lines[0]).not.toContain('hidden-value');
  });
});

describe('types of settings', () => {
  const Kinds = z.object({ FLAG: flag.optional(), LIST: commaSeparated.optional(), COUNT: wholeNumber(2).optional() });

  it('parse flags, lists and whole numbers', () => {
    expect(loadConfig(Kinds, { FLAG: '1', LIST: 'a,b', COUNT: '10' })).toEqual({
      FLAG: true,
      LIST: ['a', 'b'],
      COUNT: 10,
    });
    expect(loadConfig(Kinds, { FLAG: 'false' })).toEqual({ FLAG: false });
  });

  it.each([
    ['FLAG', 'yes'],
    ['COUNT', '1'],
    ['COUNT', ' '],
  ])('reject %s=%j', (name, value) => {
    expect(problemsOf({ [name]: value }, Kinds)).toEqual([expect.stringMatching(new RegExp(`^${name}: `))]);
  });
});
