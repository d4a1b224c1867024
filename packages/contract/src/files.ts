import { z } from 'zod'
import type { Access, Limit } from './endpoint.ts'
import type { ErrorCode } from './errors.ts'
import { eventsPath } from './events.ts'
import { exportFilePath } from './merchant-rights.ts'
import { dataFilePath } from './personal-data-rules.ts'

/** What browsers fetch by GET besides pages and navigations: files and the stream of events. */
export interface ServedFile {
  path: `/api/${string}`
  summary: string
  access: Access
  stepUp: boolean
  limit?: Limit
  /** Only for the site's own pages: those of the same origin, or sent there by one of them. */
  fromHere: boolean
  /** A browser that has it is answered 304. */
  tagged: boolean
  query: z.ZodObject
  /** The type of the body. */
  type: 'image/webp' | 'image/*' | 'text/csv' | 'application/zip' | 'text/event-stream'
  errors: readonly ErrorCode[]
}

const perMinute = (calls: number): Limit => ({ calls, seconds: 60 })
const ofId = z.object({ id: z.string() })
const picture = { stepUp: false, tagged: true, query: ofId, type: 'image/webp', errors: ['NOT_FOUND'] } as const

export const avatarFile = {
  ...picture,
  path: '/api/avatar',
  summary: 'The picture of a user. Under the time at which it was set (`t`) it may be cached for good.',
  access: 'public',
  limit: perMinute(600),
  fromHere: false,
  query: ofId.extend({ t: z.string().optional() }),
  type: 'image/*',
} as const satisfies ServedFile

export const feedbackPictureFile = {
  ...picture,
  path: '/api/feedback/picture',
  summary: 'A picture of a conversation, for its user and for operators.',
  access: 'user',
  // A long conversation has hundreds of them, and carriers put thousands of users behind one address.
  limit: perMinute(1_200),
  fromHere: true,
} as const satisfies ServedFile

export const sitePictureFile = {
  ...picture,
  path: '/api/site/picture',
  summary: 'A logo or background of the site.',
  access: 'public',
  // Carriers put thousands of users behind one address, and every first visit asks for two or three.
  limit: perMinute(1_200),
  fromHere: false,
  tagged: false,
} as const satisfies ServedFile

export const userExportFile = {
  path: exportFilePath,
  summary: 'The CSV file of an export of users, gzip-encoded, for the operator who requested it.',
  access: 'merchantAdmin',
  stepUp: true,
  limit: perMinute(60),
  fromHere: true,
  tagged: false,
  query: ofId,
  type: 'text/csv',
  errors: ['NOT_FOUND', 'OPERATOR_TOO_NEW'],
} as const satisfies ServedFile

export const personalDataFile = {
  path: dataFilePath,
  summary: "The archive of the user's data.",
  access: 'user',
  stepUp: true,
  limit: perMinute(60),
  fromHere: true,
  tagged: false,
  query: ofId,
  type: 'application/zip',
  errors: ['NOT_FOUND'],
} as const satisfies ServedFile

const eventStream = {
  path: eventsPath,
  summary: 'Wake-ups of a signed-in browser as server-sent events: which conversation has something new, never what.',
  access: 'user',
  stepUp: false,
  fromHere: true,
  tagged: false,
  query: z.object({}),
  type: 'text/event-stream',
  errors: [],
} as const satisfies ServedFile

/** By the names under which the OpenAPI document lists them. */
export const servedFiles: Readonly<Record<string, ServedFile>> = {
  readAvatar: avatarFile,
  readFeedbackPicture: feedbackPictureFile,
  readSitePicture: sitePictureFile,
  downloadUserExport: userExportFile,
  downloadPersonalData: personalDataFile,
  streamWakeUps: eventStream,
}
