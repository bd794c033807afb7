/** What a method of the API is given and what it answers. */
import type { Core } from './core.ts'
import type { Json } from './resources.ts'

export type Call = {
  /** Ids in the path: enterprise, then device and so on. */
  readonly ids: readonly string[]
  readonly query: URLSearchParams
  /** Checked against the description; empty when there was none. */
  readonly body: Json
}

/** Answered with 304 Not Modified. */
export const UNCHANGED = Symbol('unchanged')

export type Method = (core: Core, call: Call) => object | typeof UNCHANGED
