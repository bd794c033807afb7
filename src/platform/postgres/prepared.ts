/**
 * Names repeated statements, so that PostgreSQL parses and plans them once per connection instead of
 * every time.
 */
import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'

/** Statements with many variants (optional filters) must not fill the server's memory. */
const NAMED_STATEMENTS_MAX = 400
const USES_BEFORE_NAMING = 3

type Query = (text: unknown, ...rest: unknown[]) => unknown

export function namePreparedStatements(pool: Pool): void {
  const nameOf = createNamer()
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as unknown as Query
    const named: Query = (text, values, ...rest) => {
      if (typeof text !== 'string' || !Array.isArray(values)) return query(text, values, ...rest)
      const name = nameOf(text)
      return name === undefined
        ? query(text, values, ...rest)
        : query({ name, text, values: values as unknown[] }, ...rest)
    }
    client.query = named as unknown as PoolClient['query']
  })
}

function createNamer(): (text: string) => string | undefined {
  const uses = new Map<string, { count: number; name: string | undefined }>()
  return (text) => {
    const seen = uses.get(text)
    if (!seen) {
      if (uses.size < NAMED_STATEMENTS_MAX) uses.set(text, { count: 1, name: undefined })
      return undefined
    }
    seen.count += 1
    if (seen.count < USES_BEFORE_NAMING) return undefined
    seen.name ??= createHash('sha1').update(text).digest('hex').slice(0, 20)
    return seen.name
  }
}
