import { expect, test } from 'vitest'
import { generated, stored } from '../generate.ts'

test('D460 the types of the client are those of the OpenAPI document: node packages/client/generate.ts', async () => {
  for (const [name, source] of Object.entries(await generated())) expect(stored(name), name).toBe(source)
})
