import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../tools/fuzz/fuzz.ts'
import { longText, nastyText } from '../../../../tools/fuzz/nasty.ts'
import { refused } from './outcome.ts'
import { canonicalQuery, readAliyun } from './sms/gateways/aliyun.ts'
import { readTencent } from './sms/gateways/tencent.ts'

const code = fc.oneof(
  fc.constantFrom('OK', 'Ok', 'isv.BUSINESS_LIMIT_CONTROL', 'InternalError', 'SYSTEM_ERROR'),
  nastyText,
)
const complaint = fc.record(
  { Code: code, Message: nastyText, BizId: nastyText, SerialNo: nastyText },
  { requiredKeys: ['Code'] },
)
const answers = fc.oneof(
  complaint,
  fc.record({
    Response: fc.record(
      { Error: complaint, SendStatusSet: fc.array(complaint, { maxLength: 2 }) },
      { requiredKeys: [] },
    ),
  }),
  fc.jsonValue({ maxDepth: 3 }),
)

fuzz('sms-answer', 'a gateway has sent only where it says so, whatever else it says', answers, (answer) => {
  const size = JSON.stringify(answer).length
  const [aliyun, tencent] = [quick(size, () => readAliyun(answer)), quick(size, () => readTencent(answer))]
  const { Code, Response } = (answer ?? {}) as {
    Code?: unknown
    Response?: { Error?: unknown; SendStatusSet?: { Code?: unknown }[] }
  }
  if (aliyun.kind === 'sent') expect(Code).toBe('OK')
  if (tencent.kind === 'sent') expect([Response?.Error, Response?.SendStatusSet?.[0]?.Code]).toEqual([undefined, 'Ok'])
  for (const outcome of [aliyun, tencent])
    if (outcome.kind === 'refused') expect(outcome.message.length).toBeLessThanOrEqual(200)
})

const said = fc.oneof(
  nastyText,
  longText,
  fc.tuple(nastyText, fc.constantFrom('13800138000', 'a@b.cn', '012345'), nastyText).map((parts) => parts.join('')),
)

fuzz('complaint', 'no number, code or address is kept of what a gateway says', said, (message) => {
  const kept = quick(message.length, () => refused('CODE', message)).message
  expect(kept).not.toMatch(/\d{4}|[^\s<>"'*]@[^\s<>"'*]/)
  expect(refused('CODE', kept).message).toBe(kept)
})

const queries = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 5 }),
  nastyText.filter((text) => text.isWellFormed()),
  { maxKeys: 4 },
)

fuzz('query', 'a signed query says what was put into it, and in the one spelling', queries, (query) => {
  const written = quick(JSON.stringify(query).length, () => canonicalQuery(query))
  expect(written).toMatch(/^(?:[\w.~%=&-])*$/)
  expect([...new URLSearchParams(written.replaceAll('+', '%2B'))].toSorted()).toEqual(Object.entries(query).toSorted())
})
