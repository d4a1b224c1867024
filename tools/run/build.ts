import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A program and its arguments, without the settings of the product. */
export interface Command {
  program: string
  args: string[]
  cwd: string
  env: NodeJS.ProcessEnv
}

/** The product as a folder holds it, ready to be started. */
export interface Build {
  migrations: string
  /** One command of its command line; flags are Node's. */
  command(args: string[], flags?: string[]): Command
}

/** A shared compile cache, as with a release. */
export const compileCache = (folder: string) => ({ NODE_COMPILE_CACHE: join(folder, 'node_modules/.cache/hufu') })

/** Where the command line begins: in this version, or in 0.1.0, from which is upgraded. */
const entryIn = (folder: string): string =>
  ['src/cli/cli.ts', 'src/cli.ts'].map((file) => join(folder, 'apps/server', file)).find(existsSync) ?? ''

const sourcesIn = (folder: string): Build => ({
  migrations: join(folder, 'apps/server/migrations'),
  command: (args, flags = []) => ({
    program: process.execPath,
    args: [...flags, entryIn(folder), ...args],
    cwd: folder,
    env: { ...process.env, ...compileCache(folder) },
  }),
})

/** As a system service starts it: by its own start script, from another folder, without our environment. */
const artefactIn = (folder: string): Build => ({
  migrations: join(folder, 'migrations'),
  command: (args, flags = []) => ({
    program: join(folder, 'bin/hufu'),
    args,
    cwd: '/',
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      NODE_ENV: 'production',
      ...(flags.length > 0 && { NODE_OPTIONS: flags.join(' ') }),
    },
  }),
})

/** The folder of an unpacked release that is run instead of the sources. */
export const artefact = process.env.HUFU_ARTEFACT

/** What is run in this run, as a folder holds it: this tree, the release that was unpacked, or a copy of either. */
export const buildIn = (folder: string): Build => (artefact ? artefactIn(folder) : sourcesIn(folder))
