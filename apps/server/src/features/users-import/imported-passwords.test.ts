import { createHash } from 'node:crypto'
import { loginByPassword } from '@hufu/contract/login'
import { hash as argon2 } from '@node-rs/argon2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importFiles, jsonl } from '../../../test/import-files.ts'
import { createDatabase, fresh, startTestApp, type TestApp, testConfig, testKeys } from '../../../test/test-app.ts'
import { decoyOf, formOf, verifyHash } from '../../platform/crypto/imported-hash.ts'
import { decoyForm } from '../users/decoy-form.ts'
import { createUser } from '../users/users.service.ts'
import { recogniseHash } from './recognise-hash.ts'

let t: TestApp
let files: ReturnType<typeof importFiles>
beforeAll(async () => {
  const HUFU_DATABASE_URL = await createDatabase()
  const HUFU_KEYS = testKeys()
  t = await startTestApp({ HUFU_DATABASE_URL, HUFU_KEYS })
  const { redisUrl } = testConfig({ HUFU_DATABASE_URL })
  files = importFiles({ HUFU_DATABASE_URL, HUFU_REDIS_URL: redisUrl, HUFU_KEYS, HUFU_LOAD_SHEDDING: '0' })
})
afterAll(() => t.close())

/** Shorter than today's rule, and with a letter outside of ASCII. */
const password = 'Küche 7'
const hex = (digest: string, text: string) => createHash(digest).update(text).digest('hex')
const salt = 'sälz'

