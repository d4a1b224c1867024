import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loginByPassword } from '@hufu/contract/login'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importFiles } from '../../../test/import-files.ts'
import { createDatabase, startTestApp, type TestApp, testConfig, testKeys } from '../../../test/test-app.ts'

let t: TestApp
let files: ReturnType<typeof importFiles>
/** The database of the other system. */
let other: Client
beforeAll(async () => {
  const HUFU_DATABASE_URL = await createDatabase()
  const HUFU_KEYS = testKeys()
  t = await startTestApp({ HUFU_DATABASE_URL, HUFU_KEYS })
  const { redisUrl } = testConfig({ HUFU_DATABASE_URL })
  files = importFiles({ HUFU_DATABASE_URL, HUFU_REDIS_URL: redisUrl, HUFU_KEYS, HUFU_LOAD_SHEDDING: '0' })
  other = new Client({ connectionString: await createDatabase() })
  await other.connect()
  // Theirs have names of ours.
  await other.query('CREATE SCHEMA theirs; SET search_path = theirs')
})
afterAll(async () => {
  await other.end()
  await t.close()
})

const guide = (name: string) => readFileSync(join(import.meta.dirname, '../../../../../docs', name), 'utf8')
const queryOf = (page: string, system: string) =>
  new RegExp(`\`\`\`sql ${system}\n([^\`]+?);?\n\`\`\``).exec(guide(page))?.[1]?.trim()

const password = 'Küche 7'
const hex = (digest: string, text: string) => createHash(digest).update(text).digest('hex')
const pbkdf2 = {
  salt: 'MDEyMzQ1Njc4OWFiY2RlZg==',
  value: 'UizR9jvqRZvn9XW5ak8VaTO7ZYVwEZnfsdLsHVWXhdmpJfrf5M7539mT8IFmyCab9cAP+TifCvbbos/ob0utag==',
}
const bcrypt = '$2b$10$WPs2XWNuaOMoCHzweji8LenYpYQftR5LE/9rL9ERPqXf4.W4ZyHjm'
const argon2id = '$argon2id$v=19$m=65536,t=3,p=4$FmIMQaiVsjYGYMz5Pwdg7A$7wy3xL3sm4ZI8LMk+xdhwDnppbKPbA6TQXnF7V8ox/I'
const argon2i = '$argon2i$v=19$m=65536,t=3,p=4$PUcIAcB4r9U6R4gxptQ6Zw$bfCbJf/uGJhM4RaZAn1UkGIuBQN2WCWuREdL8KFHvYg'

