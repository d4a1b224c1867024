import { readFileSync } from 'node:fs'

/** What became of the time of all processors within a second, in parts of it. */
export interface Second {
  idle: number
  /** Taken by the host for other machines. */
  stolen: number
}

function times(): { all: number; idle: number; stolen: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return { all: user + nice + system + idle + waiting + irq + softirq + stolen, idle: idle + waiting, stolen }
}

/** Notes every second, until it is stopped, how busy the machine is and how much of it is somebody else's. */
export function watchProcessors(): { stop(): Second[] } {
  const seconds: Second[] = []
  let last = times()
  const timer = setInterval(() => {
    const now = times()
    const passed = now.all - last.all || 1
    seconds.push({ idle: (now.idle - last.idle) / passed, stolen: (now.stolen - last.stolen) / passed })
    last = now
  }, 1_000)
  return {
    stop() {
      clearInterval(timer)
      return seconds
    },
  }
}
