import type { Reporter, TestCase } from 'vitest/node'

/** Says by name what passed only when it was tried again, and why it hadn't at first. */
export default class SecondTries implements Reporter {
  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return
    const [first] = test.result().errors ?? []
    console.log(`passed at the second try: ${test.fullName}: ${first?.message.split('\n', 1)[0] ?? 'nothing was said'}`)
  }
}
