/**
 * Interface of the things that are reviewed. Orders and cashier actions implement it; the queue
 * depends on neither.
 */

import type { Mode } from '../../platform/owner.ts'
import type { Row } from '../../platform/postgres/rows.ts'
import type { ChangedState, States } from '../../platform/states/index.ts'
import type { CaseFacts } from './cases/join.store.ts'
import type { Decision } from './tables.ts'

/** An order or a cashier action. */
export type Subject = {
  org_id: string
  mode: Mode
  id: string
  /** `external_order_id`, or `cashier_external_id`. */
  external_id: string
  risk_score: number
  flags: string[]
}

/** Undefined members do not restrict; only the operator omits the organization. */
export type Scope = { org_id?: string | undefined; mode?: Mode | undefined }

export type Label = { decision: Decision; decided_at: Date }

export type Labeling = {
  /** Ids of all states that a decision can read or write. */
  keys: readonly string[]
  /** Keys of the subject's identities in the shared reputation. */
  identities: readonly string[]
  /** Whether the scoring found the subject suspicious. */
  was_flagged: boolean
  /**
   * Computes the updated states. Pure, because it can run again with other states before anything
   * is stored.
   * @param previous the decision that is replaced; its effect is taken back first
   */
  learn(
    states: States,
    label: Label,
    previous: Label | undefined,
  ): {
    states: readonly ChangedState[]
    /** Other rows to write, such as events. */
    rows: readonly Row[]
    /** Number of earlier subjects of this kind in the organization and mode. */
    after_seq: number
  }
}

export type ReviewSubject = {
  /** Finds subjects by id, or by `external_id` when it is unique within a mode. */
  find(name: string, scope: Scope): Promise<Subject[]>
  /** Returns the record with the numbers behind its score. */
  describe(orgId: string, id: string): Promise<object | undefined>
  /** Returns undefined when retention has deleted the subject. */
  caseFacts(orgId: string, id: string): Promise<CaseFacts | undefined>
  /** Returns undefined when retention has deleted the subject. */
  labeling(subject: Subject): Promise<Labeling | undefined>
}
