import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { createCookies } from './cookies.ts'

const cookies = createCookies({ insecureHttp: false })
const read = (cookie: string) => cookies.read({ headers: { cookie } } as unknown as FastifyRequest, 'x')

test.each([
  ['__Host-x=1', '1'],
  ['a=2; __Host-x=1; b=3', '1'],
  ['a=__Host-x=2;__Host-x= 1 ', '1'],
  ['x=1; __host-x=1; y__Host-x=1', undefined],
  ['__Host-x=1; __Host-x=1', undefined],
  ['__Host-x=1;__Host-x=2', undefined],
  ['__Host-x=1;\t __Host-x=2', undefined],
  ['', undefined],
])('the one cookie of a name is read, of two none: %j', (header, value) => {
  expect(read(header)).toBe(value)
})
