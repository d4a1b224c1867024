import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { boundToParent } from '../../tools/run/bound-to-parent.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'

export interface Load {
  callsPerSecond: number
  medianMs: number
  errors: number
}

export interface Target {
  url: string
  /** Each call takes the next one as its Host. */
  hosts: string[]
  headers?: Record<string, string>
  body?: string
  method?: 'POST' | 'GET'
  /** As many IP addresses take turns, as reported by a trusted proxy. */
  addresses?: number
  /** Calls that can be made once: each call takes the next, from an address of its own. */
  bodies?: string[]
  /** Browsers of as many users: each call takes the next. */
  cookies?: string[]
}

const quoted = (text: string) => JSON.stringify(text)

/** wrk runs Lua; requests are formatted once, before the clock starts. */
const script = ({
  hosts,
  headers = {},
  body = '{}',
  method = 'POST',
  bodies = [body],
  cookies = [],
  addresses = Math.max(bodies.length, cookies.length),
}: Target) => `local requests, last = {}, 0
local bodies = {${bodies.map(quoted).join(',')}}
local cookies = {${cookies.map(quoted).join(',')}}
init = function()
  for _, host in ipairs({${hosts.map(quoted).join(',')}}) do
    for address = 1, ${addresses} do
      local headers = {["content-type"] = "application/json", ["Host"] = host}
      ${addresses > 1 ? 'headers["x-forwarded-for"] = string.format("20.%d.%d.%d", math.floor(address / 62500), math.floor(address / 250) % 250, address % 250)' : ''}
      ${Object.entries(headers)
        .map(([name, value]) => `headers[${quoted(name)}] = ${quoted(value)}`)
        .join('\n')}
      ${cookies.length > 0 ? 'headers["cookie"] = cookies[(address - 1) % #cookies + 1]' : ''}
      requests[#requests + 1] = wrk.format(${quoted(method)}, nil, headers${method === 'POST' ? ', bodies[(address - 1) % #bodies + 1]' : ''})
    end
  end
end
request = function()
  last = last % #requests + 1
  return requests[last]
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %d %d\\n", summary.requests, summary.duration, latency:percentile(50),
    e.connect + e.read + e.write + e.status + e.timeout))
end`

/** Posts as fast as the server answers, over loopback, for a few seconds. */
export async function load(target: Target, seconds: number, connections = 32): Promise<Load> {
  const folder = makeTemporaryFolder('wrk')
  const file = join(folder, 'calls.lua')
  writeFileSync(file, script(target))
  const wrk = spawn(...boundToParent('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', file, target.url]))
  let printed = ''
  for await (const chunk of wrk.stdout) printed += chunk
  rmSync(folder, { recursive: true })
  const [, requests, microseconds, median, errors] = /RESULT (\d+) (\d+) (\d+) (\d+)/.exec(printed)?.map(Number) ?? []
  if (!requests || !microseconds || median === undefined || errors === undefined)
    throw new Error(`wrk said:\n${printed}`)
  return { callsPerSecond: (requests / microseconds) * 1e6, medianMs: median / 1000, errors }
}
