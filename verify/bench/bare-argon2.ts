import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'

// Baseline of a password check: argon2 alone, with the concurrency of the product.
const stored = await hash('Qy#2026autumn', { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
const until = performance.now() + Number(process.env.SECONDS) * 1000
let done = 0
await Promise.all(
  Array.from({ length: Math.max(1, availableParallelism() - 1) }, async () => {
    while (performance.now() < until) {
      await verify(stored, 'Qy#2026autumn')
      done++
    }
  }),
)
console.log(done / Number(process.env.SECONDS))
