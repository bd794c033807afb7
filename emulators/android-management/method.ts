/** The methods of the API: their call and their answer. */
import type { Core } from './core.ts'
import type { Json } from './resources.ts'

export type Call = {
  /** The ids in the path, in their order: enterprise, device and so on. */
  readonly ids: readonly string[]
  readonly query: URLSearchParams
  /** The body, validated by the description; empty if the request has none. */
  readonly body: Json
}

/** A method returns this for a change that changes nothing: it is answered 304 Not Modified. */
export const UNCHANGED = Symbol('unchanged')

export type Method = (core: Core, call: Call) => object | typeof UNCHANGED
