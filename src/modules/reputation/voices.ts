/**
 * Joins organizations that belong together into voices: the connected components of the groups of
 * organizations that have an owner or their origin in common.
 */

/** @returns the voice of each organization in a group, named after its smallest id */
export function joinVoices(groups: readonly (readonly string[])[]): Map<string, string> {
  const parents = new Map<string, string>()
  const rootOf = (id: string): string => {
    let root = id
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    // Shortens the path, so that long chains of shared owners stay fast.
    for (let at = id; at !== root; ) {
      const next = parents.get(at) ?? root
      parents.set(at, root)
      at = next
    }
    return root
  }
  for (const group of groups) {
    for (const id of group.slice(1)) {
      const [a, b] = [rootOf(group[0] ?? id), rootOf(id)]
      if (a !== b) parents.set(a < b ? b : a, a < b ? a : b)
    }
  }
  return new Map(groups.flat().map((id) => [id, rootOf(id)]))
}
