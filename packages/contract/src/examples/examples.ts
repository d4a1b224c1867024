import { accountExamples } from './account.ts'
import { backOfficeExamples } from './back-office.ts'
import type { Examples } from './example.ts'
import { managementExamples } from './management.ts'
import { signInExamples } from './sign-in.ts'

/** What the OpenAPI document shows of each call, held to its schemas by a test. */
export const examples: Examples = {
  ...signInExamples,
  ...accountExamples,
  ...backOfficeExamples,
  ...managementExamples,
}
