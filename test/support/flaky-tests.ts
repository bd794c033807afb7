/**
 * A reporter of Vitest that names the tests that passed only when they were repeated, with the first error.
 * The default reporter shows them as passed.
 */
import type { Reporter, TestCase } from 'vitest/node'

export default class FlakyTests implements Reporter {
  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return
    const [error] = test.result().errors ?? []
    const reason = error?.message.split('\n', 1)[0] ?? ''
    console.log(` FLAKY  ${test.module.relativeModuleId} > ${test.fullName}: ${reason}`)
  }
}
