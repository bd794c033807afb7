/**
 * Removes members that the contract does not list (OP-37): they are neither stored, nor do they
 * distinguish two requests.
 */
type Described = { properties?: Record<string, Described>; items?: Described }

/** @returns the same object when it has no unknown members */
export type KnownMembers = <T extends object>(value: T) => T

/** @param schema JSON schema of an object; lists of objects in it are filtered as well */
export function createKnownMembers(schema: object): KnownMembers {
  const { properties = {} } = schema as Described
  const known = new Set(Object.keys(properties))
  const lists = Object.entries(properties).flatMap(([name, { items }]) =>
    items?.properties === undefined ? [] : [{ name, itemOf: createKnownMembers(items) }],
  )
  return <T extends object>(value: T): T => {
    const entries: [string, unknown][] = Object.entries(value)
    const remaining = entries.filter(([name]) => known.has(name))
    let changed = remaining.length < entries.length
    for (const entry of remaining) {
      const list = lists.find(({ name }) => name === entry[0])
      if (!list || !Array.isArray(entry[1])) continue
      const before = entry[1] as object[]
      const items = before.map(list.itemOf)
      if (items.every((item, index) => item === before[index])) continue
      entry[1] = items
      changed = true
    }
    return changed ? (Object.fromEntries(remaining) as T) : value
  }
}
