/** Finds out whether a request can be repeated, and fills in the keys that make it repeatable. */

export type Key = { member: string; list?: string; is_filled: boolean }

export type Keyed = { body: unknown; is_repeatable: boolean }

type Json = { readonly [name: string]: unknown }

/** @param newKey random text; used where the operation permits it and the caller has none */
export function withKey(
  { repeat, key }: { repeat: string; key?: Key },
  body: unknown,
  newKey: () => string,
): Keyed {
  if (repeat !== 'keyed' || !key) return { body, is_repeatable: repeat === 'always' }
  const { member, list, is_filled } = key
  const hasKey = (value: unknown): boolean => ((value as Json | null)?.[member] ?? null) !== null
  const filled = (value: unknown): unknown =>
    is_filled && isObject(value) && !hasKey(value) ? { ...value, [member]: newKey() } : value
  if (list === undefined) {
    const keyed = filled(body)
    return { body: keyed, is_repeatable: hasKey(keyed) }
  }
  const elements = (body as Json)[list]
  if (!Array.isArray(elements)) return { body, is_repeatable: false }
  const keyed = elements.map(filled)
  return { body: { ...(body as Json), [list]: keyed }, is_repeatable: keyed.every(hasKey) }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
