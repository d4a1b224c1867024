import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import type { RedisNode, RedisStore } from '../../tools/stores/redis.ts'

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

/** Kills a primary that is in use; its replica takes over, and it comes back as a replica. */
export async function loseOne(cluster: RedisStore, round: number): Promise<void> {
  const primaries = cluster.nodes.filter(isPrimary)
  const victim = primaries[round % primaries.length] as RedisNode
  await victim.kill()
  const others = cluster.nodes.filter((node) => node !== victim)
  await expect.poll(() => others.filter(isPrimary).length, { timeout: 30_000, interval: 200 }).toBe(3)
  await victim.start()
  await wholeAgain(cluster)
}

/** A replica is promoted while its primary lives. */
export async function promoteOne(cluster: RedisStore, round: number): Promise<void> {
  const replicas = cluster.nodes.filter((node) => !isPrimary(node))
  const replica = replicas[round % replicas.length] as RedisNode
  // A failover that takes too long is given up by Redis, and asked for again.
  const promoted = () => isPrimary(replica) || void ask(replica, 'cluster', 'failover')
  await expect.poll(promoted, { timeout: 30_000, interval: 1_000 }).toBe(true)
  await wholeAgain(cluster)
}

/** Every primary is emptied. */
export function emptyAll({ nodes }: RedisStore): void {
  for (const node of nodes.filter(isPrimary)) ask(node, 'flushall')
}
