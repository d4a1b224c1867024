import { existsSync } from 'node:fs'

const setpriv = '/usr/bin/setpriv'
/** The parent may have ended before the child asked for the signal: then there is nothing to wait for. */
const unlessOrphaned = '[ "$PPID" = "$0" ] && exec "$@"'

/**
 * A command for `spawn` that ends with the process that starts it, however that ends: the kernel then sends it the signal. A
 * program with children of its own is given the signal on which it ends those. The process id is that of the program. On other
 * systems than Linux the command is unchanged.
 */
export function boundToParent(
  program: string,
  args: string[],
  signal: NodeJS.Signals = 'SIGKILL',
): [program: string, args: string[]] {
  if (process.platform !== 'linux' || !existsSync(setpriv)) return [program, args]
  const parent = String(process.pid)
  return [setpriv, ['--pdeathsig', signal.slice(3), '/bin/sh', '-c', unlessOrphaned, parent, program, ...args]]
}
