import { call } from '../lib/call/call.ts'

export const fetchMeta = () => call('/api/meta')
