import { CallError } from '../lib/call/call.ts'
import { fetchMeta } from './meta.api.ts'
import { acceptMeta } from './site.store.ts'

/** Within this time every process of the server shows what was saved. */
const everywhereAfter = 2_000

async function fetchAgain() {
  try {
    acceptMeta(await fetchMeta())
  } catch (error) {
    if (!(error instanceof CallError)) throw error
  }
}

/** Name, logo, colour and methods change in place. Fetched twice: the first response may come from a process with a stale cache. */
export function refreshMeta() {
  void fetchAgain()
  setTimeout(() => void fetchAgain(), everywhereAfter)
}
