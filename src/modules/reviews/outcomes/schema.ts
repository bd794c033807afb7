/** What orders turned out to be, reported after the fact, and what became of the reports. */
import { Type } from 'typebox'
import { choice, IDENTIFIER_MAX_CHARS } from '../../../platform/http/schemas.ts'

export const OUTCOME_KINDS = ['fraud', 'legitimate', 'chargeback'] as const
export type OutcomeKind = (typeof OUTCOME_KINDS)[number]

const CODE_MAX_CHARS = 64
const NOTE_MAX_CHARS = 500

/** One outcome of the console API and of a file. */
export const outcomeSchema = Type.Object({
  external_order_id: Type.String({ minLength: 1, maxLength: IDENTIFIER_MAX_CHARS }),
  kind: choice(OUTCOME_KINDS),
  /** Reason code of the card network or payment provider; required for a chargeback. */
  reason_code: Type.Optional(Type.String({ minLength: 1, maxLength: CODE_MAX_CHARS })),
  /** A date stands for midnight UTC. */
  date: Type.String({ minLength: 1, maxLength: 40 }),
  note: Type.Optional(Type.String({ maxLength: NOTE_MAX_CHARS })),
})

export type OutcomeReport = {
  external_order_id: string
  kind: OutcomeKind
  reason_code?: string | undefined
  date: string
  note?: string | undefined
}

/** `index` counts from 0 in the list of the request. */
export type RefusedOutcome = {
  index: number
  external_order_id: string
  field: string
  message: string
}

export type ReportedOutcomes = {
  /** Outcomes that became the decision about their order. */
  decided: number
  /** Outcomes that agree with the decision about their order. */
  unchanged: number
  refused: RefusedOutcome[]
}

/** `line` counts from 1 in the file; the first line is the header. */
export type RefusedLine = { line: number; field: string; message: string }

export type ImportedOutcomes = { decided: number; unchanged: number; refused: RefusedLine[] }
