import { expect, test } from 'vitest'
import { faultOf } from './commits.ts'

test.each(['feat(sms): send through any HTTP interface', 'fix: keep the row locked', 'ci: run faults beside attacks'])(
  '%s passes',
  (subject) => expect(faultOf(subject)).toBeUndefined(),
)

test.each([
  [`fix(web): ${'x'.repeat(70)}`, '80 characters, at most 72'],
  ['Fix the form', 'not `type(scope): imperative`'],
  ['fix(web): Style the form', 'not `type(scope): imperative`'],
  ['fix(web): style the form; show radio buttons', 'two purposes'],
])('%s is refused', (subject, fault) => expect(faultOf(subject)).toBe(fault))