/** Made by Django 5.2, passlib 1.7, Werkzeug 3 and hashlib, as each writes them. */
const others: Record<string, Record<string, string>> = {
  'Django PBKDF2': {
    passwordHash: 'pbkdf2_sha256$1000000$gNUXBEp0IP2lo4uxZC7LEH$A69QgZe0abHs5B8IAQdU7AjPkce7dmvYynnE1pjt0yA=',
  },
  'Django PBKDF2 with SHA-1': {
    passwordHash: 'pbkdf2_sha1$1000000$EiTZy2PFMZAYmo38DNRRw0$kgzQnY59ZxNnA/rR7yCeXj2HL2E=',
  },
  'Django argon2': {
    passwordHash:
      'argon2$argon2id$v=19$m=102400,t=2,p=8$eTVVU2I4Q1dnZkVOTENuNWd5cTROZA$jciO+QtIAJXGrnaQQxJxU0yJ/iJ+tJuO7b6jeO9VKsM',
  },
  'Django bcrypt of SHA-256': {
    passwordHash: 'bcrypt_sha256$$2b$12$anSIutV7eG9/FR8lx1z5u.AQAWYj3In94OM0rwP7PTLWTYOaDpXt2',
  },
  'Django bcrypt': { passwordHash: 'bcrypt$$2b$12$CiToNXqKXg6WcrIZkBW7RuqSxfF3xurxLt2SnViNDUzcMfOzEzoMa' },
  'Django scrypt': {
    passwordHash:
      'scrypt$16384$6duU8AWs4kRC2baXC9QgMD$8$5$1dsyWGA8wXilpfyCBD2z8LqyQgSZZYifHQ5ZsnyWDU08WJajiakQRCQA5VPi0xseaPFjpBKWbGfu58BOoVvchA==',
  },
  'Django MD5': { passwordHash: 'md5$Vln4qpyrTHaGPqe5glvlGV$1bfedefd0ad7062b1ebbc965dc46364d' },
  'passlib PBKDF2': {
    passwordHash: '$pbkdf2-sha256$29000$/19L6b2XEmIMQag1hjAm5A$H4PLybgpMStrZEpaCU5z2jr15xLMmdYHpSXA6IuvJWc',
  },
  'passlib PBKDF2 with SHA-512': {
    passwordHash:
      '$pbkdf2-sha512$25000$9H6v1XqvVSpFqBUC4FzrHQ$avaPP6SlZ4ABImNvnwtRNt1s3zgZ68lLD3M4dxNHduau/Sqrp/6vmXPFqlDui/nk2pUVDfEYIYGVyyG/dkSniQ',
  },
  'passlib scrypt': {
    passwordHash: '$scrypt$ln=14,r=8,p=1$eA8hBAAgxJgTIqTUWsvZGw$CWyMKU6uABx411Hk5ACTbRZZv2/w9vpMPcKtPDE4Dyc',
  },
  bcrypt: { passwordHash: '$2b$10$WPs2XWNuaOMoCHzweji8LenYpYQftR5LE/9rL9ERPqXf4.W4ZyHjm' },
  'bcrypt of PHP': { passwordHash: '$2y$10$WPs2XWNuaOMoCHzweji8LenYpYQftR5LE/9rL9ERPqXf4.W4ZyHjm' },
  argon2id: {
    passwordHash: '$argon2id$v=19$m=65536,t=3,p=4$FmIMQaiVsjYGYMz5Pwdg7A$7wy3xL3sm4ZI8LMk+xdhwDnppbKPbA6TQXnF7V8ox/I',
  },
  'argon2i of Logto': {
    passwordHash: '$argon2i$v=19$m=65536,t=3,p=4$PUcIAcB4r9U6R4gxptQ6Zw$bfCbJf/uGJhM4RaZAn1UkGIuBQN2WCWuREdL8KFHvYg',
  },
  'Werkzeug scrypt': {
    passwordHash:
      'scrypt:32768:8:1$HdotXdimMEBpZDW6$f45b8352f3d3eba78521518e33d2d4af3a21a44a944f4c2a2d743d95cc7312a325224e6d5e9efc83e775d1e1b4bc5fde47c241030504a450b0047bc5b08f5f43',
  },
  'Werkzeug PBKDF2': {
    passwordHash:
      'pbkdf2:sha256:600000$2kHhixdnQJFv3i2M$b515b271b5d94c0abc5f50485827eca3d8a0675f16d501da12ca2b5f3f313a51',
  },
  'PBKDF2 of Keycloak, with a key of two blocks': {
    passwordHash:
      '$pbkdf2-sha256$i=27500$MDEyMzQ1Njc4OWFiY2RlZg==$UizR9jvqRZvn9XW5ak8VaTO7ZYVwEZnfsdLsHVWXhdmpJfrf5M7539mT8IFmyCab9cAP+TifCvbbos/ob0utag==',
  },
  'MD5 without a salt': { passwordAlgorithm: 'md5(password)', passwordHash: hex('md5', password).toUpperCase() },
  'MD5 with a salt before': {
    passwordAlgorithm: 'md5(salt+password)',
    passwordSalt: salt,
    passwordHash: hex('md5', salt + password),
  },
  'MD5 with a salt after, in base64': {
    passwordAlgorithm: 'md5(password+salt)',
    passwordSalt: salt,
    passwordHash: createHash('md5')
      .update(password + salt)
      .digest('base64'),
  },
  'MD5 of Discuz': {
    passwordAlgorithm: 'md5(md5(password)+salt)',
    passwordSalt: salt,
    passwordHash: hex('md5', hex('md5', password) + salt),
  },
  'SHA-1 with a salt': {
    passwordAlgorithm: 'sha1(salt+password)',
    passwordSalt: salt,
    passwordHash: hex('sha1', salt + password),
  },
  'SHA-256 of Casdoor': {
    passwordAlgorithm: 'sha256(sha256(password)+salt)',
    passwordSalt: salt,
    passwordHash: hex('sha256', hex('sha256', password) + salt),
  },
  'SHA-512 without a salt': { passwordAlgorithm: 'sha512(password)', passwordHash: hex('sha512', password) },
}

const ours = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/

