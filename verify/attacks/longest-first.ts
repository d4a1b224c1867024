import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The attacks that take longest in the short form, the longest first: started last, one of them would delay the whole run. */
const longest = [
  'a28-',
  'a34-',
  'a29-hostile',
  'a37-internal',
  'a29-preview',
  'a38-every',
  'a23-',
  'a25-poisoned',
  'a17-',
  'a13-array',
  'a37-secrets',
  'a33-',
  'a35-',
  'a39-',
]

function rank({ moduleId }: TestSpecification): number {
  const at = longest.findIndex((start) => moduleId.includes(`/${start}`))
  return at < 0 ? longest.length : at
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => rank(one) - rank(other) || one.moduleId.localeCompare(other.moduleId))
  }
}
