/**
 * Limits the time that the errors of one organization take while their batches are received. Errors
 * beyond the limit are stored without a group, and a worker groups them before they are flushed.
 *
 * The unit is the character, not the millisecond, so that the same batch is treated alike on any
 * machine. A character takes 0.02 to 0.2 µs.
 */
import { type ErrorFacts, groupError, MESSAGE_MAX, STACK_MAX } from '../error-groups/index.ts'

/** Returns the fingerprint of the error's group; undefined when the error has to be grouped later. */
export type GroupOnReceipt = (facts: ErrorFacts) => string | undefined

export type GroupingBudget = {
  /**
   * Returns the function for the errors of one batch, which gets at most the budget of a second. After
   * the first refusal it refuses all.
   */
  forBatch(orgId: string): GroupOnReceipt
}

export type GroupingBudgetOptions = {
  /** Budget of an organization, in this process. Default: 524,288, which takes 10 to 100 ms. */
  chars_per_second?: number
  /** Default: the clock of the process. */
  nowMs?: () => number
}

const CHARS_PER_SECOND = 524_288
const WINDOW_MS = 1000
/** Every error costs at least as much as this many characters. */
const ERROR_CHARS = 64

export function createGroupingBudget(options: GroupingBudgetOptions = {}): GroupingBudget {
  const { chars_per_second = CHARS_PER_SECOND, nowMs = () => performance.now() } = options
  let window = 0
  let spent = new Map<string, number>()

  const spend = (orgId: string, chars: number): boolean => {
    const current = Math.floor(nowMs() / WINDOW_MS)
    if (current !== window) {
      window = current
      spent = new Map()
    }
    const sum = (spent.get(orgId) ?? 0) + chars
    if (sum > chars_per_second) return false
    spent.set(orgId, sum)
    return true
  }

  return {
    forBatch: (orgId) => {
      let ofBatch = 0
      let isUsedUp = false
      return (facts) => {
        const chars = charsToRead(facts)
        ofBatch += chars
        isUsedUp ||= ofBatch > chars_per_second || !spend(orgId, chars)
        return isUsedUp ? undefined : groupError(facts).fingerprint
      }
    },
  }
}

/** Of longer texts only the ends are read. A message can contain the stack. */
const charsToRead = ({ message, stack }: ErrorFacts): number =>
  ERROR_CHARS +
  Math.min(MESSAGE_MAX, message.length) +
  Math.min(STACK_MAX, (stack ?? message).length)