const secretOf = async (siteId: string, username: string): Promise<{ secret: string; imported_form: string | null }> =>
  (
    await t.deps.pool.query(
      `SELECT c.secret, c.imported_form FROM credential c JOIN users u ON u.site_id = c.site_id AND u.id = c.user_id
       WHERE u.site_id = $1 AND u.username = $2`,
      [siteId, username],
    )
  ).rows[0]

test('D480 D481 every kind of hash signs in with its password, once, and is then our own', {
  timeout: 180_000,
}, async () => {
  const site = await t.site()
  const accounts = Object.entries(others).map(([kind, given]) => ({ kind, given, username: fresh.username() }))
  const path = files.write(jsonl(accounts.map(({ username, given }) => ({ username, ...given }))))
  const { printed, refused } = await files.importFile(site.host, path)
  expect(refused).toEqual([])
  expect(printed).toBe(`${accounts.length} users imported, 0 rows refused`)
  for (const { kind, given, username } of accounts) {
    const before = await secretOf(site.id, username)
    expect(before.secret, kind).not.toMatch(ours)
    // A fast digest is never stored as it was given.
    if (given.passwordAlgorithm)
      expect(before.secret.toLowerCase(), kind).not.toContain(given.passwordHash?.toLowerCase())
    const login = (typed: string) => t.call(site, loginByPassword, { account: username, password: typed })
    expect((await login(`${password}x`)).code, kind).toBe('LOGIN_FAILED')
    expect((await login(password)).status, kind).toBe(200)
    const after = await secretOf(site.id, username)
    expect(after.secret, kind).toMatch(ours)
    expect(after.imported_form, kind).toBeNull()
    expect((await login(password)).status, kind).toBe(200)
    expect((await secretOf(site.id, username)).secret, kind).toBe(after.secret)
  }
  const { rows } = await t.deps.pool.query('SELECT form, count::int FROM password_form WHERE site_id = $1', [site.id])
  expect(rows.filter(({ form }) => form !== '').every(({ count }) => count === 0)).toBe(true)
})

test('D480 of ten sign-ins at once with an imported hash each succeeds, and one hash stays', {
  timeout: 240_000,
}, async () => {
  const site = await t.site({ limits: { passwordFailures: 1_000 } })
  const username = fresh.username()
  const path = files.write(jsonl([{ username, ...others.bcrypt }]))
  await files.importFile(site.host, path)
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => t.call(site, loginByPassword, { account: username, password })),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const { rows } = await t.deps.pool.query(
    'SELECT form, count::int FROM password_form WHERE site_id = $1 ORDER BY form',
    [site.id],
  )
  expect(rows).toEqual([
    { form: '', count: 1 },
    { form: 'bcrypt 10', count: 0 },
  ])
})

test('D482 hashes of unknown form or absurd cost are refused', async () => {
  const site = await t.site()
  const b64 = 'A'.repeat(43)
  const refusals: [string, Record<string, string>][] = [
    ['HASH_UNKNOWN', { passwordHash: hex('md5', password) }],
    ['HASH_UNKNOWN', { passwordHash: password }],
    ['HASH_UNKNOWN', { passwordHash: hex('md5', password), passwordAlgorithm: 'crc32(password)' }],
    ['HASH_UNKNOWN', { passwordHash: hex('sha1', password), passwordAlgorithm: 'md5(password)' }],
    ['HASH_UNKNOWN', { passwordHash: `$wrapped$crc32(password)$${await argon2(password)}` }],
    ['HASH_UNKNOWN', { passwordHash: '$2b$10$tooshort' }],
    ['HASH_UNKNOWN', { passwordHash: `$2x$10$${'.'.repeat(53)}` }],
    ['HASH_COST', { passwordHash: `$2b$20$${'.'.repeat(53)}` }],
    ['HASH_COST', { passwordHash: `$2b$03$${'.'.repeat(53)}` }],
    ['HASH_COST', { passwordHash: `$argon2id$v=19$m=4194304,t=2,p=1$${b64}$${b64}` }],
    ['HASH_COST', { passwordHash: `$argon2id$v=19$m=65536,t=1000,p=1$${b64}$${b64}` }],
    ['HASH_COST', { passwordHash: `$argon2id$v=19$m=65536,t=0,p=1$${b64}$${b64}` }],
    ['HASH_COST', { passwordHash: `$wrapped$md5(password)$$argon2id$v=19$m=4194304,t=2,p=1$${b64}$${b64}` }],
    ['HASH_COST', { passwordHash: `$scrypt$ln=24,r=8,p=1$${b64}$${b64}` }],
    ['HASH_UNKNOWN', { passwordHash: `scrypt$12345$salt$8$1$${b64}=` }],
    ['HASH_COST', { passwordHash: `$pbkdf2-sha256$i=90000000$${b64}$${b64}` }],
  ]
  const path = files.write(jsonl(refusals.map(([, given]) => ({ username: fresh.username(), ...given }))))
  const { refused } = await files.importFile(site.host, path)
  expect(refused.map(({ code }) => code)).toEqual(refusals.map(([code]) => code))
})

