import sharp from 'sharp'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { createUser } from '../../apps/server/src/features/users/users.service.ts'
import { type Figure, median } from '../harness/figures.ts'
import { type BenchGround, layBenchGround } from './bench-environment.ts'
import { cookiesOf, post } from './post.ts'

const host = 'id.example.com'
const account = { username: 'bench_person', password: 'Qy#2026autumn' }
const width = 4000
const height = 3000

// The same settings as in the product, so that the two are comparable.
sharp.concurrency(1)
sharp.cache(false)

const noise = (across: number, down: number, sigma: number) =>
  sharp({
    create: {
      width: across,
      height: down,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma },
    },
  })

/** Twelve megapixels with large shapes and fine grain, as a camera gives them. */
async function makePhoto(): Promise<Buffer> {
  const shapes = await noise(80, 60, 60).png().toBuffer()
  const grain = await noise(width, height, 18).png({ compressionLevel: 1 }).toBuffer()
  return await sharp(shapes)
    .resize(width, height, { kernel: 'cubic' })
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 85 })
    .toBuffer()
}

/** The minimal processing of the photo. */
const alone = (photo: Buffer): Promise<Buffer> =>
  sharp(photo).autoOrient().resize(512, 512, { fit: 'cover' }).webp({ quality: 82 }).toBuffer()

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** The whole call of a signed-in user over HTTP, each time from another address: the limits are not what is measured. */
async function startUpload(bench: BenchGround, photo: Buffer): Promise<(round: number) => Promise<void>> {
  const environment = { ...(await bench.database('avatar')), HUFU_TRUSTED_PROXIES: '127.0.0.0/8' }
  const deps = await bench.deps(environment)
  const site = await createSite(deps, { origin: `https://${host}`, config: {} }, 'bench')
  await createUser(deps, site, account, 'bench')
  const { url } = await bench.server(environment)
  const own = { host, 'sec-fetch-site': 'same-origin' }
  const login = JSON.stringify({ account: account.username, password: account.password })
  const { headers } = await post(`${url}/api/login/password`, own, login)
  const cookie = cookiesOf(headers)
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(photo)], { type: 'image/jpeg' }), 'photo.jpg')
  const sent = new Response(form)
  const type = sent.headers.get('content-type') ?? ''
  const body = Buffer.from(await sent.arrayBuffer())
  return async (round) => {
    const from = { 'content-type': type, cookie, 'x-forwarded-for': `10.1.1.${round}` }
    const answer = await post(`${url}/api/user/info/changeAvatar`, { ...own, ...from }, body)
    if (answer.status !== 200) throw new Error(`the upload answered ${answer.status}: ${answer.body}`)
  }
}

/** A photo of 12 megapixels from the first byte sent to the answer, against sharp alone doing the same to it. */
export default async function avatar(seconds: number): Promise<Figure[]> {
  const bench = await layBenchGround()
  try {
    const photo = await makePhoto()
    const upload = await startUpload(bench, photo)
    for (let warm = 0; warm < 3; warm++) {
      await alone(photo)
      await upload(200 + warm)
    }
    const rounds: { floor: number; ours: number }[] = []
    for (let round = 0; round < seconds * 10; round++) {
      rounds.push({ floor: await timed(() => alone(photo)), ours: await timed(() => upload(round % 200)) })
    }
    const middle = (name: 'floor' | 'ours') => Math.round(median(rounds.map((round) => round[name])))
    return [
      {
        name: 'avatar upload of 12 megapixels against sharp alone, time',
        value: median(rounds.map(({ floor, ours }) => ours / floor)),
        limit: ['<=', 2],
        from: `${middle('ours')} ms against ${middle('floor')} ms, ${(photo.length / 1e6).toFixed(1)} MB`,
      },
    ]
  } finally {
    await bench.stop()
  }
}
