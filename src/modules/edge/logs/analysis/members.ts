/** Finds which members the data of log entries has. */
import type { DataMember } from './schema.ts'

/** A query reaches members at any depth; deeper ones are rarely searched. */
const DEPTH_MAX = 4
const MEMBERS_MAX = 200
const NAME_MAX_CHARS = 200
/** A query ends the name of a member at these characters. */
const UNREACHABLE = /[\s:"]/

/** @param texts JSON objects; others are ignored */
export function membersOf(texts: readonly string[]): DataMember[] {
  const counts = new Map<string, DataMember>()
  for (const text of texts) for (const [name, type] of pathsOf(text)) count(counts, name, type)
  return [...counts.values()]
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, MEMBERS_MAX)
}

function count(counts: Map<string, DataMember>, name: string, type: DataMember['type']): void {
  const known = counts.get(name)
  if (known === undefined) counts.set(name, { name, type, count: 1 })
  else
    counts.set(name, { name, type: known.type === type ? type : 'other', count: known.count + 1 })
}

function pathsOf(text: string): Map<string, DataMember['type']> {
  const paths = new Map<string, DataMember['type']>()
  const visit = (value: object, prefix: string, depth: number) => {
    for (const [key, member] of Object.entries(value) as [string, unknown][]) {
      const name = `${prefix}.${key}`
      if (key === '' || UNREACHABLE.test(key) || name.length > NAME_MAX_CHARS) continue
      const isObject = typeof member === 'object' && member !== null && !Array.isArray(member)
      if (isObject && depth < DEPTH_MAX) visit(member, name, depth + 1)
      else if (member !== null) paths.set(name, typeOf(member))
    }
  }
  const data = objectOf(text)
  if (data !== undefined) visit(data, 'data', 1)
  return paths
}

function typeOf(value: unknown): DataMember['type'] {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  return typeof value === 'boolean' ? 'boolean' : 'other'
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
