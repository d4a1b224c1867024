import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const deploy = join(import.meta.dirname, '../../deploy/systemd')

/** The directives of a unit that we deliver; of one that stands there several times, all. */
function unitOf(name: string): Map<string, string[]> {
  const lines = readFileSync(join(deploy, name), 'utf8').matchAll(/^([A-Z]\w+)=(.*)$/gm)
  return new Map(
    [...Map.groupBy(lines, ([, key = '']) => key)].map(([key, found]) => [key, found.map(([, , value = '']) => value)]),
  )
}

/** In a test the program and Node are elsewhere than on a server: what is seen of the machine instead of /usr and /opt. */
export interface Place {
  /** An empty folder that becomes the root. */
  root: string
  /** Read alone. */
  program: string[]
  /** The unit's RuntimeDirectory. */
  runtime: string
  user: number
}

/**
 * Does to a command what systemd does by the unit where none runs, and refuses a unit that doesn't ask for it: another user
 * without a right, a network without anything in it, nothing to be seen but the program and the own folder, and no process of
 * others. The system calls that the unit forbids stay allowed: with fewer restrictions the test proves more.
 */
export function asUnit(unit: string, { root, program, runtime, user }: Place, command: string[]): [string, string[]] {
  const asked = unitOf(unit)
  const wanted: Record<string, string> = {
    PrivateNetwork: 'yes',
    TemporaryFileSystem: '/:ro',
    ProtectProc: 'invisible',
    ProcSubset: 'pid',
    NoNewPrivileges: 'yes',
    CapabilityBoundingSet: '',
    RestrictAddressFamilies: 'AF_UNIX',
  }
  for (const [key, value] of Object.entries(wanted))
    if (asked.get(key)?.join() !== value) throw new Error(`${unit} asks for ${key}=${asked.get(key)}`)
  if (asked.has('EnvironmentFile') || asked.has('SupplementaryGroups') || asked.get('User')?.join() !== 'hufu-draw')
    throw new Error(`${unit} gets secrets, or isn't a user of its own`)
  const folder = `/run/${asked.get('RuntimeDirectory')?.join()}`
  const environment = (asked.get('Environment') ?? []).flatMap((line) => line.split(' '))
  const script = `set -e
    mount --make-rprivate /
    mount -t tmpfs -o mode=755 tmpfs "${root}"
    for each in /usr /lib /lib64 /bin ${program.join(' ')}; do
      mkdir -p "${root}$each"; mount --bind "$each" "${root}$each"; mount -o remount,bind,ro "${root}$each"
    done
    mkdir -p "${root}/proc" "${root}${folder}" "${root}/dev"
    mount -t proc -o hidepid=invisible,subset=pid proc "${root}/proc"
    touch "${root}/dev/null" "${root}/dev/urandom"
    mount --bind /dev/null "${root}/dev/null"; mount --bind /dev/urandom "${root}/dev/urandom"
    mount --bind "${runtime}" "${root}${folder}"
    mount -o remount,ro "${root}"
    exec chroot "${root}" /usr/bin/setpriv --reuid=${user} --regid=${user} --clear-groups --no-new-privs \
      --bounding-set=-all --inh-caps=-all /usr/bin/env -i ${environment.join(' ')} "$@"`
  return ['unshare', ['--net', '--mount', '--ipc', '--uts', 'sh', '-c', script, 'sh', ...command]]
}