test('D483 a name without a password is refused by hashes of the same forms and shares as the accounts of the site', {
  timeout: 180_000,
}, async () => {
  const site = await t.site()
  for (let own = 0; own < 3; own++)
    await createUser(t.deps, site.id, { username: fresh.username(), password: 'Qy#2026autumn' }, 'test')
  const count = async (names: number) => {
    const forms = await Promise.all(
      Array.from({ length: names }, (_, n) => decoyForm(t.deps, site.id, `username:${n}`)),
    )
    return forms.filter((form) => form !== undefined).length / names
  }
  expect(await count(200)).toBe(0)
  const imported = Array.from({ length: 9 }, () => ({ username: fresh.username(), ...others.bcrypt }))
  await files.importFile(site.host, files.write(jsonl(imported)))
  const share = await count(2_000)
  expect(share).toBeGreaterThan(0.7)
  expect(share).toBeLessThan(0.8)
  // The same name gets the same form each time.
  const form = await decoyForm(t.deps, site.id, 'username:one')
  for (let again = 0; again < 5; again++) expect(await decoyForm(t.deps, site.id, 'username:one')).toBe(form)
})

test('D483 the decoy of a form has the parameters of its hashes and matches no password', {
  timeout: 180_000,
}, async () => {
  for (const [kind, { passwordHash: hash = '', passwordAlgorithm: algorithm, passwordSalt }] of Object.entries(
    others,
  )) {
    const recognised = recogniseHash({ hash, algorithm, salt: passwordSalt })
    if (typeof recognised === 'string') throw new Error(`${kind}: ${recognised}`)
    if ('digest' in recognised || recognised.form === null) continue
    const decoy = decoyOf(recognised.form)
    expect(formOf(decoy), kind).toBe(recognised.form)
    expect(await verifyHash(decoy, password), kind).toBe(false)
  }
})

test('D484 odd passwords are refused like any wrong one, whatever made the hash', { timeout: 180_000 }, async () => {
  const site = await t.site({ limits: { passwordFailures: 1_000 } })
  for (const kind of ['bcrypt', 'Django scrypt', 'Werkzeug PBKDF2', 'MD5 of Discuz']) {
    const username = fresh.username()
    await files.importFile(site.host, files.write(jsonl([{ username, ...others[kind] }])))
    const { secret } = await secretOf(site.id, username)
    // PBKDF2 and scrypt know no difference between a password and the same with NUL after it; a call takes no NUL.
    for (const odd of [`${password}\0`, '\0'])
      expect((await t.call(site, loginByPassword, { account: username, password: odd })).code, kind).toBe(
        'INPUT_INVALID',
      )
    for (const wrong of ['x'.repeat(128), '密码🔑', '\ud800']) {
      expect(await verifyHash(secret, wrong), kind).toBe(false)
      expect((await t.call(site, loginByPassword, { account: username, password: wrong })).status, kind).toBe(400)
    }
  }
})
