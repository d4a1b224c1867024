import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface PollFlood {
  url: string
  headers: Record<string, string>
  body: string
  /** Pages that wait, each with a connection of its own. */
  pages: number
  /** Calls a second of all of them together. */
  rate: number
  seconds: number
}

export interface Flooded {
  callsPerSecond: number
  servedPerSecond: number
}

const quoted = (text: string) => JSON.stringify(text)

/** Every page asks, hears, pauses and asks again, whatever it has heard; none backs off. */
const script = ({ headers, body, pages, rate }: PollFlood) => `local pause = ${Math.round((pages / rate) * 1_000)}
local text = ""
init = function()
  local headers = {${Object.entries({ 'content-type': 'application/json', ...headers })
    .map(([name, value]) => `[${quoted(name)}] = ${quoted(value)}`)
    .join(', ')}}
  text = wrk.format("POST", nil, headers, ${quoted(body)})
end
request = function() return text end
-- Spread, as people come: no two pages keep step for long.
delay = function() return math.random(math.floor(pause / 2), math.ceil(pause * 3 / 2)) end
done = function(summary)
  io.write(string.format("RESULT %d %d %d\\n", summary.requests, summary.errors.status, summary.duration))
end`

/** Pages polling, from a process of its own. */
export async function flood(options: PollFlood): Promise<Flooded> {
  const file = join(tmpdir(), `hufu-polls-${process.pid}.lua`)
  writeFileSync(file, script(options))
  const wrk = spawn('wrk', ['-t1', `-c${options.pages}`, `-d${options.seconds}s`, '-s', file, options.url])
  let printed = ''
  for await (const chunk of wrk.stdout) printed += chunk
  rmSync(file)
  const [, requests = 0, refused = 0, microseconds = 1] = /RESULT (\d+) (\d+) (\d+)/.exec(printed)?.map(Number) ?? []
  if (!requests) throw new Error(`wrk said:\n${printed}`)
  const perSecond = (count: number) => (count / microseconds) * 1e6
  return { callsPerSecond: perSecond(requests), servedPerSecond: perSecond(requests - refused) }
}
