/** Turns a reported outcome into a decision with its time, or says what is wrong with it. */
import { isTime, readTime, TIME_WANTED } from '../../../platform/date-time.ts'
import type { Decision } from '../tables.ts'
import { isFraudCode } from './reason-codes.ts'
import type { OutcomeReport } from './schema.ts'

export type ReadOutcome = { decision: Decision; at: Date; note: string | null }
export type OutcomeFault = { field: string; message: string }

const DAY = /^\d{4}-\d\d-\d\d$/

export function readOutcome(report: OutcomeReport, now: Date): ReadOutcome | OutcomeFault {
  const { kind, reason_code, date, note = '' } = report
  const time = DAY.test(date) ? `${date}T00:00:00Z` : date
  if (!isTime(time)) {
    return { field: 'date', message: `date must be a day, such as 2026-03-01, or ${TIME_WANTED}` }
  }
  const at = readTime(time, 'date')
  if (at > now) return { field: 'date', message: 'date must not be in the future' }
  if (kind !== 'chargeback') {
    const decision = kind === 'fraud' ? 'confirmed_fraud' : 'legitimate'
    return { decision, at, note: noteOf(reason_code ?? '', note) }
  }
  if (reason_code === undefined) {
    return { field: 'reason_code', message: 'reason_code is required for a chargeback' }
  }
  if (!isFraudCode(reason_code)) {
    const message = `reason_code ${reason_code} does not mean fraud. If the order was fraud, report it with the kind fraud`
    return { field: 'reason_code', message }
  }
  return { decision: 'confirmed_fraud', at, note: noteOf(`Chargeback ${reason_code}`, note) }
}

const noteOf = (...parts: string[]): string | null =>
  parts.filter((part) => part !== '').join(': ') || null
