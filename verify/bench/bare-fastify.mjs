// Baseline: Fastify and pg alone, as plain JavaScript, one query before it listens.
import fastify from '../../apps/server/node_modules/fastify/fastify.js'
import pg from '../../apps/server/node_modules/pg/lib/index.js'

const pool = new pg.Pool({ connectionString: process.env.HUFU_DATABASE_URL })
await pool.query('SELECT 1')
const app = fastify()
app.get('/readyz', () => ({ status: 'ready' }))
await app.listen({ host: '127.0.0.1', port: Number(process.env.HUFU_PORT) })
