import { readFileSync } from 'node:fs'

// Imported by what `pnpm` and `node --run` start: neither passes every signal on, and none passes on that it was killed.

/** The name and the parent of a process. */
function lookAt(pid: number): { name?: string | undefined; parent?: string | undefined } {
  try {
    const [, name, parent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return { name, parent }
  } catch {
    return {}
  }
}

/** The parent, and the runner behind it where a shell stands in between: a shell outlives a runner that was killed. */
function runners(): string {
  const { name = '', parent } = lookAt(process.ppid)
  return [process.ppid, /^(ba|da)?sh$/.test(name) ? parent : ''].join()
}

const { npm_lifecycle_event, NODE_RUN_SCRIPT_NAME } = process.env
const before = runners()
if (npm_lifecycle_event ?? NODE_RUN_SCRIPT_NAME)
  setInterval(() => {
    if (runners() !== before) process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
