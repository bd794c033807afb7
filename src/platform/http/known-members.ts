/**
 * Members that the contract does not list are ignored (OP-37): they are neither stored nor make two
 * requests different.
 */
type Described = { properties?: Record<string, Described>; items?: Described }

/** @returns the same object when there is nothing to leave out */
export type KnownMembers = <T extends object>(value: T) => T

/** @param schema JSON schema of an object; lists of objects in it are read too */
export function createKnownMembers(schema: object): KnownMembers {
  const { properties = {} } = schema as Described
  const known = new Set(Object.keys(properties))
  const lists = Object.entries(properties).flatMap(([name, { items }]) =>
    items?.properties === undefined ? [] : [{ name, itemOf: createKnownMembers(items) }],
  )
  return <T extends object>(value: T): T => {
    const entries: [string, unknown][] = Object.entries(value)
    const kept = entries.filter(([name]) => known.has(name))
    let changed = kept.length < entries.length
    for (const entry of kept) {
      const list = lists.find(({ name }) => name === entry[0])
      if (!list || !Array.isArray(entry[1])) continue
      const given = entry[1] as object[]
      const items = given.map(list.itemOf)
      if (items.every((item, index) => item === given[index])) continue
      entry[1] = items
      changed = true
    }
    return changed ? (Object.fromEntries(kept) as T) : value
  }
}
