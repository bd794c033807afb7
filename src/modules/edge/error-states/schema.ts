/** Contract of the states of error groups. */
import { type Static, Type } from 'typebox'
import { choice } from '../../../platform/http/schemas.ts'

/** The states that members set. `regressed` follows from an error after the group was resolved. */
export const STATES = ['new', 'acknowledged', 'resolved', 'ignored'] as const
export type SetState = (typeof STATES)[number]
export const ALL_STATES = [...STATES, 'regressed'] as const
export type ErrorState = (typeof ALL_STATES)[number]

/** Filters of the list of groups; `none` for groups without an assignee. */
export const stateFilters = {
  state: Type.Optional(choice(ALL_STATES)),
  assignee_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
}
export type StateFilters = { state?: ErrorState | undefined; assignee_id?: string | undefined }

const LINK_MAX_CHARS = 2048

export const stateChangeMembers = {
  state: Type.Optional(choice(STATES)),
  /** Only with the state `ignored`; without it, the group is ignored without an end. */
  ignored_until: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
  /** A member of the organization; null for no one. */
  assignee_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** URL of a review, an incident or a ticket; null for none. */
  link: Type.Optional(Type.Union([Type.String({ maxLength: LINK_MAX_CHARS }), Type.Null()])),
}
const stateChange = Type.Object(stateChangeMembers)
export type StateChange = Static<typeof stateChange>

export type ErrorGroupState = {
  fingerprint: string
  state: ErrorState
  ignored_until: string | null
  /** `email` is null if the user was deleted. */
  assignee: { user_id: string; email: string | null } | null
  link: string | null
  /** Null if no member ever changed the state. */
  changed_at: string | null
}

/** `previous_count` is the number of errors in the time of the same length before the dates. */
export type ErrorStates = {
  states: (ErrorGroupState & { previous_count: number })[]
}
