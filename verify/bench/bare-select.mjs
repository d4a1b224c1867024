// Baseline of a call that reads one row: Fastify, one SELECT by the primary key, and the bytes it was given.
import fastify from '../../apps/server/node_modules/fastify/fastify.js'
import pg from '../../apps/server/node_modules/pg/lib/index.js'

const pool = new pg.Pool({ connectionString: process.env.HUFU_DATABASE_URL })
const body = Buffer.from(process.env.BODY ?? '', 'base64').toString()
const key = [process.env.SITE_ID, process.env.USER_ID]
const app = fastify()
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
  done(null, new URLSearchParams(text)),
)
app.post('/', async (_request, reply) => {
  const { rows } = await pool.query('SELECT id, nickname, status FROM users WHERE site_id = $1 AND id = $2', key)
  return reply
    .code(rows.length === 1 ? 200 : 500)
    .type('application/json; charset=utf-8')
    .send(body)
})
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
