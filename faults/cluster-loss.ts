import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { RedisNode, RedisStore } from '../tools/stores/redis.ts'

const ask = (node: RedisNode, ...words: string[]) => {
  try {
    return execFileSync('redis-cli', ['-p', String(node.port), ...words], { encoding: 'utf8' })
  } catch {
    return ''
  }
}
const isPrimary = (node: RedisNode) => ask(node, 'role').startsWith('master')

/** Every primary has a replica that follows it. */
const whole = ({ nodes }: RedisStore) =>
  nodes.filter(isPrimary).length === 3 &&
  nodes.every((node) => isPrimary(node) || ask(node, 'info', 'replication').includes('master_link_status:up'))

const wholeAgain = (cluster: RedisStore) =>
  expect.poll(() => whole(cluster), { timeout: 30_000, interval: 200 }).toBe(true)

/** Kills a primary under everybody's hands; its replica takes over, and it comes back as a replica. */
export async function loseOne(cluster: RedisStore, round: number): Promise<void> {
  const primaries = cluster.nodes.filter(isPrimary)
  const victim = primaries[round % primaries.length] as RedisNode
  await victim.kill()
  await sleep(4_000)
  await victim.start()
  await wholeAgain(cluster)
}

/** A replica is promoted while its primary lives. */
export async function promoteOne(cluster: RedisStore, round: number): Promise<void> {
  const replicas = cluster.nodes.filter((node) => !isPrimary(node))
  ask(replicas[round % replicas.length] as RedisNode, 'cluster', 'failover')
  await sleep(500)
  await wholeAgain(cluster)
}

/** All that every primary holds is gone. */
export function emptyAll({ nodes }: RedisStore): void {
  for (const node of nodes.filter(isPrimary)) ask(node, 'flushall')
}
