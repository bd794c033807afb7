/** The share of fraud among orders with a score, for people. */
import { countText } from './texts.ts'

type Step = { from_score: number; to_score: number; fraud_share: number; orders: number }

/** @returns a sentence without a full stop */
export function calibrationText({ from_score, to_score, fraud_share, orders }: Step): string {
  const scores = from_score === to_score ? `${from_score}` : `${from_score} to ${to_score}`
  return `Of 100 orders with a score of ${scores}, ${shareOf100(fraud_share)} fraud (${countText(orders, 'order')})`
}

function shareOf100(share: number): string {
  if (share === 0) return 'none was'
  if (share < 0.005) return 'fewer than 1 were'
  const count = Math.min(100, Math.round(100 * share))
  return count === 1 ? 'about 1 was' : `about ${count} were`
}