/** The columns that a query reads, as the system has them, and accounts with the names by which they sign in. */
const systems: Record<string, { fill: string; values?: unknown[]; signIn: string[]; users: number }> = {
  casdoor: {
    fill: `CREATE TABLE "user" (owner varchar(100), name varchar(255), created_time varchar(100), display_name varchar(100), email varchar(100),
        phone varchar(100), country_code varchar(6), password varchar(150), password_salt varchar(100), password_type varchar(100),
        is_forbidden boolean, is_deleted boolean);
      INSERT INTO "user" VALUES
        ('example', 'casbcrypt', '2021-02-03T04:05:06+08:00', '小明', '', '', '', '${bcrypt}', 'abc', 'bcrypt', false, false),
        ('example', 'cassalt', '2021-02-03T04:05:07+08:00', '', '', '', '', '${hex('sha256', `${hex('sha256', password)}s4lt`)}', 's4lt', 'salt', false, false),
        ('example', 'casmd5', '2021-02-03T04:05:08Z', '', '', '', '', '${hex('md5', `${hex('md5', password)}s4lt`)}', 's4lt', 'md5-salt', false, false),
        ('example', 'caspbkdf2', '2021-02-03T04:05:09Z', '', '', '', '', '${pbkdf2.value}', '${pbkdf2.salt}', 'pbkdf2-salt', false, false),
        ('example', '名字', '2021-02-03T04:05:10Z', repeat('长', 30), 'cas@example.com', '13800138000', 'CN', '${argon2id}', '', 'argon2id', false, false),
        ('example', 'casplain', '2021-02-03T04:05:11Z', '', '', '', '', 'secret', '', 'plain', false, false),
        ('example', 'casgone', '2021-02-03T04:05:12Z', '', '', '', '', '', '', '', false, true),
        ('built-in', 'admin', '2021-02-03T04:05:12Z', '', '', '', '', '', '', '', false, false);`,
    signIn: ['casbcrypt', 'cassalt', 'casmd5', 'caspbkdf2', 'cas@example.com', '13800138000'],
    users: 6,
  },
  logto: {
    fill: `CREATE TYPE users_password_encryption_method AS enum ('Argon2i', 'Argon2id', 'Argon2d', 'SHA1', 'SHA256', 'MD5', 'Bcrypt', 'Legacy');
      CREATE TABLE users (tenant_id varchar(21), id varchar(12), username varchar(128), primary_email varchar(128), primary_phone varchar(128),
        password_encrypted varchar(256), password_encryption_method users_password_encryption_method, name varchar(128),
        is_suspended boolean NOT NULL DEFAULT false, last_sign_in_at timestamptz, created_at timestamptz NOT NULL DEFAULT now());
      INSERT INTO users VALUES
        ('default', 'a1b2c3d4e5f6', 'logtoargon', NULL, NULL, '${argon2i}', 'Argon2i', NULL, false, now(), now()),
        ('default', 'b1b2c3d4e5f6', NULL, 'logto@example.com', '8613800138001', '${bcrypt}', 'Bcrypt', '小明', false, NULL, now()),
        ('default', 'c1b2c3d4e5f6', 'logtosha1', NULL, NULL, '${hex('sha1', password)}', 'SHA1', NULL, false, NULL, now()),
        ('default', 'd1b2c3d4e5f6', 'logtolegacy', NULL, NULL, '["sha256", ["@"], "x"]', 'Legacy', NULL, false, NULL, now()),
        ('admin', 'e1b2c3d4e5f6', 'logtoadmin', NULL, NULL, NULL, NULL, NULL, false, NULL, now());`,
    signIn: ['logtoargon', 'logto@example.com', '13800138001', 'logtosha1'],
    users: 4,
  },
  keycloak: {
    fill: `CREATE TABLE realm (id varchar(36), name varchar(255));
      CREATE TABLE user_entity (id varchar(36), email varchar(255), email_verified boolean, enabled boolean, first_name varchar(255), last_name varchar(255),
        realm_id varchar(255), username varchar(255), created_timestamp bigint, service_account_client_link varchar(255));
      CREATE TABLE user_attribute (name varchar(255), value varchar(255), user_id varchar(36), id varchar(36));
      CREATE TABLE credential (id varchar(36), type varchar(255), user_id varchar(36), secret_data text, credential_data text, priority integer);
      INSERT INTO realm VALUES ('r', 'example');
      INSERT INTO user_entity VALUES
        ('0189c5b2-7f00-4abc-8def-000000000001', 'kc@example.com', true, true, '明', '李', 'r', 'kc@example.com', 1612345678901, NULL),
        ('0189c5b2-7f00-4abc-8def-000000000002', 'unproved@example.com', false, true, NULL, NULL, 'r', 'kcargon', 1612345678902, NULL),
        ('0189c5b2-7f00-4abc-8def-000000000003', NULL, false, true, NULL, NULL, 'r', 'service-account-x', 1612345678903, 'client');
      INSERT INTO user_attribute VALUES ('phoneNumber', '+8613800138002', '0189c5b2-7f00-4abc-8def-000000000001', 'a');
      INSERT INTO credential VALUES
        ('1', 'password', '0189c5b2-7f00-4abc-8def-000000000001', '${JSON.stringify({ ...pbkdf2, additionalParameters: {} })}',
          '{"hashIterations":27500,"algorithm":"pbkdf2-sha256","additionalParameters":{}}', 10),
        ('2', 'password', '0189c5b2-7f00-4abc-8def-000000000002',
          '{"value":"7wy3xL3sm4ZI8LMk+xdhwDnppbKPbA6TQXnF7V8ox/I=","salt":"FmIMQaiVsjYGYMz5Pwdg7A==","additionalParameters":{}}',
          '{"hashIterations":3,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["65536"],"type":["id"],"version":["1.3"],"parallelism":["4"]}}', 10);`,
    signIn: ['kc@example.com', '13800138002', 'kcargon'],
    users: 2,
  },
  plain: {
    fill: `CREATE TABLE members (id bigint, banned boolean, registered_at timestamptz, nick text, phone text, phone_verified_at timestamptz, mail text,
        password_md5 text, salt text);
      INSERT INTO members VALUES
        (17, false, now(), '小明', '13800138003', now(), '', '${hex('md5', `${hex('md5', password)}x7`)}', 'x7'),
        (18, false, now(), '', '', NULL, 'plain@example.com', '', '');`,
    signIn: ['13800138003'],
    users: 2,
  },
}

test.each(Object.keys(systems))(
  'D497 the query of the guide for %s writes a file whose users sign in',
  {
    timeout: 180_000,
  },
  async (system) => {
    const query = queryOf('importing.md', system)
    if (!query) throw new Error('the guide has no query')
    expect(queryOf('importing.zh-CN.md', system), 'the same in both languages').toBe(query)
    const { fill = '', signIn = [], users } = systems[system] ?? {}
    await other.query(fill)
    const { rows } = await other.query({ text: `SELECT line::text FROM (${query}) AS q (line)`, rowMode: 'array' })
    const site = await t.site({ limits: { passwordFailures: 1_000 } })
    const { printed, refused } = await files.importFile(site.host, files.write(`${rows.join('\n')}\n`))
    expect(refused).toEqual([])
    expect(printed).toContain(`${users} users imported`)
    for (const account of signIn)
      expect((await t.call(site, loginByPassword, { account, password })).status, account).toBe(200)
  },
)
