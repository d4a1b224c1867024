import { call } from '../lib/call/call.ts'

/** Counts a change of page inside the document; nothing depends on its answer. */
export const reportVisit = () => void call('/api/page/visit', {}).catch(() => undefined)
