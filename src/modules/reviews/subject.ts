/**
 * What the queue has to know of the things that are decided about. Orders and cashier actions
 * implement it; the queue knows neither.
 */
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import type { Decision } from '../../platform/postgres/tables/reviews.ts'
import type { ChangedState, Row, States } from '../../platform/states/index.ts'

/** One order or cashier action. */
export type Subject = {
  org_id: string
  mode: Mode
  id: string
  /** `external_order_id`, or `cashier_external_id`. */
  external_id: string
  risk_score: number
  flags: string[]
}

/** Undefined members do not restrict; only the operator leaves the organisation out. */
export type Scope = { org_id?: string | undefined; mode?: Mode | undefined }

export type Label = { decision: Decision; decided_at: Date }

export type Labelling = {
  /** Ids of all states that a decision about the subject may read or write. */
  keys: readonly string[]
  /** Keys in the shared reputation of what the subject was seen with. */
  identities: readonly string[]
  /**
   * What the states become. Pure: it may be run again from other states before anything is stored.
   * @param previous the decision that is changed; its effect is taken back first
   */
  learn(
    states: States,
    label: Label,
    previous: Label | undefined,
  ): {
    states: readonly ChangedState[]
    /** What else follows, such as events. */
    rows: readonly Row[]
    /** How many of its kind the organisation and mode had before. */
    after_seq: number
  }
}

export type ReviewSubject = {
  /** Those of this id, or of this `external_id` where that belongs to one subject of a mode only. */
  find(name: string, scope: Scope): Promise<Subject[]>
  /** Its record and the numbers behind its score, as JSON for people. */
  describe(orgId: string, id: string): Promise<object | undefined>
  /** Undefined when it is no longer kept. */
  labelling(subject: Subject): Promise<Labelling | undefined>
}
