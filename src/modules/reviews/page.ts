/**
 * Pages of the queue: the cursor is the place of the last row that was shown, so that rows which
 * arrive or are decided meanwhile are neither shown twice nor left out.
 */
import { isUuid } from '../../platform/ids.ts'

export const REVIEW_ORDERS = ['newest', 'highest'] as const
/** `highest`: by risk score, of the same score the newest first. */
export type ReviewOrder = (typeof REVIEW_ORDERS)[number]

export type Place = { risk_score: number; id: string }

export const cursorOf = ({ risk_score, id }: Place): string => `${risk_score}.${id}`

/** @returns undefined when it is none of ours */
export function placeOf(cursor: string): Place | undefined {
  const [, score, id] = /^(\d{1,3})\.(.*)$/.exec(cursor) ?? []
  if (score === undefined || id === undefined || !isUuid(id)) return undefined
  return { risk_score: Number(score), id }
}
