/**
 * Cursors of the review queue. A cursor is the position of the last row shown, so rows that arrive
 * or are decided between two pages are neither repeated nor skipped.
 */
import { isUuid } from '../../platform/ids.ts'

export type Place = { risk_score: number; id: string }

export const cursorOf = ({ risk_score, id }: Place): string => `${risk_score}.${id}`

/** @returns undefined for an invalid cursor */
export function placeOf(cursor: string): Place | undefined {
  const [, score, id] = /^(\d{1,3})\.(.*)$/.exec(cursor) ?? []
  if (score === undefined || id === undefined || !isUuid(id)) return undefined
  return { risk_score: Number(score), id }
}
