import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAbandoned, owner } from '../../tools/run/temporary-folder.ts'

export interface CpuShare {
  /** Puts processes under it, with all that they start. */
  add(pids: number[]): void
  /** Removes the limit; processes inside go on without it. */
  remove(): Promise<void>
}

/** So short that processes inside don't stop for long when the share of a period is used up. */
const periodUs = 10_000

interface Controller {
  /** Where groups are made. */
  folder: string
  limit(group: string, quotaUs: number): void
}

function mountsOf(type: string): { folder: string; options: string[] }[] {
  const lines = readFileSync('/proc/mounts', 'utf8').split('\n')
  return lines
    .map((line) => line.split(' '))
    .filter((fields) => fields[2] === type)
    .map(([, folder = '', , options = '']) => ({ folder, options: options.split(',') }))
}

function findController(): Controller {
  const [old] = mountsOf('cgroup').filter(({ options }) => options.includes('cpu'))
  if (old) {
    const limit = (group: string, quotaUs: number) => {
      writeFileSync(`${group}/cpu.cfs_period_us`, String(periodUs))
      writeFileSync(`${group}/cpu.cfs_quota_us`, String(quotaUs))
    }
    return { folder: old.folder, limit }
  }
  const [unified] = mountsOf('cgroup2').filter(({ folder }) =>
    readFileSync(`${folder}/cgroup.subtree_control`, 'utf8').includes('cpu'),
  )
  if (!unified)
    throw new Error('no control group for the CPU is mounted: this fault limits what the product gets of it')
  return {
    folder: unified.folder,
    limit: (group, quotaUs) => writeFileSync(`${group}/cpu.max`, `${quotaUs} ${periodUs}`),
  }
}

let made = 0

/** A control group of our own, whose processes get so much of one core all together. */
export function shareCpu(cores: number): CpuShare {
  const { folder, limit } = findController()
  const left = readdirSync(folder).filter((name) => name.startsWith('hufu-') && isAbandoned(name))
  for (const name of left) rmdirSync(join(folder, name))
  const group = `${folder}/hufu-${owner}-${made++}`
  try {
    mkdirSync(group)
  } catch (error) {
    throw new Error(`${folder} can't be written: this fault limits what the product gets of the CPU`, { cause: error })
  }
  limit(group, Math.round(cores * periodUs))
  const moveTo = (place: string, pids: number[]) => {
    for (const pid of pids) if (existsSync(`/proc/${pid}`)) writeFileSync(`${place}/cgroup.procs`, String(pid))
  }
  async function remove() {
    moveTo(folder, readFileSync(`${group}/cgroup.procs`, 'utf8').split('\n').filter(Boolean).map(Number))
    await sleep(100)
    rmdirSync(group)
  }
  return { add: (pids) => moveTo(group, pids), remove }
}
