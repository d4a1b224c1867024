import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')

export interface TreeCopy {
  folder: string
  /** Puts files in, runs the tool and takes them out again; what was there before comes back. */
  runWith(files: Record<string, string>, program: string, ...args: string[]): { status: number | null; output: string }
  remove(): void
}

function copyFile(folder: string, path: string) {
  if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path))
}

/** Links are copied as they are, so that workspaces find each other inside the copy and packages in the one store. */
function copyModules(folder: string) {
  const store = join(root, 'node_modules/.pnpm')
  const skipped = /node_modules\/\.(pnpm|cache|vite|vitest)/
  for (const modules of ['node_modules', ...globSync('{apps,packages}/*/node_modules', { cwd: root })]) {
    cpSync(join(root, modules), join(folder, modules), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !skipped.test(path.slice(root.length)),
    })
  }
  symlinkSync(store, join(folder, 'node_modules/.pnpm'))
}

function run(folder: string, program: string, args: string[]) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`, NO_COLOR: '1' },
  })
  if (error) throw error
  return { status, output: stdout + stderr }
}

/** A throw-away copy of everything git would take, with the packages linked. */
export function copyTree(): TreeCopy {
  const folder = makeTemporaryFolder('planted')
  const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const path of listed.split('\0').filter(Boolean)) copyFile(folder, path)
  copyModules(folder)
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return {
    folder,
    runWith(files, program, ...args) {
      for (const [path, content] of Object.entries(files)) put(path, content)
      try {
        return run(folder, program, args)
      } finally {
        for (const path of Object.keys(files)) {
          rmSync(join(folder, path))
          copyFile(folder, path)
        }
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
