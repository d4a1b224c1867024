import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { envExample } from '../../apps/server/src/platform/config/env-example.ts'

/** Written from what the server reads: `node tools/release/env-example.ts` after a change of platform/config/config.ts. */
export const exampleFile = join(import.meta.dirname, '../../deploy/hufu.env.example')

if (import.meta.main) writeFileSync(exampleFile, envExample())
